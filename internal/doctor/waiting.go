package doctor

import (
	"context"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/tell"
)

// heldTooLong is how long a record may wait before doctor asks about it.
const heldTooLong = 7 * 24 * time.Hour

// held looks at what waits for a person.
func (x *examination) held(ctx context.Context, in *instance.Instance) {
	n, oldest := 0, int64(0)
	for r, err := range in.Guard.List(ctx, guard.Query{Queue: event.QueueReview}) {
		if err != nil {
			x.cannot("held", err)
			return
		}
		if n++; n == 1 || r.Created < oldest {
			oldest = r.Created
		}
	}
	x.waits(n, oldest, time.Now())
}

// waits judges how many wait for a person, the oldest since a time in UTC ms.
func (x *examination) waits(n int, oldest int64, now time.Time) {
	switch {
	case n == 0:
		x.add("held", OK, "", "nothing waits for you")
	case now.Sub(time.UnixMilli(oldest)) > heldTooLong:
		x.add("held", Warn, "run `hearsay review`", "%d wait for you, the oldest from %s", n, tell.Ago(oldest, now))
	default:
		x.add("held", OK, "run `hearsay review`", "%d wait for you, the oldest from %s", n, tell.Ago(oldest, now))
	}
}

// deliveries looks at what a surface still has to carry out.
func (x *examination) deliveries(ctx context.Context, in *instance.Instance) {
	n, unknown := 0, 0
	for r, err := range in.Guard.List(ctx, guard.Query{Queue: event.QueueDelivery}) {
		if err != nil {
			x.cannot("deliveries", err)
			return
		}
		n++
		if r.Delivery == hearsay.UnknownDelivery {
			unknown++
		}
	}
	x.underWay(n, unknown)
}

// underWay judges how many writes are being carried out, unknown of which nobody saw land.
func (x *examination) underWay(n, unknown int) {
	switch {
	case unknown > 0:
		x.add("deliveries", Warn, "call the memory server once more, so that its proxy looks; `hearsay show ID` shows each", "%d are under way, of which nobody saw %d land", n, unknown)
	case n > 0:
		x.add("deliveries", OK, "", "%d are carried out with the next call of their proxy", n)
	default:
		x.add("deliveries", OK, "", "none are under way")
	}
}

// sessions counts the live sessions and those that have taken something in.
func (x *examination) sessions(ctx context.Context, in *instance.Instance) {
	live, err := in.Store.Sessions(ctx, nil, time.Now().UnixMilli())
	if err != nil {
		x.cannot("sessions", err)
		return
	}
	tainted := 0
	for _, s := range live {
		if s.Label.Tainted() {
			tainted++
		}
	}
	x.add("sessions", OK, "", "%d live, %d of them tainted", len(live), tainted)
}
