package sqlite_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
)

const logID = "test/log"

// childEnv makes the test binary another process on a store: "DIR KEY NAME COUNT STEP AT".
// It appends COUNT records and prints each when it is acknowledged; where STEP is one of
// sqlite.Steps, it kills itself there in its AT-th commit. One whose NAME is "brief" is a
// brief process.
const childEnv = "HEARSAY_TEST_STORE_CHILD"

func TestMain(m *testing.M) {
	if args, ok := os.LookupEnv(childEnv); ok {
		if err := child(strings.Fields(args)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func child(args []string) (err error) {
	dir, key, name, step := args[0], args[1], args[2], args[4]
	count, err1 := strconv.Atoi(args[3])
	at, err2 := strconv.Atoi(args[5])
	signer, err3 := note.NewSigner(key)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	commits := 0
	s, err := openHome(context.Background(), dir, signer, func(o sqlite.Options) sqlite.Options {
		o.Brief = name == "brief"
		return o.WithFault(func(reached string) {
			if reached == sqlite.Steps[0] {
				commits++
			}
			if reached == step && commits == at {
				die()
			}
		})
	})
	if err != nil {
		return err
	}
	for n := range count {
		events, err := s.Update(context.Background(), func(tx guard.Tx) ([]event.Draft, error) {
			return []event.Draft{written(fmt.Sprintf("%s/%d", name, n), tx.Now())}, nil
		})
		if err != nil {
			return err
		}
		fmt.Println(events[0].Seq, events[0].Subject)
	}
	return s.Close()
}

// die ends this process as kill -9 does.
func die() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// written drafts a record with words.
func written(words string, at int64) event.Draft {
	var random [10]byte
	rand.Read(random[:])
	return event.Draft{
		Event: event.Event{Kind: event.WriteAllowed, Record: &event.Record{
			ID: hearsay.NewRecordID(at, random), Standing: hearsay.Allowed, Delivery: hearsay.Intent,
			Label: hearsay.LabelIdentity, Source: "user", Principal: "ana", Session: "session-1", Surface: hearsay.SurfaceLib,
			Store: "store", Namespace: hearsay.Namespace{"lessons"}, Op: event.Create, Rule: "own-words", Weight: 1,
		}},
		Side: event.Side{Ref: words, Content: []byte(words)},
	}
}

// openHome opens the store of a home with the home's lock.
func openHome(ctx context.Context, dir string, signer note.Signer, change func(sqlite.Options) sqlite.Options) (*sqlite.Store, error) {
	h, err := home.Open(dir)
	if err != nil {
		return nil, err
	}
	o := sqlite.Options{Path: h.Path(home.FileStore), LogID: logID, Signer: signer, Lock: h.Lock, Deadline: time.Minute}
	if change != nil {
		o = change(o)
	}
	return sqlite.Open(ctx, o)
}

// site is a home that several processes use.
type site struct {
	t        testing.TB
	dir, key string
	signer   note.Signer
	keys     note.Verifiers
}

func newSite(t testing.TB) *site {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, logID)
	if err != nil {
		t.Fatal(err)
	}
	v := &site{t: t, dir: filepath.Join(t.TempDir(), "home"), key: private}
	if v.signer, err = note.NewSigner(private); err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	v.keys = note.VerifierList(verifier)
	if _, err := home.Create(v.dir); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *site) path() string { return filepath.Join(v.dir, home.FileStore) }

// open opens the site's store for as long as the test runs.
func (v *site) open(change func(sqlite.Options) sqlite.Options) *sqlite.Store {
	v.t.Helper()
	s, err := openHome(context.Background(), v.dir, v.signer, change)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			v.t.Errorf("close: %v", err)
		}
	})
	return s
}

// child starts a process on the site.
func (v *site) child(name string, count int, step string, at int) (*exec.Cmd, *bufio.Scanner) {
	v.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		v.t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %d %s %d", childEnv, v.dir, v.key, name, count, step, at))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		v.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// oracle is what must hold whatever happened: everything verifies, and what was
// acknowledged ("SEQ SUBJECT" each) is in the log where it was said to be. It returns the
// size of the log.
func (v *site) oracle(s guard.Store, acked []string) int64 {
	v.t.Helper()
	rep, err := guard.Verify(context.Background(), s, guard.Expect{Keys: v.keys})
	if err != nil || !rep.Consistent {
		v.t.Fatalf("verify: %v, %v", err, rep.Fault)
	}
	if rep.Rows != rep.Entries || rep.Sides != rep.Entries {
		v.t.Errorf("%d rows and %d side blobs of %d records", rep.Rows, rep.Sides, rep.Entries)
	}
	there := make(map[string]bool, rep.Entries)
	for entry, err := range s.Log(context.Background(), 0) {
		if err != nil {
			v.t.Fatal(err)
		}
		e, err := event.Decode(entry.Body)
		if err != nil {
			v.t.Fatal(err)
		}
		there[fmt.Sprint(e.Seq, " ", e.Subject)] = true
	}
	for _, a := range acked {
		if !there[a] {
			v.t.Errorf("acknowledged and lost: %s", a)
		}
	}
	return rep.Entries
}
