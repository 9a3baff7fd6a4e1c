package mcp

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// items lists the things that a call makes or takes out. Of a tool that nobody knows
// every text is one, and of one whose items nobody named every text that says something.
func (p *proxy) items(c toolCall) []guard.Item {
	var out []guard.Item
	switch {
	case !c.known:
		for _, text := range texts(c.args) {
			out = append(out, guard.Item{Kind: textItem, Parts: []string{text}})
		}
	case c.tool.Items != nil:
		for pl := range find(c.args, c.tool.Items) {
			out = append(out, pl.item)
		}
	case c.tool.Op == opDelete:
		return c.gone
	default:
		return keptTexts(c.args, c.tool, p.Profile.Lines)
	}
	return out
}

// landed reads from an answer what was really stored.
func (p *proxy) landed(f strictjson.Frame, c toolCall) guard.Outcome {
	result, err := limits.Parse(f.Result)
	if f.Error != nil || err != nil || isError(result) {
		return guard.Outcome{Delivery: hearsay.Failed}
	}
	switch kind, _ := result.Get("resultType"); kind.String() {
	case "", "complete":
	case "input_required":
		return guard.Outcome{Delivery: hearsay.Failed} // the client will call again
	default:
		return guard.Outcome{Delivery: hearsay.UnknownDelivery}
	}
	asked := p.items(c)
	if c.tool.Landed == nil {
		return guard.Outcome{Delivery: hearsay.Applied, Landed: asked}
	}
	// Nothing lands that was not asked for: a server must not hand its own words the
	// standing of a decision about others.
	want := make(map[[32]byte]bool, len(asked))
	for _, it := range asked {
		want[p.Guard.ItemKey(p.Store, it)] = true
	}
	o := guard.Outcome{Delivery: hearsay.Applied}
	structured, _ := result.Get("structuredContent")
	for pl := range find(structured, c.tool.Landed) {
		if want[p.Guard.ItemKey(p.Store, pl.item)] {
			o.Landed = append(o.Landed, pl.item)
		}
	}
	return o
}

func isError(result strictjson.Value) bool {
	v, _ := result.Get("isError")
	return v.Bool()
}

// outcome seals what came of a write.
func (p *proxy) outcome(ctx context.Context, id hearsay.RecordID, o guard.Outcome) bool {
	if id.IsZero() {
		return true // the mode is off: nothing is recorded
	}
	// What happened is sealed even if the client has just left.
	err := p.Guard.Applied(context.WithoutCancel(ctx), p.Caller, id, o)
	if err != nil {
		p.Log.Error("what came of a write was not sealed", "record", id, "error", err)
	}
	return err == nil
}

// refusal is the ordinary tool result that tells an agent that a write was held or
// refused: its id and how many wait, never a word of the text. It is no error, which
// would ask for another try, except where the tool might promise structured content
// of a form that is not known: clients want that of every result that is no error.
func refusal(d guard.Decision, tool Tool) strictjson.Value {
	text := fmt.Sprintf("Not stored: this memory write is held for review as %s (%d waiting). A person decides with `hearsay review`. Saving it in another way will be held as well.", d.ID, max(d.Waiting, 1))
	if d.Standing == hearsay.Blocked {
		text = fmt.Sprintf("Not stored: this memory write was refused by rule %s (record %s). No review releases it.", d.Verdict.Rule.ID, d.ID)
	}
	members := []strictjson.Member{{Key: "content", Value: strictjson.Array(textBlock(text))}}
	if tool.Refused != nil {
		members = append(members, strictjson.Member{Key: "structuredContent", Value: substitute(map[string]any(tool.Refused), nil)})
	}
	return strictjson.Object(append(members, strictjson.Member{Key: "isError", Value: strictjson.Bool(tool.Refused == nil)})...)
}

func textBlock(text string) strictjson.Value {
	return strictjson.Object(strictjson.Member{Key: "type", Value: strictjson.String("text")},
		strictjson.Member{Key: "text", Value: strictjson.String(text)})
}

// omissions gathers what was left out of an answer.
type omissions struct {
	hidden  int
	omitted []hearsay.RecordID
}

func (o *omissions) add(r guard.Recalled) {
	o.hidden = max(o.hidden, r.Hidden)
	for _, id := range r.Omitted {
		if !slices.Contains(o.omitted, id) {
			o.omitted = append(o.omitted, id)
		}
	}
}
