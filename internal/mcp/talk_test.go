package mcp

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/guardtest"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// TestTalks plays the conversations of testdata/talks through a proxy. Each is a
// story in its comment and one file, "talk", with a line for each thing that happens:
//
//	c> …    the client sends the line
//	s< …    the server gets the line
//	s> …    the server sends the line
//	c< …    the client gets the line
//	- …     something else happens, see the words of step
//
// In what is got, … stands for any text without a line end, and $NAME for any JSON
// string or number at its first use and for the same one later. The options of the
// proxy stand in the file "options", a word each.
func TestTalks(t *testing.T) {
	files, err := filepath.Glob("testdata/talks/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no talks: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(string(a.Comment)) == "" {
				t.Error("the talk tells no story")
			}
			var options, lines string
			for _, f := range a.Files {
				switch f.Name {
				case "options":
					options = string(f.Data)
				case "talk":
					lines = string(f.Data)
				default:
					t.Fatalf("unknown file %s", f.Name)
				}
			}
			newTalk(t, options).play(lines)
		})
	}
}

// talk is a conversation under way.
type talk struct {
	*bench
	caller hearsay.Caller
	peer   *peer
	server *upstream
	names  map[string]string // of $NAME
	again  func()            // connects anew
}

func newTalk(t *testing.T, options string) *talk {
	b := newBench(t)
	k := &talk{bench: b, caller: b.caller("session-1"), names: make(map[string]string)}
	o := Options{Guard: b.guard, Server: "web", Store: "store", Namespace: hearsay.Namespace{"memory"},
		Nonce: "n0nce", Poll: 5 * time.Millisecond}
	for word := range strings.FieldsSeq(options) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "profile":
			p, err := LoadProfile(value)
			if err != nil {
				t.Fatal(err)
			}
			o.Profile, o.Server = p, "memory"
		case "assume":
			o.Assume = true
		case "namespace":
			o.Namespace = strings.Split(value, "/")
		default:
			t.Fatalf("unknown option %s", word)
		}
	}
	k.again = func() { o.Caller = k.caller; k.peer, k.server = behind(t, o) }
	k.again()
	return k
}

func (k *talk) play(lines string) {
	n := 0
	for line := range strings.SplitSeq(lines, "\n") {
		n++
		who, text, _ := strings.Cut(line, " ")
		text = k.known(text)
		switch who {
		case "c>":
			// Records are listed by their ids, and those of one millisecond are in no order.
			for at := time.Now().UnixMilli(); time.Now().UnixMilli() <= at; {
				time.Sleep(100 * time.Microsecond)
			}
			k.peer.send(text)
		case "s>":
			k.server.line(text)
		case "s<":
			k.match(n, "the server", text, k.server.next())
		case "c<":
			k.match(n, "the client", text, k.peer.line())
		case "-":
			k.step(n, text)
		case "", "#":
		default:
			k.t.Fatalf("line %d: unknown word %q", n, who)
		}
		if k.t.Failed() {
			return
		}
	}
}

var name = regexp.MustCompile(`\$[A-Z]+`)

// known puts in the names that were bound.
func (k *talk) known(text string) string {
	return name.ReplaceAllStringFunc(text, func(n string) string {
		if v, ok := k.names[n]; ok {
			return v
		}
		return n
	})
}

// match compares what was got and binds names.
func (k *talk) match(n int, who, want, got string) {
	k.t.Helper()
	var fresh []string
	pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "…", ".*")
	pattern = regexp.MustCompile(`\\\$[A-Z]+`).ReplaceAllStringFunc(pattern, func(n string) string {
		fresh = append(fresh, n[1:])
		return `("[^"]*"|[-0-9.eE+]+)`
	})
	found := regexp.MustCompile(`^` + pattern + `$`).FindStringSubmatch(got)
	if found == nil {
		k.t.Errorf("line %d: %s got\n%s\nwant\n%s", n, who, got, want)
		return
	}
	for i, name := range fresh {
		k.names[name] = found[i+1]
	}
}

