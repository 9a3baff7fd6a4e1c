package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// Bounds of what is learnt from a server.
const (
	learnWait = 5 * time.Minute // a runner may install the server first
	maxPages  = 100
	maxName   = 128 // bytes of a tool's name or an argument's
)

// Learn starts a server, asks it for its tools and gives a draft of a profile named name:
// every tool as a write, which is safe, with what the server says of itself beside it.
// Nothing else is asked of the server.
func Learn(ctx context.Context, c Command, name string) ([]byte, error) {
	if !IsProfileName(name) {
		return nil, fmt.Errorf("the profile would be named %q: want 1 to 64 small letters, digits and -; say --name", name)
	}
	cmd, server, err := c.start()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, learnWait)
	defer cancel()
	type answer struct {
		tools []strictjson.Value
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		tools, err := askTools(server)
		done <- answer{tools, err}
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		a.err = fmt.Errorf("the server behind did not tell its tools in time: %w", ctx.Err())
	}
	// It has nothing to lose: how it ends does not matter.
	_ = server.close()
	stop := time.AfterFunc(grace, func() { _ = cmd.Process.Kill() })
	defer stop.Stop()
	if ctx.Err() != nil {
		_ = cmd.Process.Kill()
	}
	_ = cmd.Wait()
	if a.err != nil {
		return nil, a.err
	}
	return Draft(name, a.tools), nil
}

// askTools speaks just enough of the protocol to be told the tools.
func askTools(server serverPipe) ([]strictjson.Value, error) {
	w, l := wire.NewWriter(server.Out), wire.NewLines(server.In, limits.MaxBytes)
	ask := func(id, method, params string) (strictjson.Value, error) {
		if err := w.Frame([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`)); err != nil {
			return strictjson.Value{}, err
		}
		for {
			line, err := l.Next()
			if errors.Is(err, io.EOF) {
				return strictjson.Value{}, errors.New("the server behind ended before it told its tools")
			}
			if err != nil {
				return strictjson.Value{}, err
			}
			f, err := limits.Frame(line)
			if err != nil || wire.Classify(f) != wire.Response || string(f.ID) != id {
				continue // a stray print, a notification, a request that we need not answer
			}
			if f.Error != nil {
				return strictjson.Value{}, fmt.Errorf("the server behind refused %s", method)
			}
			return limits.Parse(f.Result)
		}
	}
	if _, err := ask("1", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hearsay","version":"1"}}`); err != nil {
		return nil, err
	}
	if err := w.Frame([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)); err != nil {
		return nil, err
	}
	var tools []strictjson.Value
	params := strictjson.Object()
	for page := range maxPages {
		result, err := ask(strconv.Itoa(page+2), "tools/list", string(strictjson.AppendValue(nil, params)))
		if err != nil {
			return nil, err
		}
		list, _ := result.Get("tools")
		for _, t := range list.Elements() {
			tools = append(tools, t)
		}
		next, ok := result.Get("nextCursor")
		if !ok || next.Kind() != strictjson.KindString || len(tools) > maxTools {
			return tools, nil
		}
		params = strictjson.Object(strictjson.Member{Key: "cursor", Value: next})
	}
	return nil, fmt.Errorf("the server behind has more than %d pages of tools", maxPages)
}

// Draft writes a profile for tools as tools/list gives them. Names are quoted and
// bounded, and nothing else of what the server says is repeated: its descriptions are
// text that anybody may have written.
func Draft(name string, tools []strictjson.Value) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# A draft: a person has to go through it, see docs/profiles.md. As it stands it is safe\n"+
		"# and holds more than it needs to: every tool counts as a write.\nname: %s\nlines: true\n", name)
	type entry struct{ name, text string }
	var all []entry
	left := 0
	for _, t := range tools {
		n, _ := t.Get("name")
		tool := n.String()
		if n.Kind() != strictjson.KindString || tool == "" || len(tool) > maxName || len(all) >= maxTools ||
			slices.ContainsFunc(all, func(e entry) bool { return e.name == tool }) {
			left++
			continue
		}
		all = append(all, entry{tool, draftTool(t)})
	}
	if left > 0 {
		fmt.Fprintf(&b, "# %d tools are left out: their names are missing, doubled or longer than %d bytes. Their calls are writes.\n", left, maxName)
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	if len(all) == 0 {
		b.WriteString("tools: {}\n")
	} else {
		b.WriteString("tools:\n")
	}
	for _, e := range all {
		fmt.Fprintf(&b, "  %s:\n%s", strconv.QuoteToASCII(e.name), e.text)
	}
	return []byte(b.String())
}

// draftTool writes what stands under a tool's name.
func draftTool(t strictjson.Value) string {
	schema, _ := t.Get("inputSchema")
	properties, _ := schema.Get("properties")
	var args []string
	for arg, form := range properties.Members() {
		if len(arg) > maxName || len(args) == 100 {
			continue
		}
		if isObject(form) {
			arg += "{}"
		}
		args = append(args, strconv.QuoteToASCII(arg))
	}
	list := strings.Join(args, ", ")
	notes, _ := t.Get("annotations")
	says := "does not say that it only reads"
	if read, ok := notes.Get("readOnlyHint"); ok && isTrue(read) {
		says = "says that it only reads"
	}
	return fmt.Sprintf("    op: update # it %s; where you know better: create, delete, or read with the arguments below\n"+
		"    # arguments: [%s]\n    schema: %s\n", says, list, schemaDigest(t))
}

// isObject reports whether a schema takes an object, alone or among others.
func isObject(form strictjson.Value) bool {
	kind, _ := form.Get("type")
	if kind.Kind() == strictjson.KindString && kind.String() == "object" {
		return true
	}
	forms, _ := form.Get("anyOf")
	for _, f := range forms.Elements() {
		if kind, _ := f.Get("type"); kind.Kind() == strictjson.KindString && kind.String() == "object" {
			return true
		}
	}
	return false
}
