package recall_test

import (
	"fmt"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/recall"
)

var (
	now      = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ceilings = hearsay.DefaultCeilings()

	userLabel  = hearsay.LabelIdentity
	agentLabel = hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted}
	webLabel   = hearsay.Label{Origin: hearsay.External, Taint: hearsay.NewTaint("web")}
)

// memory returns a new memory of ana's, written now.
func memory(n byte, label hearsay.Label, kind recall.Kind) recall.Memory {
	return recall.Memory{
		ID: hearsay.NewRecordID(now.UnixMilli(), [10]byte{9: n}), Label: label, Standing: hearsay.Allowed,
		Principal: "ana", Kind: kind, Strength: kind.Curve(recall.Semantic).Strength, Weight: 1, Written: now,
	}
}

func Example() {
	ports := memory(1, userLabel, recall.Decision)    // "the service listens on 8080"
	proxy := memory(2, agentLabel, recall.Learning)   // "the proxy adds a header"
	planted := memory(3, webLabel, recall.Preference) // "always send a copy to …"
	more := memory(4, webLabel, recall.Preference)

	q := recall.Query{At: now, Principal: "ana", Ceilings: ceilings, K: 5, MaxUntrusted: 1}
	trusted := []recall.Candidate{{ports, 1}, {proxy, .4}} // from the index of trusted records
	rest := []recall.Candidate{{planted, 1}, {more, .9}}   // from the index of the rest
	answer, err := recall.Select(q, trusted, rest, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range answer.Results {
		fmt.Printf("%.3f %v %v\n", r.Score, r.Memory.Label.Origin, r.Memory.Kind)
	}
	fmt.Println(answer.Count(recall.OverCap), "more of low trust")
	// Output:
	// 0.956 user decision
	// 0.661 external preference
	// 0.510 agent learning
	// 1 more of low trust
}

func ExampleMemory_StrengthAt() {
	note := memory(1, userLabel, recall.Observation)
	planted := memory(2, webLabel, recall.Observation)
	for _, days := range []int{0, 7, 30} {
		at := now.AddDate(0, 0, days)
		fmt.Printf("day %2d: user %.3f, web %.3f\n", days, note.StrengthAt(&ceilings, at), planted.StrengthAt(&ceilings, at))
	}
	// Output:
	// day  0: user 0.400, web 0.400
	// day  7: user 0.279, web 0.260
	// day 30: user 0.086, web 0.064
}

func ExampleMemory_Confirmed() {
	m := memory(1, userLabel, recall.Learning)
	again := now.AddDate(0, 0, 10)
	fmt.Printf("web %.3f\n", m.Confirmed(webLabel, again).StrengthAt(&ceilings, again))
	fmt.Printf("agent %.3f\n", m.Confirmed(agentLabel, again).StrengthAt(&ceilings, again))
	fmt.Printf("user %.3f\n", m.Confirmed(userLabel, again).StrengthAt(&ceilings, again))
	// Output:
	// web 0.633
	// agent 0.700
	// user 0.775
}

func ExampleScore() {
	t := recall.Terms{Relevance: .8, Strength: .6}
	fmt.Printf("%.3f\n", recall.Score(t))
	t.Context = .1 // a weak term helps a little and never harms
	fmt.Printf("%.3f\n", recall.Score(t))
	for _, p := range t.Parts() {
		if p.Adds > 0 {
			fmt.Printf("%-10s%.2f × %.2f adds %.3f\n", p.Term, p.Value, p.Weight, p.Adds)
		}
	}
	// Output:
	// 0.736
	// 0.739
	// relevance 0.80 × 0.38 adds 0.543
	// strength  0.60 × 0.18 adds 0.193
	// context   0.10 × 0.14 adds 0.004
}

func ExampleNewGraph() {
	found := memory(1, userLabel, recall.Decision)
	found.Tags = []string{"deploy", "service"}
	beside := memory(2, userLabel, recall.Procedure)
	beside.Tags = []string{"service", "deploy", "steps"}

	g := recall.NewGraph(&ceilings, "ana", []recall.Memory{found, beside}, nil, now)
	candidates := []recall.Candidate{{found, 1}}
	for _, id := range g.Near(candidates, nil, 10) {
		fmt.Println(id == beside.ID)
		candidates = append(candidates, recall.Candidate{Memory: beside})
	}
	q := recall.Query{At: now, Principal: "ana", Ceilings: ceilings, K: 5}
	answer, err := recall.Select(q, candidates, nil, g)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", answer.Results[1].Terms.Spreading)
	// Output:
	// true
	// 0.10
}

func ExampleAnswer_Cut() {
	short, long := memory(1, userLabel, recall.Decision), memory(2, userLabel, recall.Insight)
	text := map[hearsay.RecordID]string{short.ID: "Port 8080.", long.ID: "A text of many words, with its frame."}
	q := recall.Query{At: now, Principal: "ana", Ceilings: ceilings, K: 5}
	answer, err := recall.Select(q, []recall.Candidate{{short, .5}, {long, 1}}, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer = answer.Cut(20, func(r *recall.Result) int { return len(text[r.Memory.ID]) })
	fmt.Println(len(answer.Results), answer.Omitted[0].ID == long.ID, answer.Omitted[0].Reason)
	// Output:
	// 1 true over_budget
}

func ExampleNearest() {
	matrix := []float32{1, 0, 0, 1, 1, 1} // three rows of two numbers
	for row := range 3 {
		if err := recall.Normalize(matrix[2*row : 2*row+2]); err != nil {
			fmt.Println(err)
		}
	}
	near, err := recall.Nearest(nil, matrix, []float32{1, 0}, 2)
	if err != nil {
		fmt.Println(err)
	}
	for _, n := range near {
		fmt.Printf("row %d: %.2f\n", n.Row, n.Cosine)
	}
	// Output:
	// row 0: 1.00
	// row 2: 0.71
}
