package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr/store"
)

// patience is the time after which a line on standard error reports that a request is being
// retried. It is longer than most brief throttling, and short enough that the command does not seem
// to hang.
const patience = 3 * time.Second

// late reports, at most once in a run, that requests to a store keep failing.
type late struct {
	mu    sync.Mutex
	out   io.Writer   // nil after the report or the end of the run
	timer *time.Timer // of the first request that waits longer than patience
}

// notify is called before each wait of a retry. If the wait ends later than patience allows, the
// request cannot succeed in time, so notify schedules the report.
func (l *late) notify(a store.Retry) {
	if a.Elapsed+a.Wait < patience {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil {
		l.timer = time.AfterFunc(max(0, patience-a.Elapsed), func() { l.say(a) })
	}
}

func (l *late) say(a store.Retry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil {
		return
	}
	fmt.Fprintf(l.out, "zargo: no success for %v and %d tries, retrying: %s\n", max(patience, a.Elapsed.Round(time.Second)), a.Try, render.Message(a.Err.Error()))
	l.out = nil
}

// end disables the report.
func (l *late) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out = nil
	if l.timer != nil {
		l.timer.Stop()
	}
}
