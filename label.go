package hearsay

// Label is an origin and a taint: what is known of where a text came from.
//
// Join takes the lowest origin and the union of the taints; it is commutative,
// associative and idempotent, and [LabelIdentity] is its identity. A label never
// rises. The zero value is external and tainted by the unknown. Explanations
// (URLs, paths) stand beside a label, never in it. Labels are comparable.
type Label struct {
	Origin Origin `json:"origin"`
	Taint  Taint  `json:"taint"`
}

// LabelIdentity is the identity of [Label.Join]: the user's own untainted word.
var LabelIdentity = Label{Origin: User, Taint: Untainted}

// Join returns the label of what both labels flowed into.
func (l Label) Join(m Label) Label {
	return Label{Origin: min(l.Origin.norm(), m.Origin.norm()), Taint: l.Taint.Join(m.Taint)}
}

// norm maps values outside the range to [External].
func (o Origin) norm() Origin {
	if o > User {
		return External
	}
	return o
}

// Below reports whether l is no more trusted than m: joining m into l changes nothing.
func (l Label) Below(m Label) bool { return l.Join(m) == l }

// Tainted reports whether something untrusted flowed in.
func (l Label) Tainted() bool { return !l.Taint.Empty() }

// Trusted reports whether what bears the label may take part in choosing and
// ordering what an agent recalls: untainted and at least the agent's own word.
func (l Label) Trusted() bool { return !l.Tainted() && l.Origin >= Agent && l.Origin <= User }

// String returns, for people, the origin and the tags: "external (web)".
func (l Label) String() string {
	if !l.Tainted() {
		return l.Origin.String()
	}
	return l.Origin.String() + " (" + l.Taint.String() + ")"
}
