package attack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/mcp/agentend"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// Options say what to play.
type Options struct {
	Surface string   // "engine" or "mcp"; empty: both
	Only    string   // id of one scenario; empty: all
	Memory  []string // command of the real memory server; empty: the mcp surface is skipped
}

// Result is how one scenario went at one surface.
type Result struct {
	ID      string `json:"id"`
	Surface string `json:"surface"`
	Title   string `json:"title"`
	Result  string `json:"result"`           // "pass", "fail" or "skip"
	Detail  string `json:"detail,omitempty"` // why it failed or was skipped
}

// door is a surface, as scenarios use it.
type door interface {
	// write asks for a memory write and returns what came of it and its record.
	write(ctx context.Context, s *session, w write) (outcome string, id hearsay.RecordID, err error)
	// recall returns everything that the surface shows of the texts.
	recall(ctx context.Context, s *session, texts []string) (string, error)
	// frame sends one raw frame; errNoDoor where the surface has none.
	frame(ctx context.Context, s *session, raw string) (outcome string, id hearsay.RecordID, err error)
	// released waits until a released record was applied.
	released(ctx context.Context, id hearsay.RecordID) error
	close() error
}

// errNoDoor says that a surface has no door for a scenario.
var errNoDoor = errors.New("the surface has no door for this")

// write is a write of a scenario.
type write struct {
	verb      string // write, user, unmarked, derive, foreign
	owner     string
	namespace string
	text      string
	parent    hearsay.RecordID
}

// session is a session of a scenario.
type session struct {
	name   string
	caller hearsay.Caller
}

// Run plays scenarios and returns a result for each at each surface. An error is one
// of the means, not of the guard.
func Run(ctx context.Context, o Options) ([]Result, error) {
	all, err := Scenarios()
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, surface := range [...]string{"engine", "mcp"} {
		if o.Surface != "" && o.Surface != surface {
			continue
		}
		for _, s := range all {
			if o.Only != "" && o.Only != s.ID {
				continue
			}
			r := Result{ID: s.ID, Surface: surface, Title: s.Title, Result: "pass"}
			err := play(ctx, s, surface, o)
			switch {
			case errors.Is(err, errNoDoor):
				continue
			case errors.Is(err, errSkip):
				r.Result, r.Detail = "skip", err.Error()
			case err != nil:
				r.Result, r.Detail = "fail", err.Error()
			}
			results = append(results, r)
		}
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("no scenario %q at surface %q", o.Only, o.Surface)
	}
	return results, nil
}

// errSkip says that a surface cannot be played here.
var errSkip = errors.New("the real memory server is not installed: set HEARSAY_NPM_DIR to its node_modules, or run `make deps`")

// stage is where one scenario is played.
type stage struct {
	dir      string
	in       *instance.Instance
	door     door
	signer   *reviewer.Signer
	sessions map[string]*session
	last     hearsay.RecordID
	outcome  string
	shown    string
	asked    []string
}

