package bare

import "runtime"

// mostGrouped bounds how many writes share a commit, as in the store.
const mostGrouped = 256

// Group commits the writes of many goroutines together: one goroutine takes what is
// queued and puts all of it in one transaction.
type Group struct {
	db      *DB
	queue   chan chan error
	stopped chan struct{}
}

// NewGroup starts the goroutine that writes. The DB is its own until Close.
func NewGroup(db *DB) *Group {
	g := &Group{db: db, queue: make(chan chan error, mostGrouped), stopped: make(chan struct{})}
	go g.write()
	return g
}

// Write returns when one write is durable. It may be called concurrently, and not any
// more once Close was.
func (g *Group) Write() error {
	done := make(chan error, 1)
	g.queue <- done
	return <-done
}

// Close ends the goroutine that writes.
func (g *Group) Close() {
	close(g.queue)
	<-g.stopped
}

func (g *Group) write() {
	defer close(g.stopped)
	var jobs []chan error
	for first := range g.queue {
		jobs = append(jobs[:0], first)
		// As in the store: callers that were just answered come back at once.
		runtime.Gosched()
		runtime.Gosched()
		for more := true; more && len(jobs) < mostGrouped; {
			var job chan error
			select {
			case job, more = <-g.queue:
				if more {
					jobs = append(jobs, job)
				}
			default:
				more = false
			}
		}
		err := g.db.Commit(len(jobs))
		for _, job := range jobs {
			job <- err
		}
	}
}
