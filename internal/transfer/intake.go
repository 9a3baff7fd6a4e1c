package transfer

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/portable"
	"github.com/hearsay-memory/hearsay/recall"
)

// The states of what an import met.
const (
	New      = "new"      // of a dry run: it would be written
	Imported = "imported" // written, and decided: see the standing
	Known    = "known"    // there before: see the standing
	Repeated = "repeated" // once more in the same import
)

// replaced stands for the standing of what is let in and not served, because something took
// its place: it was corrected, adopted or forgotten.
const replaced = "replaced"

// Met is what became of one memory of an import.
type Met struct {
	Ref      string            `json:"ref"` // where it lay
	State    string            `json:"state"`
	ID       hearsay.RecordID  `json:"id,omitzero"`
	Standing string            `json:"standing,omitempty"` // of the record; replaced: something took its place
	Label    *hearsay.Label    `json:"label,omitempty"`
	Rule     string            `json:"rule,omitempty"`
	Kind     recall.Kind       `json:"kind"`
	Bytes    int               `json:"bytes"`
	Notes    []string          `json:"notes,omitempty"` // what did not fit, and where that went
	Decided  *hearsay.Standing `json:"-"`               // of what was written; nil where nothing was
}

// Intake decides the memories of one import, one after the other.
type Intake struct {
	Memory *memory.Store
	Caller hearsay.Caller
	From   string // what is imported, absolute
	Dry    bool   // write nothing

	seen map[[2]string]bool
}

// Take decides one memory. What is refused is [guard.ErrRefused].
func (in *Intake) Take(ctx context.Context, it *portable.Item) (*Met, error) {
	out := &Met{Ref: it.Ref, State: New, Kind: it.Kind, Bytes: len(it.Text), Notes: it.Notes}
	known, err := in.Memory.Known(ctx, &it.Doc)
	if err != nil {
		return nil, err
	}
	words := [2]string{it.Title, it.Text}
	switch {
	case in.seen[words]:
		out.State = Repeated
	case len(known) > 0:
		out.State = Known
		// The one that is served says most; else the newest, whatever became of it.
		k := known[len(known)-1]
		if i := slices.IndexFunc(known, func(k memory.Knowing) bool { return k.Served }); i >= 0 {
			k = known[i]
		}
		out.ID, out.Standing, out.Label = k.Record.ID, k.Record.Standing.String(), &k.Record.Label
		if k.Record.Standing.Visible() && !k.Served {
			out.Standing = replaced
		}
	case !in.Dry:
		if err := in.write(ctx, it, out); err != nil {
			return nil, err
		}
	}
	if in.seen == nil {
		in.seen = make(map[[2]string]bool)
	}
	in.seen[words] = true
	return out, nil
}

func (in *Intake) write(ctx context.Context, it *portable.Item, out *Met) error {
	d, err := in.Memory.Remember(ctx, in.Caller, memory.New{
		Doc:    it.Doc,
		Source: hearsay.Source{Type: "import", Ref: in.ref(it)}, Claimed: guard.Claimed{Source: it.Says}, Tool: "hearsay import",
	})
	if err != nil {
		return err
	}
	out.State, out.ID, out.Standing, out.Label, out.Rule = Imported, d.ID, d.Standing.String(), &d.Verdict.Label, d.Verdict.Rule.ID
	out.Decided = &d.Standing
	return nil
}

// ref is where a memory lay, for whoever asks later.
func (in *Intake) ref(it *portable.Item) string {
	if rest, ok := strings.CutPrefix(it.Ref, filepath.Base(in.From)); ok {
		return in.From + rest
	}
	return in.From + ": " + it.Ref
}
