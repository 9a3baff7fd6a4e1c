package memory

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/mark"
	"github.com/hearsay-memory/hearsay/policy"
	"github.com/hearsay-memory/hearsay/recall"
)

// Ask is a question to the memory.
type Ask struct {
	Query     string            // words in any language; none: the newest are ranked
	K         int               // trusted results wanted; 0: 10, at most 100
	Namespace hearsay.Namespace // prefix, whole segments; nil: all of the principal
	Kinds     []recall.Kind     // nil: all
	Tags      []string          // all of them
	Project   string            // canonical real path: what belongs to another one is left out; empty: any
	Context   []string          // tags and words of what the session is about
	Budget    int               // bytes of marked text; 0: 64 KiB
	Vector    []float32         // of the query, by the store's embedder; nil: that is asked
	Explain   bool
}

// Bounds of an answer.
const (
	defaultK      = 10
	maxK          = 100
	defaultBudget = 64 << 10
	maxContext    = 64
)

// Result is one memory as an agent may see it. Of the words in the [Memory] that somebody
// else wrote, a stranger's are marked and all are defanged; its Text is in [Result.Text].
type Result struct {
	Memory
	Text    string        // marked by origin
	Receipt string        // one line, see package mark
	Flags   recall.Flags  // not of the rank
	Score   float64       // 0 … 1
	Parts   []recall.Part // with Explain
}

// Answer is what an agent is told. See [mark.Omitted] and [mark.Withheld] for how.
type Answer struct {
	Results  []Result           // best first
	Omitted  []hearsay.RecordID // left out by the cap of untrusted results or by the budget
	Withheld int                // held, or low in trust under recall.quarantine: enforce
	Label    hearsay.Label      // of the session after it
}

func (a *Ask) check() error {
	switch {
	case a.K < 0 || a.K > maxK:
		return fmt.Errorf("recall: k is %d: want 1 to %d", a.K, maxK)
	case a.Budget < 0:
		return fmt.Errorf("recall: the budget is %d bytes: want 1 or more", a.Budget)
	case len(a.Tags) > MaxTags || len(a.Context) > maxContext:
		return fmt.Errorf("recall: %d tags and %d words of context: at most %d and %d", len(a.Tags), len(a.Context), MaxTags, maxContext)
	}
	if i := slices.IndexFunc(a.Kinds, func(k recall.Kind) bool { return !known(k) }); i >= 0 {
		return fmt.Errorf("recall: kind %d is not one: see docs/memory.md", a.Kinds[i])
	}
	if err := a.Namespace.Check(); err != nil {
		return fmt.Errorf("recall: %w", err)
	}
	if a.Vector != nil {
		v := slices.Clone(a.Vector)
		if err := recall.Normalize(v); err != nil {
			return fmt.Errorf("recall: the query's %w", err)
		}
		a.Vector = v
	}
	return nil
}

// Recall finds what answers a question, best first, and seals what the session takes in by
// that before it returns. The trusted results and their order are the same whatever
// untrusted memories there are, see [recall.Select].
func (s *Store) Recall(ctx context.Context, c hearsay.Caller, a Ask) (Answer, error) {
	if err := s.ours(c); err != nil {
		return Answer{}, err
	}
	if err := a.check(); err != nil {
		return Answer{}, err
	}
	if a.K == 0 {
		a.K = defaultK
	}
	if a.Budget == 0 {
		a.Budget = defaultBudget
	}
	at := time.Now()
	to, err := s.aim(ctx, &a, at.Add(embedWait))
	if err != nil {
		return Answer{}, fmt.Errorf("recall: %w", err)
	}
	var out answered
	withheld := 0
	if err := s.believed(func(last bool) error {
		var chosen recall.Answer
		if err := s.use(ctx, func(conn *sqlite.Conn) (err error) {
			chosen, withheld, err = s.choose(conn, c, &a, to, at)
			return err
		}); err != nil {
			return err
		}
		var err error
		out, err = s.answer(ctx, c, chosen, a.Budget, a.Explain, last)
		return err
	}); err != nil {
		return Answer{}, fmt.Errorf("recall: %w", err)
	}
	out.Answer.Withheld += withheld
	s.learn(out.shown, at)
	return out.Answer, nil
}

