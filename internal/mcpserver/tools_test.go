package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
	"github.com/hearsay-memory/hearsay/recall"
)

// inputs are the input schemas.
func inputs(t testing.TB) map[string]*jsonschema.Schema {
	t.Helper()
	declared, err := declarations()
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]*jsonschema.Schema)
	for _, d := range declared {
		var s jsonschema.Schema
		if err := json.Unmarshal(d.InputSchema.(json.RawMessage), &s); err != nil {
			t.Fatal(err)
		}
		out[d.Name] = &s
	}
	return out
}

// Every tool is declared and carried out, closed to what it does not know, and says what
// hosts ask by.
func TestDeclarations(t *testing.T) {
	w := newWorld(t)
	for _, era := range eras {
		c := w.dial(w.server(w.caller("session of "+era)), era, nil)
		listed, err := c.ListTools(t.Context(), nil)
		if err != nil || len(listed.Tools) != len(tools) {
			t.Fatalf("%s: %d tools, %v", era, len(listed.Tools), err)
		}
		if era == modern && (listed.CacheScope != "private" || listed.TTLMs != listTTL) {
			t.Errorf("the list may be kept for %d ms, %s", listed.TTLMs, listed.CacheScope)
		}
		for _, d := range listed.Tools {
			a := d.Annotations
			reads := slices.Contains([]string{"memory_search", "memory_get", "memory_list", "memory_status", "memory_review"}, d.Name)
			if a == nil || a.ReadOnlyHint != reads || a.OpenWorldHint == nil || *a.OpenWorldHint {
				t.Errorf("%s: annotations %+v", d.Name, a)
			}
			if d.Name == "memory_delete" && (a.DestructiveHint == nil || !*a.DestructiveHint) {
				t.Errorf("%s does not say that it takes away", d.Name)
			}
			if (d.Name == "memory_review") != (d.Meta["anthropic/requiresUserInteraction"] == true) {
				t.Errorf("%s: meta %v", d.Name, d.Meta)
			}
			if d.InputSchema.(map[string]any)["additionalProperties"] != false || d.OutputSchema.(map[string]any)["additionalProperties"] != false {
				t.Errorf("%s takes or gives what it does not know", d.Name)
			}
		}
		if caps := c.InitializeResult().Capabilities; caps.Prompts != nil || caps.Resources != nil || caps.Completions != nil || caps.Tools == nil {
			t.Errorf("%s: capabilities %+v", era, caps)
		}
	}
}

// The schemas say the kinds, forms and bounds that the code has.
func TestSchemasSayTheBounds(t *testing.T) {
	in := inputs(t)
	write := in["memory_write"].Properties
	var kinds []any
	for k := recall.Observation; k <= recall.Insight; k++ {
		kinds = append(kinds, k.String())
	}
	if !slices.Equal(write["kind"].Enum, kinds) || !slices.Equal(in["memory_search"].Properties["kinds"].Items.Enum, kinds) || len(kinds) != mostKinds {
		t.Errorf("kinds %v, the engine has %v", write["kind"].Enum, kinds)
	}
	if forms := []any{recall.Semantic.String(), recall.Episodic.String(), recall.Procedural.String()}; !slices.Equal(write["form"].Enum, forms) {
		t.Errorf("forms %v", write["form"].Enum)
	}
	for name, c := range map[string]struct {
		got  *int
		want int
	}{
		"text": {write["text"].MaxLength, memory.MaxText}, "title": {write["title"].MaxLength, memory.MaxTitle},
		"subject": {write["subject"].MaxLength, memory.MaxTitle}, "tags": {write["tags"].MaxItems, memory.MaxTags},
		"tag": {write["tags"].Items.MaxLength, memory.MaxTag}, "links": {write["links"].MaxItems, memory.MaxLinks},
		"replaces": {write["replaces"].MaxItems, mostReplaced}, "source": {write["source"].MaxLength, mostSource},
		"query": {in["memory_search"].Properties["query"].MaxLength, mostQuery}, "context": {in["memory_search"].Properties["context"].MaxItems, mostContext},
		"word": {in["memory_search"].Properties["context"].Items.MaxLength, mostWord},
		"ids":  {in["memory_delete"].Properties["ids"].MaxItems, mostDeleted}, "why": {in["memory_delete"].Properties["why"].MaxLength, mostWhy},
	} {
		if c.got == nil || *c.got != c.want {
			t.Errorf("%s: the schema says %v, the code %d", name, c.got, c.want)
		}
	}
	if limit := in["memory_list"].Properties["limit"].Maximum; limit == nil || *limit != mostListed {
		t.Errorf("limit: %v", limit)
	}
}

