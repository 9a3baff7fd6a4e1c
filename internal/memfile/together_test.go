package memfile_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// Released writes are made while another session looks at the files all the time and a
// person saves lines of their own. No line is lost and none stands twice, and no line's
// label rises: not of those that came from a page, not of those that nobody was seen
// writing.
func TestTwoAgentsAndAPerson(t *testing.T) {
	w := newWorld(t)
	w.put("MEMORY.md", "# Notes\n"+mine+"\n")
	w.settle("MEMORY.md", true)
	const each = 12
	ids := make(map[string]hearsay.RecordID)
	for i := range each {
		line := fmt.Sprintf("- %s, number %d", strings.TrimPrefix(theirs, "- "), i)
		ids[line] = w.release(memfile.Edit{Path: w.path("MEMORY.md"), Old: "# Notes\n", New: "# Notes\n" + line + "\n"})
	}
	stop := make(chan struct{})
	var side sync.WaitGroup
	side.Go(func() { // another session's hook
		tr := &memfile.Tracker{Guard: w.guard, Caller: caller()}
		for {
			select {
			case <-stop:
				return
			default:
			}
			if s, err := tr.Look(t.Context(), w.path("MEMORY.md")); err == nil {
				_ = tr.Settle(t.Context(), s) // refused where somebody else recorded the file
			}
		}
	})
	said := 0
	side.Go(func() { // a person, whose editor looks before it saves
		for {
			select {
			case <-stop:
				return
			case <-time.After(3 * time.Millisecond):
			}
			now, err := memfile.Read(w.path("MEMORY.md"))
			if err != nil || now == nil {
				continue
			}
			after := slices.Concat(now, fmt.Appendf(nil, "- said by hand, %d\n", said))
			if memfile.Write(memfile.Image{Path: w.path("MEMORY.md"), Before: now, After: after}) == nil {
				said++
			}
		}
	})
	got, err := memfile.Deliver(t.Context(), w.guard, caller())
	close(stop)
	side.Wait()
	if err != nil || len(got) != each {
		t.Fatalf("%+v, %v", got, err)
	}
	// What was cut short by the others is looked for at the next start.
	if _, err := memfile.Deliver(t.Context(), w.guard, caller()); err != nil {
		t.Error(err)
	}
	text, labels := w.text("MEMORY.md"), w.labels("MEMORY.md")
	made := 0
	for line, id := range ids {
		n := strings.Count(text, line+"\n")
		switch d := w.delivery(id); {
		case d == hearsay.Applied && n == 1:
			made++
			if l := labels[line]; !l.Taint.Has("web") {
				t.Errorf("%q is %s", line, l)
			}
		case d == hearsay.Failed && n == 0: // the person was first: it can be released anew
		default:
			t.Errorf("%q stands there %d times and is %s", line, n, d)
		}
	}
	for i := range said {
		line := fmt.Sprintf("- said by hand, %d", i)
		if n := strings.Count(text, line+"\n"); n != 1 {
			t.Errorf("%q stands there %d times", line, n)
		}
		if l := labels[line]; l.Origin > hearsay.Unverified {
			t.Errorf("%q is %s", line, l)
		}
	}
	if strings.Count(text, mine) != 1 {
		t.Errorf("the line that was there is gone or twice")
	}
	if made == 0 {
		t.Error("no write was made")
	}
	t.Logf("%d of %d writes made, %d lines of the person", made, each, said)
	w.verify()
}
