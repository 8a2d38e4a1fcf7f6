package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/cupwriter"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	// showAfter is how long work takes before its line shows on a terminal: a line that is gone at
	// once is only a flicker.
	showAfter = time.Second
	// progressEvery is how often a line is printed where there is no terminal.
	progressEvery = 2 * time.Second
)

// work is what a command sets out to do.
type work struct {
	unit   string // what is counted; "" for bytes
	verb   string // what becomes of bytes: "read", "written"
	total  int64  // 0 where it is not known yet
	atMost bool   // the total is a bound
	// moved counts the bytes that are moved. Only the difference to what it gave first matters.
	// nil: those that progress.add was given.
	moved func() int64
	// ahead counts what is done of the unit, where add comes late or not at all. Only the
	// difference to what it gave first matters. It may be nil.
	ahead func() int64
}

// progress shows on standard error how far the work of a run is. It is a writer too, for what else
// is printed there meanwhile. All methods may be called at any time from any goroutine, and do
// nothing where nothing is shown.
type progress struct {
	how showing
	out io.Writer // standard error

	done, total, before, moved, errors, tries atomic.Int64

	// Of the stores that the run opened: keys that are deleted, entries that are listed, values
	// that are read or written whole, and bytes that are written.
	deleted, listed, values, sent atomic.Int64

	mu    sync.Mutex // of what follows, and of writing
	work  *work      // nil: there is none yet
	begun time.Time
	ended bool
	timer *time.Timer // until the line shows
	bars  *mpb.Progress
	bar   *mpb.Bar
	stop  chan struct{} // of lines
	wg    sync.WaitGroup
}

// traced is ctx with a trace that counts what is requested again.
func (p *progress) traced(ctx context.Context) context.Context {
	if p.how == notShown {
		return ctx
	}
	return store.WithTrace(ctx, &store.Trace{Retry: func(context.Context, store.Retry) { p.tries.Add(1) }})
}

// watched is a store whose requests are counted.
func (p *progress) watched(st store.Store) store.Store {
	if p.how == notShown {
		return st
	}
	return store.Around(st, store.Hooks{After: func(_ context.Context, c store.Call, r store.Result) {
		if c.Op == store.OpPut || c.Op == store.OpPart {
			p.sent.Add(r.Bytes)
		}
		if r.Err != nil {
			return
		}
		switch c.Op {
		case store.OpDelete:
			p.deleted.Add(int64(r.Count))
		case store.OpList:
			p.listed.Add(int64(r.Count))
		case store.OpGet, store.OpPut:
			p.values.Add(1)
		}
	}})
}

// begin begins the work of the run, of which there is one.
func (p *progress) begin(w work) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.how == notShown || p.work != nil || p.ended {
		return
	}
	w.moved, w.ahead = fromNow(w.moved), fromNow(w.ahead)
	p.work, p.begun = &w, time.Now()
	p.done.Store(0) // what was counted before is of something else
	p.total.Add(w.total)
	if p.how == live {
		p.timer = time.AfterFunc(showAfter, p.draw)
		return
	}
	p.stop = make(chan struct{})
	p.wg.Go(func() {
		every := time.NewTicker(progressEvery)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				p.printLine()
			case <-p.stop:
				return
			}
		}
	})
}

// fromNow is what a counter counts from now on.
func fromNow(count func() int64) func() int64 {
	if count == nil {
		return nil
	}
	first := count()
	return func() int64 { return count() - first }
}

// add counts what has been done.
func (p *progress) add(n int64) { p.done.Add(n) }

// expect adds to what there is to do.
func (p *progress) expect(n int64) { p.total.Store(capped(p.total.Load(), n)) }

// at is what has been done, and of how much.
func (p *progress) at(done, total int64) {
	p.done.Store(done)
	p.total.Store(total)
}

// noted counts a finding that is an error, and gives it.
func (p *progress) noted(f rule.Finding) rule.Finding {
	if f.Severity() == rule.Fault {
		p.errors.Add(1)
	}
	return f
}

// capped is a sum, or the largest number where that is less.
func capped(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// howFar is how far the work w is.
func (p *progress) howFar(w *work, begun time.Time) render.HowFar {
	h := render.HowFar{
		Unit: w.unit, Verb: w.verb, AtMost: w.atMost, Done: p.done.Load(), Total: p.total.Load(), Before: p.before.Load(), Moved: p.moved.Load(),
		Errors: p.errors.Load(), Tries: p.tries.Load(), Took: time.Since(begun),
	}
	if w.moved != nil {
		h.Moved = w.moved()
	}
	if w.ahead != nil {
		h.Done = max(h.Done, w.ahead())
	}
	if h.Total > 0 {
		h.Done = min(h.Done, h.Total) // what is done twice, after a conflict
	}
	return h
}

// draw begins to show the line.
func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	w, begun := p.work, p.begun
	line := decor.Any(func(s decor.Statistics) string { return p.howFar(w, begun).Within(s.AvailableWidth - 1) })
	p.bars = mpb.New(mpb.WithConsoleWriter(newConsole(p.out)), mpb.WithAutoRefresh())
	p.bar = p.bars.New(0, mpb.NopStyle(), mpb.BarFillerTrim(), mpb.PrependDecorators(line))
}

// printLine prints how far it is.
func (p *progress) printLine() {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "zargo: %v\n", p.howFar(p.work, p.begun))
}

// end takes the line away, or prints the last one. After it nothing more is shown.
func (p *progress) end() {
	p.mu.Lock()
	was := p.ended
	p.ended = true
	if was || p.work == nil {
		p.mu.Unlock()
		return
	}
	if p.how == live {
		defer p.mu.Unlock()
		p.timer.Stop()
		if p.bars != nil {
			p.bar.Abort(true)
			p.bars.Wait()
			p.bars = nil
		}
		return
	}
	p.mu.Unlock()
	close(p.stop)
	p.wg.Wait()
	p.printLine()
}

// Write prints whole lines on standard error, above the line that shows.
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bars != nil {
		if n, err := p.bars.Write(b); err == nil {
			return n, nil
		}
	}
	return p.out.Write(b)
}

// console is where the line is drawn.
type console struct{ *cupwriter.Writer }

func newConsole(out io.Writer) console {
	c := console{cupwriter.New(fromStart{out}, true)}
	if f, ok := out.(interface{ Fd() uintptr }); ok {
		c.SetTermFd(int(f.Fd()))
	}
	return c
}

// GetTermSize gives what terminals mostly have where one does not know its size.
func (c console) GetTermSize() (width, height int, err error) {
	width, height, err = c.Writer.GetTermSize()
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24, nil
	}
	return width, height, nil
}

// fromStart writes each frame from the first column on: a terminal may have shown a key that was
// pressed, such as ^C, and moved on.
type fromStart struct{ io.Writer }

func (f fromStart) Write(b []byte) (int, error) {
	if _, err := f.Writer.Write(append([]byte{'\r'}, b...)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// afterProgress is standard output, which is written when the line is gone.
type afterProgress struct {
	io.Writer
	p *progress
}

func (a afterProgress) Write(b []byte) (int, error) {
	if a.p.how == live {
		a.p.end()
	}
	return a.Writer.Write(b)
}
