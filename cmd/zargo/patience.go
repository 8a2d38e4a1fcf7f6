package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr/store"
)

// patience is how long a request is tried again before a line on standard error says so: long
// enough for a passing throttle, and less than what makes people take the command for dead.
const patience = 3 * time.Second

// late says once in a run that a store keeps failing.
type late struct {
	mu    sync.Mutex
	out   io.Writer   // nil once it has been said, or the run has ended
	timer *time.Timer // of the first request that will wait beyond patience
}

// notify is called before each wait. A request that is still waiting when its time has come has not
// got through.
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
	fmt.Fprintf(l.out, "zargo: no success for %v and %d tries, still trying: %s\n", max(patience, a.Elapsed.Round(time.Second)), a.Try, render.OneLine(a.Err.Error()))
	l.out = nil
}

// end keeps it quiet from now on.
func (l *late) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out = nil
	if l.timer != nil {
		l.timer.Stop()
	}
}