func play(ctx context.Context, s Scenario, surface string, o Options) (err error) {
	if surface == "mcp" && len(o.Memory) == 0 {
		return errSkip
	}
	dir, err := os.MkdirTemp("", "hearsay-attack-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	st := &stage{dir: dir, sessions: make(map[string]*session)}
	defer func() { err = errors.Join(err, st.close()) }()
	for _, m := range s.moves {
		if m.verb == "policy" {
			if err := st.begin(ctx, m.args[0], surface, o); err != nil {
				return err
			}
			continue
		}
		if st.in == nil {
			return fmt.Errorf("line %d: a script begins with its policy", m.line)
		}
		if err := st.move(ctx, m); err != nil {
			return fmt.Errorf("line %d (%s): %w", m.line, m.verb, err)
		}
	}
	return nil
}

// begin makes the home and opens the door.
func (st *stage) begin(ctx context.Context, profile, surface string, o Options) error {
	home := filepath.Join(st.dir, "home")
	if _, err := people.Create(ctx, people.Setup{
		Dir: home, Principal: "ana", Profile: profile, Reviewer: "ana", Unprotected: true, WorkFactor: 10,
	}); err != nil {
		return err
	}
	var err error
	if st.in, err = instance.Open(ctx, home, instance.Options{Deadline: agentend.Patience}); err != nil {
		return err
	}
	if st.signer, err = people.Signer(st.in, "ana", ""); err != nil {
		return err
	}
	if surface == "mcp" {
		st.door, err = newProxies(st.in, st.dir, o.Memory)
	} else {
		st.door = &engine{guard: st.in.Guard}
	}
	return err
}

func (st *stage) close() error {
	var errs []error
	if st.door != nil {
		errs = append(errs, st.door.close())
	}
	if st.in != nil {
		errs = append(errs, st.in.Close())
	}
	return errors.Join(errs...)
}

// move plays one line.
func (st *stage) move(ctx context.Context, m move) error {
	switch m.verb {
	case "session":
		c := hearsay.Caller{Principal: m.args[1], Session: "proc-" + m.args[0] + "-of-a-scenario", Surface: hearsay.SurfaceMCP}
		st.sessions[m.args[0]] = &session{name: m.args[0], caller: c}
		_, err := st.in.Guard.Open(ctx, c, guard.Start{})
		return err
	case "approve":
		return st.approve(ctx)
	case "tamper":
		return tamper(st.in, m.args[0], st.last)
	case "verify":
		return st.verify(ctx)
	case "expect":
		return st.expect(m.args[0])
	}
	s, ok := st.sessions[m.args[0]]
	if !ok {
		return fmt.Errorf("no session %q", m.args[0])
	}
	var err error
	switch m.verb {
	case "read":
		_, err = st.in.Guard.Observe(ctx, s.caller, guard.Observation{Source: hearsay.Source{Type: m.args[1], Ref: m.args[2]}})
	case "write", "user", "unmarked", "derive":
		err = st.write(ctx, s, write{verb: m.verb, namespace: m.args[1], text: m.args[2], parent: st.last})
	case "foreign":
		err = st.write(ctx, s, write{verb: m.verb, owner: m.args[1], namespace: m.args[2], text: m.args[3]})
	case "recall":
		st.asked = m.args[1:]
		st.shown, err = st.door.recall(ctx, s, st.asked)
	case "flood":
		st.asked = m.args[1:]
		st.shown, err = st.door.recall(ctx, s, st.asked[1:])
	case "frame":
		var id hearsay.RecordID
		st.outcome, id, err = st.door.frame(ctx, s, m.args[1])
		if !id.IsZero() {
			st.last = id
		}
	default:
		err = errors.New("unknown move")
	}
	return err
}

func (st *stage) write(ctx context.Context, s *session, w write) error {
	outcome, id, err := st.door.write(ctx, s, w)
	if err != nil {
		return err
	}
	st.outcome, st.last = outcome, id
	return nil
}

// approve releases the last record and waits until it was applied.
func (st *stage) approve(ctx context.Context) error {
	shown, err := st.in.Guard.Show(ctx, st.last)
	if err != nil {
		return err
	}
	if _, err := st.in.Decide(ctx, st.signer, shown.Record, reviewer.Approve, ""); err != nil {
		return err
	}
	return st.door.released(ctx, st.last)
}

// verify verifies the store and keeps what it found.
func (st *stage) verify(ctx context.Context) error {
	rep, err := st.in.Verify(ctx, nil)
	if err != nil {
		return err
	}
	st.outcome = "consistent"
	if rep.Fault != nil {
		st.outcome = string(rep.Fault.Kind)
	}
	return nil
}

// expect compares what came of the last move.
func (st *stage) expect(want string) error {
	switch want {
	case "hidden", "shown":
		for _, text := range st.asked {
			if strings.Contains(st.shown, text) != (want == "shown") {
				return fmt.Errorf("want %q %s", text, want)
			}
		}
		return nil
	case "capped":
		most, seen := int(st.asked[0][0]-'0'), 0
		for _, text := range st.asked[1:] {
			if strings.Contains(st.shown, text) {
				seen++
			}
		}
		if seen != most || !strings.Contains(st.shown, "left out") {
			return fmt.Errorf("%d of the flood are shown, want %d and an announcement of the rest", seen, most)
		}
		return nil
	}
	if st.outcome != want {
		return fmt.Errorf("it was %s, want %s", st.outcome, want)
	}
	return nil
}
