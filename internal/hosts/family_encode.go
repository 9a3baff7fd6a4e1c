package hosts

import (
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// What a denial says where the caller says nothing. Codex lets a tool run whose
// denial has no reason.
const (
	heldReason     = "Held by Hearsay."
	withheldReason = "Hearsay withholds this result: this host cannot show it marked."
)

func (f *family) encode(e Event, a Answer) Reply {
	ev, _ := f.find(e.Name)
	if ev.kind == Other || ev.may&mute != 0 {
		return Reply{Stdout: []byte(f.quiet)}
	}
	verdict, reason := min(a.Verdict, Deny), reasonText(a.Reason, heldReason)
	if verdict == Ask && !f.asks(e) {
		verdict, reason = Deny, withApproval(reason, a.Approve)
	}
	edited, changed := edit(e, ev, a)
	if changed && ev.may&mayEdit == 0 {
		changed = false
		if verdict != Deny {
			verdict, reason = Deny, reasonText(a.Reason, withheldReason)
		}
	}
	if verdict == Deny && ev.deny == byExitCode {
		return refuse(reason)
	}
	said := answered{Answer: a, verdict: verdict, reason: reason, edited: edited, changed: changed}
	form := f.form
	if form == nil {
		form = f.nested
	}
	top := form(ev, said)
	if len(top) == 0 {
		return Reply{Stdout: []byte(f.quiet)}
	}
	return Reply{Stdout: append(strictjson.AppendValue(nil, strictjson.Object(top...)), '\n')}
}

// answered is an answer as the host and the event can carry it out.
type answered struct {
	Answer
	verdict Verdict
	reason  string           // never empty
	edited  strictjson.Value // the result, where it changed
	changed bool
}

// nested is the form of Claude Code: the event's own answer in an object of its own.
func (f *family) nested(ev event, a answered) (top object) {
	var specific object
	top.text("systemMessage", line(a.Notice, mostNotice, ""))
	ev.say(&top, &specific, a.verdict, a.reason, f.denies)
	if ev.may&mayContext != 0 {
		specific.text("additionalContext", clean(a.Context, mostContext, false))
	}
	if ev.may&mayWatch != 0 {
		specific.list("watchPaths", a.Watch)
	}
	if a.changed {
		specific.set("updatedToolOutput", a.edited)
	}
	if len(specific) > 0 {
		name := strictjson.Member{Key: "hookEventName", Value: strictjson.String(ev.name)}
		top.set("hookSpecificOutput", strictjson.Object(append(object{name}, specific...)...))
	}
	return top
}

// say adds the verdict in the event's own form; denies is the host's word where that is
// not "block". On Permission, Ask says nothing: the host is about to ask.
func (ev event) say(top, specific *object, verdict Verdict, reason, denies string) {
	allow := verdict == Allow && ev.may&mayAllow != 0
	switch {
	case ev.deny == byDecision && (verdict == Deny || verdict == Ask || allow):
		specific.text("permissionDecision", verdict.String())
		if verdict != Allow {
			specific.text("permissionDecisionReason", reason)
		}
	case ev.deny == byBehavior && (verdict == Deny || allow):
		var decision object
		decision.text("behavior", verdict.String())
		if verdict == Deny {
			decision.text("message", reason)
		}
		specific.set("decision", strictjson.Object(decision...))
	case ev.deny == byDecline && verdict == Deny:
		specific.text("action", "decline")
	case (ev.deny == byBlock || ev.deny == byWithholding) && verdict == Deny:
		if denies == "" {
			denies = "block"
		}
		top.text("decision", denies)
		top.text("reason", reason)
	}
}

// edit returns the result with its strings replaced, and whether one was. Nothing is
// edited where a result can neither be replaced nor withheld.
func edit(e Event, ev event, a Answer) (strictjson.Value, bool) {
	if a.Output == nil || !e.HasResponse() || ev.may&mayEdit == 0 && ev.deny != byWithholding {
		return strictjson.Value{}, false
	}
	changed := false
	out, _ := strictjson.Rewrite(e.response, func(p strictjson.Path, v strictjson.Value) (strictjson.Value, bool) {
		if v.Kind() != strictjson.KindString {
			return v, true
		}
		old := v.String()
		text := a.Output(lastKey(p), old)
		if text == old {
			return v, true
		}
		changed = true
		return strictjson.String(text), true
	})
	return out, changed
}

// lastKey is the innermost key on the way to a value.
func lastKey(p strictjson.Path) string {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].Key.Kind() == strictjson.KindString {
			return p[i].Key.String()
		}
	}
	return ""
}

// fail stops what waits for the answer. A question about permission is not stopped
// by an exit code but by an answer, where the host has one.
func (f *family) fail(e Event, message string) Reply {
	if ev, _ := f.find(e.Name); e.Kind == Permission && ev.deny == byBehavior {
		return f.encode(e, Answer{Verdict: Deny, Reason: message})
	}
	return refuse(message)
}

// object is an object in the making.
type object []strictjson.Member

func (o *object) set(key string, v strictjson.Value) {
	*o = append(*o, strictjson.Member{Key: key, Value: v})
}

// text sets a string that is not empty.
func (o *object) text(key, s string) {
	if s != "" {
		o.set(key, strictjson.String(s))
	}
}

// list sets paths, those that are no path left out.
func (o *object) list(key string, paths []string) {
	var out []strictjson.Value
	for _, p := range paths[:min(len(paths), mostWatch)] {
		if p != "" && len(p) <= mostPath && clean(p, mostPath, false) == p {
			out = append(out, strictjson.String(p))
		}
	}
	if out != nil {
		o.set(key, strictjson.Array(out...))
	}
}
