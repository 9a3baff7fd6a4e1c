package reviewer

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// person is a reviewer with both private keys.
type person struct{ key, recovery *Signer }

func someone(t *testing.T, name string, b byte) person {
	return person{signer(t, name, b), signer(t, name, b+100)}
}

func (p person) enrolment() Enrolment {
	return Enrolment{Name: p.key.Name(), Public: p.key.Public(), Recovery: p.recovery.Public()}
}

// about makes a statement about an enrolment.
func about(e Enrolment, d Decision) Statement {
	return Statement{LogID: "01-log", Subject: e.Subject(), Decision: d, Time: 1, TreeRoot: strings.Repeat("7e", 32), Nonce: strings.Repeat("4e", 16)}
}

// team is a registry in which ana is enrolled.
func team(t *testing.T) (*Registry, person) {
	t.Helper()
	ana := someone(t, "ana", 1)
	var r Registry
	if err := r.Apply(ana.enrolment(), sign(t, ana.key, about(ana.enrolment(), AddReviewer))); err != nil {
		t.Fatal(err)
	}
	return &r, ana
}

func TestRegistryAddsRotatesAndRemoves(t *testing.T) {
	r, ana := team(t)
	bob, bob2, cyd := someone(t, "bob", 2), someone(t, "bob", 3), someone(t, "cyd", 4)
	apply := func(p person, by *Signer, d Decision) {
		t.Helper()
		if err := r.Apply(p.enrolment(), sign(t, by, about(p.enrolment(), d))); err != nil {
			t.Fatal(err)
		}
	}
	apply(bob, ana.key, AddReviewer)
	apply(cyd, bob.recovery, AddReviewer)
	old := sign(t, bob.key, approval())
	if proof, err := r.Verify(old); proof != ProofSigned || err != nil {
		t.Errorf("before rotation: %v, %v", proof, err)
	}
	apply(bob2, bob.recovery, RotateReviewer)
	if proof, err := r.Verify(old); proof != ProofNone || !errors.Is(err, ErrNotEnrolled) {
		t.Errorf("a retired key: %v, %v", proof, err)
	}
	if proof, err := r.Verify(sign(t, bob2.key, approval())); proof != ProofSigned || err != nil {
		t.Errorf("the new key: %v, %v", proof, err)
	}
	apply(cyd, bob2.key, RemoveReviewer)
	if diff := cmp.Diff([]string{"ana", "bob"}, r.Active()); diff != "" {
		t.Error(diff)
	}
	if _, err := r.Verify(sign(t, cyd.key, approval())); !errors.Is(err, ErrNotEnrolled) {
		t.Errorf("a removed reviewer: %v", err)
	}
	if e, ok := r.Lookup("bob"); !ok || !e.Public.Equal(bob2.key.Public()) {
		t.Errorf("Lookup = %v, %v", e, ok)
	}
}