// FuzzArguments: what a tool takes, its schema takes too, and no answer is a fault of ours.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"text":"x","kind":"goal"}`, `{"text":"x","kind":"goal","salience":0.5,"pin":true,"tags":["a"],"links":[]}`,
		`{"query":"x","k":3,"kinds":["goal"],"context":["a"],"max_bytes":256}`, `{"limit":1,"pinned":false}`,
		`{"id":"01900000-0000-7000-8000-000000000000"}`, `{"ids":["01900000-0000-7000-8000-000000000000"],"why":"x"}`,
		`{"text":"x","kind":"goal","salience":1e-400}`, `{"k":1e2,"query":"x"}`, `{"limit":"1"}`, `[]`, `null`,
	} {
		for name := range tools {
			f.Add(name, seed)
		}
	}
	w := newWorld(f)
	s := w.server(w.caller("session-1"))
	resolved := make(map[string]*jsonschema.Resolved)
	for name, schema := range inputs(f) {
		var err error
		if resolved[name], err = schema.Resolve(nil); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, name, args string) {
		if tools[name] == nil || limits.Check([]byte(args)) != nil {
			t.Skip()
		}
		res, err := s.handler(name)(t.Context(), request(name, args))
		if err != nil {
			t.Fatalf("an error of the protocol: %v", err)
		}
		a := answered(t, name, res)
		if strings.Contains(w.logged.String(), "a call failed") {
			t.Fatalf("a fault inside: %s", w.logged.String())
		}
		var v any
		if err := json.Unmarshal([]byte(args), &v); err != nil || v == nil {
			return // a number beyond doubles is refused as out of bounds
		}
		if err := resolved[name].Validate(v); err != nil && !a.failed {
			t.Errorf("%s took %s, its schema does not: %v", name, args, err)
		}
	})
}

// request is a call as the library hands it on.
func request(name, args string) *sdk.CallToolRequest {
	return &sdk.CallToolRequest{Session: &sdk.ServerSession{}, Params: &sdk.CallToolParamsRaw{Name: name, Arguments: json.RawMessage(args)}}
}

// FuzzFrames: what passes has one reading, which the library's reader has too.
func FuzzFrames(f *testing.F) {
	for _, frame := range badFrames {
		f.Add([]byte(frame))
	}
	f.Add([]byte(toolCall("1", "memory_status", `{}`)))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"x"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, _, bad := inspect(b)
		if bad != nil {
			if err := limits.Check(bad.reply()); err != nil {
				t.Errorf("the refusal is no frame: %v", err)
			}
			return
		}
		var loose map[string]any
		if err := json.Unmarshal(frame.Raw, &loose); err != nil {
			t.Fatalf("another reader takes it for none: %v", err)
		}
		if method, ok := frame.MethodName(); ok && loose["method"] != method {
			t.Errorf("the method is %q here and %q there", method, loose["method"])
		}
		if frame.ID != nil && frame.Method != nil {
			id, err := json.Marshal(loose["id"])
			want, werr := strictjson.Limits{}.Parse(frame.ID)
			if err != nil || werr != nil || want.Kind() == strictjson.KindNumber && string(id) != string(frame.ID) && string(frame.ID) != "-0" {
				t.Errorf("the id %s is %s there", frame.ID, id)
			}
		}
	})
}
