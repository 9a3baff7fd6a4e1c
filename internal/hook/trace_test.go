package hook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/demo"
	"github.com/hearsay-memory/hearsay/internal/guardtest"
	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/mcp"
	"github.com/hearsay-memory/hearsay/internal/mcp/agentend"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// step is one line of a recorded day.
type step struct {
	Do       string   `json:"do"` // begin, say, store, run, fetch, review
	Session  string   `json:"session"`
	Text     string   `json:"text"` // what is said, stored, run or fetched; of a review, what was stored
	URL      string   `json:"url"`
	Names    []string `json:"names"` // what a command amounts to
	Decision string   `json:"decision"`
}

func recordedDay(t *testing.T) (day []step) {
	t.Helper()
	data, err := os.ReadFile("../hosts/testdata/trace/day.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var s step
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&s); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		day = append(day, s)
	}
	return day
}

// said is what a door makes of a step, and of the session as it is then.
type said struct {
	Step    string
	Verdict string // of store and run
	Record  folded // of store
	Label   string // of the session
}

// folded is what the fold of the log says of a record, without what differs between
// doors by right: ids and times, the store, and how the store's bytes are spelt.
type folded struct {
	Standing, Origin, Taint, Source, Rule, Principal string
	Attributed, Flagged                              bool
	Evidence                                         []string
}

func fold(r *event.Record) folded {
	return folded{
		Standing: r.Standing.String(), Origin: r.Label.Origin.String(), Taint: r.Label.Taint.String(), Source: r.Source, Rule: r.Rule, Principal: r.Principal,
		Attributed: r.Attributed, Flagged: r.Flagged, Evidence: slices.Clone(r.Evidence),
	}
}

// ending is the folded state at the end of the day.
type ending struct {
	Records   []folded // in the order in which they were made
	Waiting   int
	Questions []string // what they are about and how they stand
}

// door is one way in.
type door interface {
	begin(session string)
	say(session, text string)
	fetch(session, url, text string)
	store(session, text string)
	run(session string, s step) string // "allow", "ask", "deny"; "" where the door has no commands
	id(session string) string          // of the session in the guard
	end()                              // what is under way is done then
}

// TestOneTraceEveryDoor replays one recorded day through the Go API and through each
// host's hooks, with memory in a file that the file guard keeps, and in a memory server
// behind the MCP proxy: verdicts, labels and the folded state are the same. A memory
// server is told more texts than the one that is to be kept, names of fields among them;
// there the Go API is asked about the same ones.
func TestOneTraceEveryDoor(t *testing.T) {
	day := recordedDay(t)
	type told struct {
		said []said
		end  ending
	}
	var want [2]told // by memory server
	for i, texts := range []func(string) []string{func(text string) []string { return []string{text} }, entityTexts} {
		want[i].said, want[i].end = replay(t, day, func(w *world) door { return &library{w, texts} }, "claude")
	}
	for i, s := range day {
		if (s.Do == "store" || s.Do == "run") && want[0].said[i].Verdict == "" {
			t.Fatalf("the library says nothing of %+v", s)
		}
	}
	for _, host := range hosts.Names() {
		say, ok := speakers[host]
		if !ok {
			t.Errorf("%s is in no trace: add it to speakers", host)
			continue
		}
		for i, memory := range []string{"files", "memory server"} {
			t.Run(host+" "+memory, func(t *testing.T) {
				gotSaid, gotEnd := replay(t, day, func(w *world) door {
					h := &hooked{world: w, speaks: say}
					if memory == "files" {
						return h
					}
					return newGateway(h)
				}, host)
				for n, w := range want[i].said {
					if diff := cmp.Diff(w, gotSaid[n]); diff != "" {
						t.Errorf("%s (-library +host):\n%s", w.Step, diff)
					}
				}
				if diff := cmp.Diff(want[i].end, gotEnd); diff != "" {
					t.Errorf("at the end (-library +host):\n%s", diff)
				}
			})
		}
	}
}

// entity is what a memory server is given to keep a text: under its own words, because a
// name that nobody said would be the agent's.
func entity(text string) map[string]any {
	return map[string]any{"entities": []any{map[string]any{"name": text, "entityType": text, "observations": []any{text}}}}
}

// entityTexts are all texts of that.
func entityTexts(text string) []string {
	v, err := strictjson.Limits{MaxBytes: 1 << 16, MaxDepth: 8}.Parse([]byte(packed(entity(text))))
	if err != nil {
		panic(err)
	}
	var out []string
	for s := range v.Strings() {
		out = append(out, s.String())
	}
	return out
}

