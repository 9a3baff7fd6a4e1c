package event

import "github.com/hearsay-memory/hearsay"

// The images append themselves. A field that is added to a struct is added here, in
// the same place; TestEncoderAgrees fails until it is.

// event appends all of v but its image, which lies between from and to.
func (e *encoder) event(v *Event) (from, to int) {
	e.b = append(e.b, '{')
	e.int("v", int64(v.V))
	e.int("seq", v.Seq)
	e.int("t", v.T)
	e.str("kind", string(v.Kind))
	e.str("subject", v.Subject)
	from, to = e.image(v)
	if p := v.Proof; p != nil {
		e.key("proof")
		e.proof(p)
	}
	e.optStr("side", v.Side)
	e.b = append(e.b, '}')
	return from, to
}

// image appends the image of v and says where it lies.
func (e *encoder) image(v *Event) (from, to int) {
	switch {
	case v.Record != nil:
		e.key("record")
		from = len(e.b)
		e.record(v.Record)
	case v.Session != nil:
		e.key("session")
		from = len(e.b)
		e.session(v.Session)
	case v.Action != nil:
		e.key("action")
		from = len(e.b)
		e.action(v.Action)
	case v.File != nil:
		e.key("file")
		from = len(e.b)
		e.file(v.File)
	case v.Policy != nil:
		e.key("policy")
		from = len(e.b)
		e.policy(v.Policy)
	case v.Reviewer != nil:
		e.key("reviewer")
		from = len(e.b)
		e.reviewer(v.Reviewer)
	case v.Audit != nil:
		e.key("audit")
		from = len(e.b)
		e.audit(v.Audit)
	}
	return from, len(e.b)
}

func (e *encoder) record(r *Record) {
	e.b = append(e.b, '{')
	e.key("id")
	e.id(r.ID)
	e.str("standing", r.Standing.String())
	e.str("delivery", r.Delivery.String())
	e.key("label")
	e.label(r.Label)
	e.str("source", r.Source)
	e.str("principal", r.Principal)
	e.optStr("project", r.Project)
	e.optStr("agent", r.Agent)
	e.str("session", r.Session)
	e.str("surface", string(r.Surface))
	e.str("store", r.Store)
	e.key("namespace")
	list(e, r.Namespace, e.string)
	e.optStr("kind", r.Kind)
	e.str("op", string(r.Op))
	e.optIDs("parents", r.Parents)
	e.optIDs("replaces", r.Replaces)
	e.int("exposure", r.Exposure)
	e.str("rule", r.Rule)
	e.str("policy", r.PolicyHash)
	e.float("weight", r.Weight)
	e.key("claims")
	e.b = append(e.b, '{')
	e.optFloat("salience", r.Claims.Salience)
	e.optFloat("confidence", r.Claims.Confidence)
	e.optTrue("pin", r.Claims.Pin)
	e.optTrue("stable", r.Claims.Stable)
	e.b = append(e.b, '}')
	if len(r.Clamps) > 0 {
		e.key("clamps")
		list(e, r.Clamps, e.clamp)
	}
	if len(r.Evidence) > 0 {
		e.key("evidence")
		list(e, r.Evidence, e.string)
	}
	e.optTrue("flagged", r.Flagged)
	e.optTrue("attributed", r.Attributed)
	e.str("content", r.Content)
	e.int("side_at", r.Side)
	e.int("bytes", int64(r.Bytes))
	e.int("created", r.Created)
	e.b = append(e.b, '}')
}

func (e *encoder) clamp(c hearsay.Clamp) {
	e.b = append(e.b, '{')
	e.str("field", c.Field)
	e.float("from", c.From)
	e.float("to", c.To)
	e.b = append(e.b, '}')
}

func (e *encoder) label(l hearsay.Label) {
	e.b = append(e.b, '{')
	e.str("origin", l.Origin.String())
	e.key("taint")
	e.b = append(e.b, '[')
	first := true
	for tag := range l.Taint.All() {
		if !first {
			e.b = append(e.b, ',')
		}
		first = false
		e.string(tag)
	}
	e.b = append(e.b, ']', '}')
}

