package session

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	// patience is the time after which a line on standard error reports that a request is being
	// retried. It is longer than most brief throttling, and short enough that the command does not
	// seem to hang.
	patience = 3 * time.Second
	// waitPatience is the same for a wait for another process. It is longer than most appends.
	waitPatience = 2 * time.Second
)

// Late reports what a run waits for: once that requests to a store keep failing, and once in each
// wait which process it waits for.
type Late struct {
	mu    sync.Mutex
	out   io.Writer   // nil after the end of the run
	said  bool        // retries were reported
	timer *time.Timer // of the first request that waits longer than patience
}

// NewLate returns a late that reports on out.
func NewLate(out io.Writer) *Late { return &Late{out: out} }

// notify is called before each wait of a retry. If the wait ends later than patience allows, the
// request cannot succeed in time, so notify schedules the report.
func (l *Late) notify(a store.Retry) {
	if a.Elapsed+a.Wait < patience {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil {
		l.timer = time.AfterFunc(max(0, patience-a.Elapsed), func() { l.say(a) })
	}
}

func (l *Late) say(a store.Retry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil || l.said {
		return
	}
	end := inUTC(time.Now().Add(a.Left))
	fmt.Fprintf(l.out, "zargo: no success for %v and %d tries, retrying until %s at the latest: %s\n", max(patience, a.Elapsed.Round(time.Second)), a.Try, end, render.Message(a.Err.Error()))
	l.said = true
}

// Waiting returns ctx with a trace that reports what a change waits for. where is the URL for the
// message, and path is the path of the changed node in its store.
func (l *Late) Waiting(ctx context.Context, where, path string) context.Context {
	said := false // in this wait; guarded by l.mu
	return store.WithTrace(ctx, &store.Trace{Conflict: func(_ context.Context, c store.Conflict) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if c.Try == 1 {
			said = false
		}
		if said || l.out == nil || c.Waited < waitPatience {
			return
		}
		said = true
		fmt.Fprintf(l.out, "zargo: %s: %s\n", render.Message(where), render.Message(blocked(c, path)))
	}})
}

// blocked returns the message about a wait. It names the node of the other change if that is not
// the node at path.
func blocked(c store.Conflict, path string) string {
	text := "waiting"
	if !c.Until.IsZero() {
		text += " until " + inUTC(c.Until)
	}
	text += ": "
	if node := withoutDocument(c.Key, "/"); c.Key != "" && strings.Trim(node, "/") != path {
		text += fmt.Sprintf("%q: ", strings.Trim(strings.TrimPrefix(node, path), "/"))
	}
	text += reason(c.Err)
	if !c.TakeOver.IsZero() && (c.Until.IsZero() || c.TakeOver.Before(c.Until)) {
		text += fmt.Sprintf("; it is taken over at %s unless its process renews it", inUTC(c.TakeOver))
	}
	return text
}

// reason returns the text of a conflict without the places that wrap it.
func reason(err error) string {
	text := err.Error()
	if _, rest, ok := strings.Cut(text, fault.Conflict.Error()+": "); ok {
		return rest
	}
	return text
}

func inUTC(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// End disables the report.
func (l *Late) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out = nil
	if l.timer != nil {
		l.timer.Stop()
	}
}