func TestRegistryRefuses(t *testing.T) {
	bob, eve := someone(t, "bob", 2), someone(t, "eve", 5)
	for name, attempt := range map[string]func(*Registry, person) error{
		"eve enrols herself": func(r *Registry, ana person) error {
			return r.Apply(eve.enrolment(), sign(t, eve.key, about(eve.enrolment(), AddReviewer)))
		},
		"eve signs in ana's name": func(r *Registry, ana person) error {
			return r.Apply(eve.enrolment(), sign(t, signer(t, "ana", 5), about(eve.enrolment(), AddReviewer)))
		},
		"another person than the one signed for": func(r *Registry, ana person) error {
			return r.Apply(eve.enrolment(), sign(t, ana.key, about(bob.enrolment(), AddReviewer)))
		},
		"other keys than the ones signed for": func(r *Registry, ana person) error {
			e := bob.enrolment()
			signed := sign(t, ana.key, about(e, AddReviewer))
			e.Public = eve.key.Public()
			return r.Apply(e, signed)
		},
		"an approval used to enrol": func(r *Registry, ana person) error {
			st := approval()
			st.Subject = eve.enrolment().Subject()
			return r.Apply(eve.enrolment(), sign(t, ana.key, st))
		},
		"a statement for another ledger": func(r *Registry, ana person) error {
			st := about(bob.enrolment(), AddReviewer)
			st.LogID = "02-log"
			return r.Apply(bob.enrolment(), sign(t, ana.key, st))
		},
		"adding who is there": func(r *Registry, ana person) error {
			e := eve.enrolment()
			e.Name = "ana"
			return r.Apply(e, sign(t, ana.key, about(e, AddReviewer)))
		},
		"rotating who is not there": func(r *Registry, ana person) error {
			return r.Apply(bob.enrolment(), sign(t, ana.key, about(bob.enrolment(), RotateReviewer)))
		},
		"rotating to the same key": func(r *Registry, ana person) error {
			return r.Apply(ana.enrolment(), sign(t, ana.key, about(ana.enrolment(), RotateReviewer)))
		},
		"ana's key under a second name": func(r *Registry, ana person) error {
			e := ana.enrolment()
			e.Name = "ana2"
			return r.Apply(e, sign(t, ana.key, about(e, AddReviewer)))
		},
		"removing the last": func(r *Registry, ana person) error {
			return r.Apply(ana.enrolment(), sign(t, ana.key, about(ana.enrolment(), RemoveReviewer)))
		},
		"removing with a recovery key": func(r *Registry, ana person) error {
			return r.Apply(ana.enrolment(), sign(t, ana.recovery, about(ana.enrolment(), RemoveReviewer)))
		},
		"removing nobody": func(r *Registry, ana person) error {
			return r.Apply(bob.enrolment(), sign(t, ana.key, about(bob.enrolment(), RemoveReviewer)))
		},
		"one key for both ends": func(r *Registry, ana person) error {
			e := bob.enrolment()
			e.Recovery = e.Public
			return r.Apply(e, sign(t, ana.key, about(e, AddReviewer)))
		},
		"half an enrolment": func(r *Registry, ana person) error {
			e := bob.enrolment()
			e.Recovery = nil
			return r.Apply(e, sign(t, ana.key, about(e, AddReviewer)))
		},
	} {
		r, ana := team(t)
		if err := attempt(r, ana); err == nil {
			t.Errorf("%s: went through", name)
		}
		if diff := cmp.Diff([]string{"ana"}, r.Active()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A recovery key belongs to one person: with bob's on paper, nobody can take over ana.
func TestRecoveryKeyRotatesItsOwnerOnly(t *testing.T) {
	r, ana := team(t)
	bob := someone(t, "bob", 2)
	if err := r.Apply(bob.enrolment(), sign(t, ana.key, about(bob.enrolment(), AddReviewer))); err != nil {
		t.Fatal(err)
	}
	ana2 := someone(t, "ana", 6)
	if err := r.Apply(ana2.enrolment(), sign(t, bob.recovery, about(ana2.enrolment(), RotateReviewer))); !errors.Is(err, ErrNotEnrolled) {
		t.Errorf("bob's recovery key rotated ana: %v", err)
	}
	for d := range needs {
		if d == AddReviewer || d == RotateReviewer || d == RemoveReviewer {
			continue
		}
		st := approval()
		st.Decision = d
		if proof, err := r.Verify(sign(t, ana.recovery, st)); proof != ProofNone || !errors.Is(err, ErrNotEnrolled) {
			t.Errorf("a recovery key may %s: %v, %v", d, proof, err)
		}
	}
}

func TestFirstReviewerEnrolsThemselves(t *testing.T) {
	ana, eve := someone(t, "ana", 1), someone(t, "eve", 5)
	for name, signed := range map[string]Signed{
		"by another":       sign(t, eve.key, about(ana.enrolment(), AddReviewer)),
		"by recovery":      sign(t, ana.recovery, about(ana.enrolment(), AddReviewer)),
		"by rotation":      sign(t, ana.key, about(ana.enrolment(), RotateReviewer)),
		"of somebody else": sign(t, ana.key, about(eve.enrolment(), AddReviewer)),
	} {
		var r Registry
		if err := r.Apply(ana.enrolment(), signed); err == nil || len(r.Active()) > 0 {
			t.Errorf("%s: %v, %v", name, err, r.Active())
		}
	}
	var nobody Registry
	if proof, err := nobody.Verify(sign(t, ana.key, approval())); proof != ProofNone || err == nil {
		t.Errorf("nobody is enrolled: %v, %v", proof, err)
	}
}

func TestEnrolmentsNeverPassAsDecisions(t *testing.T) {
	r, ana := team(t)
	for _, d := range []Decision{AddReviewer, RotateReviewer, RemoveReviewer} {
		if proof, err := r.Verify(sign(t, ana.key, about(ana.enrolment(), d))); proof != ProofNone || err == nil {
			t.Errorf("%s: %v, %v", d, proof, err)
		}
	}
}
