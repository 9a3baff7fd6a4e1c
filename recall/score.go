package recall

// Terms are the six things that make a score, each 0 … 1. Absent is 0.
type Terms struct {
	Relevance float64 `json:"relevance"` // to what was asked: full text, vectors or both
	Strength  float64 `json:"strength"`  // after fading
	Recency   float64 `json:"recency"`   // of the last use
	Spreading float64 `json:"spreading"` // activation by what is relevant and near
	Context   float64 `json:"context"`   // overlap with what the session is about
	Salience  float64 `json:"salience"`  // within the ceiling of the origin
}

// Weights returns the weights of the terms. Their sum is 1.
func Weights() Terms { return weights }

var weights = Terms{Relevance: .38, Strength: .18, Recency: .08, Spreading: .14, Context: .14, Salience: .08}

// coreWeight is the weight of the terms that every memory has.
const coreWeight = .38 + .18

// Score returns the score of terms, 0 … 1, before origin and rule.
//
// Relevance and strength are asked of every memory; their weighted mean is the base
//
//	b = (.38 relevance + .18 strength) / .56
//
// The other four can only help. Each stands in the weighted sum not as its value x
// but as b + (1-b)x: it closes that part of the gap between the base and 1. So
//
//	score = .56 b + Σ w (b + (1-b) x) = b + (1-b) Σ w x
//
// over the other four. A term that is absent or 0 stands at the base, which is what
// renormalising the weights of the rest would give; a weak one stands above it. Hence
// no term, at any value, makes the score lower than leaving it out; the score grows
// with every term, without jumps; and where a term is 1 it counts with its full
// weight. Values outside 0 … 1 count as the nearer end, and what is not a number as 0.
func Score(t Terms) float64 {
	b := base(t)
	// The conversions keep a compiler from fusing, so that every machine has one answer.
	return min(1, b+float64((1-b)*bonus(t)))
}

func base(t Terms) float64 {
	return min(1, (float64(weights.Relevance*unit(t.Relevance))+float64(weights.Strength*unit(t.Strength)))/coreWeight)
}

func bonus(t Terms) float64 {
	return float64(weights.Recency*unit(t.Recency)) + float64(weights.Spreading*unit(t.Spreading)) +
		float64(weights.Context*unit(t.Context)) + float64(weights.Salience*unit(t.Salience))
}

// Part is one term of a score, explained.
type Part struct {
	Term   string  `json:"term"`
	Value  float64 `json:"value"`  // 0 … 1
	Weight float64 `json:"weight"` // in the table of weights
	Adds   float64 `json:"adds"`   // to the score before origin and rule; the parts sum up to it
}

// Parts explains [Score]: what each of the terms adds, in the order of the table.
func (t Terms) Parts() []Part {
	gap := 1 - base(t)
	parts := []Part{
		{Term: "relevance", Value: unit(t.Relevance), Weight: weights.Relevance},
		{Term: "strength", Value: unit(t.Strength), Weight: weights.Strength},
		{Term: "recency", Value: unit(t.Recency), Weight: weights.Recency},
		{Term: "spreading", Value: unit(t.Spreading), Weight: weights.Spreading},
		{Term: "context", Value: unit(t.Context), Weight: weights.Context},
		{Term: "salience", Value: unit(t.Salience), Weight: weights.Salience},
	}
	for i := range parts {
		p := &parts[i]
		if i < 2 {
			p.Adds = p.Weight * p.Value / coreWeight
		} else {
			p.Adds = p.Weight * p.Value * gap
		}
	}
	return parts
}