// replay plays a day through a door.
func replay(t *testing.T, day []step, open func(*world) door, host string) (all []said, end ending) {
	t.Helper()
	w := newWorld(t, host)
	w.write("$WORK/MEMORY.md", "# Notes\n")
	d := open(w)
	made := make(map[string]hearsay.RecordID)
	var ids []hearsay.RecordID // in the order of the day
	processes := 0
	for i, s := range day {
		out := said{Step: fmt.Sprintf("%d %s %s", i+1, s.Do, s.Text)}
		switch s.Do {
		case "begin":
			processes++
			w.process = fmt.Sprintf("proc-%d", processes)
			d.begin(s.Session)
		case "say":
			d.say(s.Session, s.Text)
		case "fetch":
			d.fetch(s.Session, s.URL, s.Text)
		case "run":
			out.Verdict = d.run(s.Session, s)
		case "store":
			d.store(s.Session, s.Text)
			now := w.records()
			if len(now) != len(ids)+1 {
				t.Fatalf("%s made %d records", out.Step, len(now)-len(ids))
			}
			r := now[slices.IndexFunc(now, func(r *event.Record) bool { return !slices.Contains(ids, r.ID) })]
			ids = append(ids, r.ID)
			out.Verdict, out.Record, made[s.Text] = r.Standing.String(), fold(r), r.ID
		case "review":
			w.review(reviewer.Decision(s.Decision), made[s.Text])
		default:
			t.Fatalf("a step %q", s.Do)
		}
		if s.Session != "" {
			l, err := w.guard.SessionLabel(t.Context(), hearsay.Caller{Principal: "ana", Session: d.id(s.Session)})
			if err != nil {
				t.Fatal(err)
			}
			out.Label = l.Origin.String() + " " + l.Taint.String()
		}
		all = append(all, out)
	}
	d.end()
	for _, id := range ids {
		shown, err := w.guard.Show(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		end.Records = append(end.Records, fold(shown.Record))
	}
	var err error
	if end.Waiting, err = w.guard.CountHeld(t.Context(), "ana"); err != nil {
		t.Fatal(err)
	}
	end.Questions = w.questions()
	w.verify()
	return all, end
}

func (w *world) review(d reviewer.Decision, id hearsay.RecordID) {
	w.t.Helper()
	guardtest.Decide(w.t, w.guard, w.signer, d, id)
}

// library is a program that asks the guard itself.
type library struct {
	*world
	texts func(text string) []string // that are said to the guard where a text is stored
}

func (l *library) id(session string) string { return "lib:" + session }

func (l *library) end() {}

func (l *library) caller(session string) hearsay.Caller {
	return hearsay.Caller{Principal: "ana", Session: l.id(session), Surface: hearsay.SurfaceLib}
}

func (l *library) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *library) begin(session string) {
	_, err := l.guard.Open(l.t.Context(), l.caller(session), guard.Start{})
	l.must(err)
}

func (l *library) say(session, text string) {
	l.must(l.guard.Said(l.t.Context(), l.caller(session), text))
}

func (l *library) fetch(session, url, text string) {
	for _, texts := range [][]string{nil, {text}} {
		_, err := l.guard.Observe(l.t.Context(), l.caller(session), guard.Observation{Source: hearsay.Source{Type: "web", Ref: url}, Texts: texts})
		l.must(err)
	}
}

func (l *library) store(session, text string) {
	c := l.caller(session)
	if known, err := l.guard.Touch(l.t.Context(), c); err != nil || !known {
		l.must(err)
		_, err = l.guard.Open(l.t.Context(), c, guard.Start{Resumed: true})
		l.must(err)
	}
	item := guard.Item{Kind: "note", Parts: []string{text}}
	d, err := l.guard.Write(l.t.Context(), c, guard.Write{
		Store: "library", Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{"notes"}, Op: event.Create, Tool: "put",
		Texts: l.texts(text), Content: []byte(text), Items: []guard.Item{item},
	})
	l.must(err)
	if d.Standing == hearsay.Allowed {
		l.must(l.guard.Applied(l.t.Context(), c, d.ID, guard.Outcome{Delivery: hearsay.Applied, Landed: []guard.Item{item}}))
	}
}

func (l *library) run(session string, s step) string {
	got, err := l.guard.Check(l.t.Context(), l.caller(session), guard.Action{Names: s.Names, Tool: "shell", Target: s.Text, Args: []byte(s.Text)})
	l.must(err)
	switch got.Verdict {
	case hearsay.AllowAction:
		return "allow"
	case hearsay.Deny:
		return "deny"
	}
	return "ask"
}

// hooked is a host whose hooks tell us, with memory in a file.
type hooked struct {
	*world
	speaks speaker
	n      int
}

func (h *hooked) end() {}

func (h *hooked) id(session string) string { return h.dialect.Name() + ":" + session }

// tell sends an event as the host writes it.
func (h *hooked) tell(fields map[string]any) hosts.Reply {
	h.t.Helper()
	data, err := json.Marshal(fields)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.send(string(data))
}

func (h *hooked) call() string {
	h.n++
	return fmt.Sprintf("call-%d", h.n)
}