// choose ranks what the index has, also by where the query points; nil: nobody knows.
func (s *Store) choose(conn *sqlite.Conn, c hearsay.Caller, a *Ask, to *aim, at time.Time) (recall.Answer, int, error) {
	rules := s.guard.Policy()
	q := recall.Query{
		At: at, Principal: s.principal, Within: a.Namespace, Ceilings: rules.CeilingTable(), K: a.K, MaxUntrusted: rules.MaxUntrusted(),
		Context: recall.Context{Project: a.Project, Tags: a.Context},
	}
	f := filter{namespace: a.Namespace, kinds: a.Kinds, tags: a.Tags, project: a.Project}
	looked := terms(a.Query)
	search := func(p part, f filter, most int, scale float64) (found, error) {
		f.in = p
		if a.Query == "" && to == nil {
			list, err := s.latest(conn, p.of, &f, most)
			return found{list: list}, err
		}
		out, err := s.candidates(conn, p.of, looked, &f, most, scale)
		if err != nil || to == nil {
			return out, err
		}
		near, err := s.near(conn, p, to, f, most)
		out.list = either(out.list, near)
		return out, err
	}
	ours, err := search(trustedPart, f, max(64, 4*a.K), 0)
	if err != nil {
		return recall.Answer{}, 0, err
	}
	// Strangers are looked for apart: however many there are, they hide nothing that the
	// user imported.
	trusted, rest := ours.list, []recall.Candidate(nil)
	for _, of := range [...]struct {
		part
		most int
	}{{strangersPart, q.MaxUntrusted}, {othersPart, a.K}} {
		more, err := search(of.part, f, max(32, 4*of.most), ours.best)
		if err != nil {
			return recall.Answer{}, 0, err
		}
		rest = append(rest, more.list...)
	}
	withheld := len(rest)
	if rules.Recall().Quarantine == policy.QuarantineEnforce {
		rest = slices.DeleteFunc(rest, func(c recall.Candidate) bool { return c.Memory.Label.Origin.LowTrust() && !c.Memory.Vetted })
	}
	withheld -= len(rest)
	trusted, g, err := s.around(conn, &q.Ceilings, trusted, rest, &f, at)
	if err != nil {
		return recall.Answer{}, 0, err
	}
	chosen, err := recall.Select(q, trusted, rest, g)
	if err != nil {
		return recall.Answer{}, 0, err
	}
	if n := chosen.Count(recall.Malformed) + chosen.Count(recall.Misplaced) + chosen.Count(recall.Foreign); n > 0 {
		return recall.Answer{}, 0, fmt.Errorf("%d memories of the index are not what it says: %w", n, errUnusable)
	}
	return chosen, withheld, nil
}

// answered is an answer and what of the choice is in it.
type answered struct {
	Answer
	shown recall.Answer
}