// step does what is no message.
func (k *talk) step(n int, text string) {
	k.t.Helper()
	words := strings.Fields(text)
	switch words[0] {
	case "observe": // TYPE REF: the session reads something elsewhere
		if _, err := k.guard.Observe(k.t.Context(), k.caller, guard.Observation{Source: hearsay.Source{Type: words[1], Ref: words[2]}, Tool: "fetch"}); err != nil {
			k.t.Fatal(err)
		}
	case "session": // clean|tainted: the session is that
		label, err := k.guard.SessionLabel(k.t.Context(), k.caller)
		if err != nil || label.Tainted() != (words[1] == "tainted") {
			k.t.Errorf("line %d: the session is %s, %v; want it %s", n, label, err, words[1])
		}
	case "records": // STANDING/DELIVERY…: those are the records, oldest first
		var got []string
		for r, err := range k.guard.List(k.t.Context(), guard.Query{}) {
			if err != nil {
				k.t.Fatal(err)
			}
			got = append(got, r.Standing.String()+"/"+r.Delivery.String())
		}
		if strings.Join(got, " ") != strings.Join(words[1:], " ") {
			k.t.Errorf("line %d: the records are %v, want %v", n, got, words[1:])
		}
	case "settled": // DELIVERY: the newest record becomes that
		k.settled(n, words[1])
	case "approve":
		k.decide(reviewer.Approve, k.newest(event.QueueReview))
	case "reject":
		k.decide(reviewer.Reject, k.newest(event.QueueReview))
	case "parents": // N: the newest record has so many
		shown, err := k.guard.Show(k.t.Context(), k.newest(event.QueueNone))
		if err != nil || strconv.Itoa(len(shown.Record.Parents)) != words[1] {
			k.t.Errorf("line %d: the newest record: %+v, %v; want %s parents", n, shown, err, words[1])
		}
	case "source": // TYPE: the newest record speaks with it
		shown, err := k.guard.Show(k.t.Context(), k.newest(event.QueueNone))
		if err != nil || shown.Record.Source != words[1] {
			k.t.Errorf("line %d: the newest record: %+v, %v; want source %s", n, shown, err, words[1])
		}
	case "revoke":
		k.decide(reviewer.Revoke, k.newest(event.QueueNone))
	case "reconnect": // after ended: a new proxy and a new server, over the same records
		k.again()
	case "as": // PRINCIPAL SESSION: the same for another session, the last client having left
		if err := k.peer.to.Close(); err != nil {
			k.t.Fatal(err)
		}
		<-k.peer.done
		k.caller = k.bench.callerOf(words[1], words[2])
		k.again()
	case "server": // ends
		if err := k.server.say.Close(); err != nil {
			k.t.Fatal(err)
		}
	case "ended": // the proxy ended, with an error
		if err := <-k.peer.done; err == nil {
			k.t.Errorf("line %d: the proxy ended without an error", n)
		}
	case "verify":
		k.verify()
	default:
		k.t.Fatalf("line %d: unknown step %q", n, text)
	}
}

// newest is the youngest record of a queue.
func (k *talk) newest(q event.Queue) hearsay.RecordID {
	k.t.Helper()
	for r, err := range k.guard.List(k.t.Context(), guard.Query{Queue: q, Newest: true, Limit: 1}) {
		if err != nil {
			k.t.Fatal(err)
		}
		return r.ID
	}
	k.t.Fatal("there is no record")
	return hearsay.RecordID{}
}

// settled waits until a delivery is sealed, by keeping the proxy busy.
func (k *talk) settled(n int, want string) {
	k.t.Helper()
	id := k.newest(event.QueueNone)
	got := ""
	// By the clock and not by turns: how many pings pass before a disk is done says nothing.
	for end := time.Now().Add(guardtest.Patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		shown, err := k.guard.Show(k.t.Context(), id)
		if err != nil {
			k.t.Fatal(err)
		}
		if got = shown.Record.Delivery.String(); got == want {
			return
		}
		k.peer.send(`{"jsonrpc":"2.0","id":"settled","method":"ping"}`)
		if line := k.server.next(); !strings.Contains(line, `"ping"`) {
			k.t.Fatalf("line %d: the server got %s", n, line)
		}
		k.server.line(`{"jsonrpc":"2.0","id":"settled","result":{}}`)
		k.peer.line()
	}
	k.t.Errorf("line %d: the newest record is %s, want %s", n, got, want)
}