func (h *hooked) begin(session string) {
	if h.speaks.begin != nil {
		h.tell(h.speaks.begin(session))
		return
	}
	h.tell(h.speaks.prompt(session, "hello")) // its first words begin a conversation
}

func (h *hooked) say(session, text string) { h.tell(h.speaks.prompt(session, text)) }

func (h *hooked) fetch(session, url, text string) {
	for _, e := range h.speaks.fetch(session, h.call(), url, text) {
		if r := h.tell(e); refusal(r) {
			h.t.Fatalf("a page is refused: %s%s", r.Stdout, r.Stderr)
		}
	}
}

func (h *hooked) store(session, text string) {
	file := h.expand("$WORK/MEMORY.md")
	id := h.call()
	before, after := h.speaks.edit(session, id, file, "# Notes\n", "# Notes\n- "+text+"\n")
	if refusal(h.tell(before)) {
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(data), "# Notes\n", "# Notes\n- "+text+"\n", 1)), 0o600); err != nil {
		h.t.Fatal(err)
	}
	h.tell(after)
}

func (h *hooked) run(session string, s step) string {
	before := h.questions()
	r := h.tell(h.speaks.run(session, h.call(), s.Text))
	asked := slices.DeleteFunc(h.questions(), func(q string) bool { return slices.Contains(before, q) || strings.HasSuffix(q, "denied") })
	if len(asked) > 0 {
		if !refusal(r) && !strings.Contains(string(r.Stdout), `"ask"`) {
			h.t.Errorf("a question lets the command run: %s", r.Stdout)
		}
		return "ask"
	}
	if refusal(r) {
		return "deny"
	}
	return "allow"
}

// questions are what was asked, and how it stands, in any order.
func (w *world) questions() (out []string) {
	w.t.Helper()
	for q, err := range w.guard.Questions(w.t.Context()) {
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, fmt.Sprint(q.Names, " ", q.Label.Taint, " ", guard.StateAt(q, time.Now().UnixMilli())))
	}
	slices.Sort(out)
	return out
}

// refusal reports whether a reply stops what it was asked about, in any host's form.
func refusal(r hosts.Reply) bool {
	out := string(r.Stdout)
	return r.Exit == 2 || strings.Contains(out, `"permissionDecision":"deny"`) || strings.Contains(out, `"permission":"deny"`) || strings.HasPrefix(out, `{"decision":"deny"`) ||
		strings.Contains(out, `"decision":"block"`)
}

// gateway is a memory server behind our proxy, in a host whose hooks tell us.
type gateway struct {
	*hooked
	agents map[string]*agentend.Agent // by process of the host
	file   string
}

func newGateway(h *hooked) *gateway {
	return &gateway{hooked: h, agents: make(map[string]*agentend.Agent), file: filepath.Join(h.own, "memory.jsonl")}
}

// connect starts the proxy of a host's process.
func (g *gateway) connect() *agentend.Agent {
	g.t.Helper()
	if a := g.agents[g.process]; a != nil {
		return a
	}
	memory, err := demo.NewMemory(g.file)
	if err != nil {
		g.t.Fatal(err)
	}
	profile, err := mcp.LoadProfile("server-memory")
	if err != nil {
		g.t.Fatal(err)
	}
	if err := g.guard.Serve(g.t.Context(), "ana", g.process, "memory"); err != nil {
		g.t.Fatal(err)
	}
	o := mcp.Options{
		Guard: g.guard, Caller: hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceMCP}, Host: g.process, Profile: profile, Server: "memory",
		Store: "server-memory", Assume: true, Namespace: hearsay.Namespace{"notes"}, Nonce: "n0nce", Poll: time.Hour,
	}
	serverIn, toServer := io.Pipe()
	fromServer, serverOut := io.Pipe()
	go func() { serverOut.CloseWithError(memory.Server().Serve(serverIn, serverOut)) }()
	a, err := agentend.Connect(context.Background(), "trace", func(ctx context.Context, client mcp.Pipe) error {
		defer toServer.Close()
		return mcp.Serve(ctx, client, mcp.Pipe{In: fromServer, Out: toServer}, o)
	})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(g.end)
	g.agents[g.process] = a
	return a
}

// end ends the proxies: what they seal after an answer is sealed then.
func (g *gateway) end() {
	for process, a := range g.agents {
		if err := a.Close(); err != nil {
			g.t.Error(err)
		}
		delete(g.agents, process)
	}
}

func (g *gateway) store(session, text string) {
	a := g.connect()
	before, after := g.speaks.call(session, g.call(), "create_entities", entity(text))
	if r := g.tell(before); refusal(r) {
		g.t.Fatalf("the hook decides what the proxy decides: %s%s", r.Stdout, r.Stderr)
	}
	if _, err := a.Call("create_entities", entity(text)); err != nil {
		g.t.Fatal(err)
	}
	g.tell(after)
}