// answer reads what was chosen as it was sealed, cuts it to a budget, lets the guard decide
// and seal, and marks what may be seen. last leaves out what the index is wrong about.
func (s *Store) answer(ctx context.Context, c hearsay.Caller, chosen recall.Answer, budget int, explain, last bool) (out answered, err error) {
	nonce, err := newNonce()
	if err != nil {
		return out, err
	}
	rows := make([]recall.Memory, len(chosen.Results))
	for i := range rows {
		rows[i] = chosen.Results[i].Memory
	}
	memories, wrong, err := s.sealed(ctx, rows)
	if err != nil {
		return out, err
	}
	if err := s.doubt(wrong, last); err != nil {
		return out, err
	}
	now := time.Now().UnixMilli()
	marked := make(map[hearsay.RecordID]Result, len(memories))
	right := chosen.Results[:0:0]
	for i, m := range memories {
		if m == nil {
			continue
		}
		r := chosen.Results[i]
		shown := m.result(nonce, now)
		shown.Score = r.Score
		if explain {
			shown.Parts = r.Terms.Parts()
		}
		marked[m.ID] = shown
		right = append(right, r)
	}
	chosen.Results = right
	chosen = chosen.Cut(budget, func(r *recall.Result) int {
		m := marked[r.Memory.ID]
		return len(m.Text) + len(m.Receipt)
	})
	ids := make([]hearsay.RecordID, len(chosen.Results))
	for i := range ids {
		ids[i] = chosen.Results[i].Memory.ID
	}
	seen, err := s.guard.RecallRecords(ctx, c, ids)
	if err != nil {
		return out, err
	}
	out.Label, out.Withheld = seen.Label, seen.Hidden
	for _, o := range chosen.Omitted {
		if o.Reason == recall.OverCap || o.Reason == recall.OverBudget {
			out.Omitted = append(out.Omitted, o.ID)
		}
	}
	out.Omitted = append(out.Omitted, seen.Omitted...)
	for i, it := range seen.Items {
		if it.Show != guard.Pass {
			continue
		}
		r := marked[it.Record]
		if r.Links, err = s.servedAmong(ctx, r.Links); err != nil {
			return out, err
		}
		r.Flags = recall.Flags{Origin: it.Label.Origin, LowTrust: it.Label.Origin.LowTrust() || it.Label.Tainted(), Pending: it.Pending}
		r.Memory.Pending = it.Pending
		out.Results = append(out.Results, r)
		out.shown.Results = append(out.shown.Results, chosen.Results[i])
	}
	return out, nil
}

// servedAmong returns those of some memories that are served: what is held is not there,
// not even as the end of a link.
func (s *Store) servedAmong(ctx context.Context, ids []hearsay.RecordID) (there []hearsay.RecordID, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.use(ctx, func(conn *sqlite.Conn) error {
		there = nil
		for _, id := range ids {
			_, ok, err := s.find(conn, id)
			if err != nil {
				return err
			}
			if ok {
				there = append(there, id)
			}
		}
		return nil
	})
	return there, err
}

// result marks a memory for the eyes of an agent.
func (m *Memory) result(nonce string, now int64) Result {
	r := Result{
		Memory: *m, Text: mark.Text(nonce, m.Label.Origin, m.Doc.Text),
		Receipt: mark.Receipt(m.Heading(), m.Kind.String(), age(m.Created, now), m.Label.Origin),
	}
	r.Memory.Doc.Text = ""
	r.Memory.Title, r.Memory.Subject = m.safe(nonce, m.Title), m.safe(nonce, m.Subject)
	r.Memory.Source.Ref, r.Memory.Source.Actor = m.safe(nonce, m.Source.Ref), m.safe(nonce, m.Source.Actor)
	r.Memory.Tags = slices.Clone(m.Tags)
	for i, t := range r.Memory.Tags {
		r.Memory.Tags[i] = m.safe(nonce, t)
	}
	return r
}

// safe makes a short text of the memory safe to be seen: a stranger's bears a mark.
func (m *Memory) safe(nonce, s string) string {
	switch {
	case s == "":
		return ""
	case m.Label.Origin == hearsay.External:
		return mark.Inline(nonce, mark.Defang(s))
	}
	return mark.Defang(s)
}

// newNonce makes what nobody could know who wrote the texts of an answer.
func newNonce() (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(b[:]), nil
}

// age says how old something is, for a receipt.
func age(ms, now int64) string {
	d := time.Duration(max(0, now-ms)) * time.Millisecond
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	}
	return fmt.Sprintf("%dd ago", int(d.Hours()/24))
}

// learn keeps what was shown, and writes it down now and then.
func (s *Store) learn(shown recall.Answer, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used.note(shown, at)
	if len(s.used.answers) >= keptUses && s.conn != nil {
		if err := s.used.flush(s.conn); err != nil {
			s.log.Warn("what was learnt from use is lost", "error", err)
		}
	}
}