func (e *encoder) session(s *Session) {
	e.b = append(e.b, '{')
	e.str("id", s.ID)
	e.str("principal", s.Principal)
	e.str("surface", string(s.Surface))
	e.key("label")
	e.label(s.Label)
	e.optStr("source", s.Source)
	if c := s.Class; c != nil {
		e.key("class")
		e.b = append(e.b, '{')
		e.str("origin", c.Origin.String())
		e.str("reach", c.Reach.String())
		e.optStr("tag", c.Tag)
		e.b = append(e.b, '}')
	}
	e.optIDs("records", s.Records)
	e.b = append(e.b, '}')
}

func (e *encoder) action(a *Action) {
	e.b = append(e.b, '{')
	e.key("id")
	e.id(a.ID)
	e.str("state", string(a.State))
	e.str("verdict", a.Verdict.String())
	e.key("label")
	e.label(a.Label)
	e.str("principal", a.Principal)
	e.optStr("agent", a.Agent)
	e.str("session", a.Session)
	e.str("surface", string(a.Surface))
	e.key("names")
	if a.Names == nil {
		e.b = append(e.b, "null"...)
	} else {
		list(e, a.Names, e.string)
	}
	e.str("rule", a.Rule)
	e.str("policy", a.PolicyHash)
	e.optStr("scope", a.Scope)
	e.optTrue("flagged", a.Flagged)
	e.str("content", a.Content)
	e.int("side_at", a.Side)
	if a.Slot != 0 {
		e.int("slot", int64(a.Slot))
	}
	e.int("asked", a.Asked)
	if a.Approved != 0 {
		e.int("approved", a.Approved)
	}
	if a.Expires != 0 {
		e.int("expires", a.Expires)
	}
	e.b = append(e.b, '}')
}

func (e *encoder) file(f *File) {
	e.b = append(e.b, '{')
	e.str("id", f.ID)
	e.str("principal", f.Principal)
	e.key("label")
	e.label(f.Label)
	e.int("lines", int64(f.Lines))
	e.str("content", f.Content)
	e.int("side_at", f.Side)
	e.b = append(e.b, '}')
}

func (e *encoder) policy(p *Policy) {
	e.b = append(e.b, '{')
	e.str("hash", p.Hash)
	e.str("mode", p.Mode.String())
	e.b = append(e.b, '}')
}

func (e *encoder) reviewer(r *Reviewer) {
	e.b = append(e.b, '{')
	e.str("name", r.Name)
	e.str("key_id", r.KeyID)
	e.bytes("public", r.Public)
	e.str("recovery_id", r.RecoveryID)
	e.bytes("recovery", r.Recovery)
	e.optTrue("retired", r.Retired)
	e.b = append(e.b, '}')
}

func (e *encoder) audit(a *Audit) {
	e.b = append(e.b, '{')
	e.key("id")
	e.id(a.ID)
	e.str("principal", a.Principal)
	if len(a.Found) > 0 {
		e.key("found")
		list(e, a.Found, func(f Found) {
			e.b = append(e.b, '{')
			e.str("rule", f.Rule)
			e.str("level", f.Level)
			e.int("findings", int64(f.Findings))
			e.int("count", int64(f.Count))
			e.b = append(e.b, '}')
		})
	}
	e.optIDs("held", a.Held)
	if a.Left != 0 {
		e.int("left", int64(a.Left))
	}
	e.b = append(e.b, '}')
}

func (e *encoder) proof(p *Proof) {
	e.b = append(e.b, '{')
	e.str("level", p.Level)
	e.str("reviewer", p.Reviewer)
	e.optBytes("statement", p.Statement)
	e.optBytes("signature", p.Signature)
	e.b = append(e.b, '}')
}
