package memtool_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// last is the last record of an operation.
func (w *world) last(op event.Op) (id hearsay.RecordID) {
	w.t.Helper()
	for r, err := range w.guard.List(w.t.Context(), guard.Query{Match: func(r *event.Record) bool { return r.Op == op }}) {
		w.must(err)
		id = r.ID
	}
	return id
}

// What a command did a person takes back, and no line rises by it. What was renamed is put
// back and left where it went, which is told: nothing is lost.
func TestRevoke(t *testing.T) {
	const base = "mine\ntheirs\n"
	for name, c := range map[string]struct {
		op    event.Op
		do    []any
		moved string // what is left besides
	}{
		"create":      {event.Create, []any{"path", "/memories/n.md", "file_text", "new\n"}, ""},
		"insert":      {event.Update, []any{"path", "/memories/m.md", "insert_line", 0, "insert_text", "new\n"}, ""},
		"str_replace": {event.Update, []any{"path", "/memories/m.md", "old_str", "mine\n", "new_str", "new\n"}, ""},
		"delete":      {event.Delete, []any{"path", "/memories/m.md"}, ""},
		"rename":      {event.Update, []any{"old_path", "/memories/m.md", "new_path", "/memories/d/n.md"}, "/memories/d/n.md"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			h := w.session("s1")
			w.ok(h, "create", "path", "/memories/m.md", "file_text", "mine\n")
			w.release(w.held(w.tainted("s2"), "insert", "path", "/memories/m.md", "insert_line", 1, "insert_text", "theirs"))
			w.ok(h, name, c.do...)
			w.decide(w.last(c.op), reviewer.Revoke)
			if d := w.deliver(); d.Delivery != hearsay.Withdrawn || d.Conflict != "" || (d.Warning != "") != (c.moved != "") {
				t.Errorf("%+v", d)
			}
			want := map[string]string{"/memories/m.md": base}
			if c.moved != "" {
				want[c.moved] = base
			}
			if d := cmp.Diff(want, onDisk(t, w.dir)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			for path := range want {
				labels := w.labels(strings.TrimPrefix(path, "/memories/"))
				if labels["mine"] != agentLabel || !labels["theirs"].Taint.Has("web") {
					t.Errorf("%s: %v", path, labels)
				}
			}
			w.verify()
		})
	}
}
