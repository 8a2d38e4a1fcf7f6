package progress

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

// Display shows the progress of a run on standard error. It is also a writer for other output to
// standard error during the run. All methods are safe for concurrent use at any time. They do
// nothing if progress is not shown.
type Display struct {
	how Showing
	out io.Writer // standard error

	done, total, Before, Moved, errors, Tries atomic.Int64

	// Counts for all stores that the run opened: deleted keys, listed entries, values that were
	// read or written whole, and written bytes.
	Deleted, Listed, Values, Sent atomic.Int64

	mu    sync.Mutex // guards the following fields and writes to out
	work  *Work      // nil before begin
	begun time.Time
	ended bool
	timer *time.Timer // starts showing the line
	bars  *mpb.Progress
	bar   *mpb.Bar
	stop  chan struct{} // closed to stop printing lines
	wg    sync.WaitGroup
}

// New returns a display on out, which is standard error.
func New(how Showing, out io.Writer) *Display { return &Display{how: how, out: out} }

// Work describes the work of a command.
type Work struct {
	Unit   string // unit of done and total; "" for bytes
	Verb   string // operation on bytes: "read", "written"
	Total  int64  // 0 if not known yet
	AtMost bool   // total is an upper bound
	// moved returns the number of bytes moved so far, for example by the run's report. Only bytes
	// that were moved since the work began are shown. If moved is nil, progress.moved is used.
	Moved func() int64
	// ahead, if not nil, returns a count of completed units that may be larger than the count of
	// add. Only units that were completed since the work began are shown.
	Ahead func() int64
}

const (
	// showAfter is the delay before the progress line is shown on a terminal. It prevents
	// flickering during short work.
	showAfter = time.Second
	// progressEvery is the interval between progress lines if standard error is not a terminal.
	progressEvery = 2 * time.Second
)

// Traced returns ctx with a trace that counts retries.
func (p *Display) Traced(ctx context.Context) context.Context {
	if p.how == NotShown {
		return ctx
	}
	return store.WithTrace(ctx, &store.Trace{Retry: func(context.Context, store.Retry) { p.Tries.Add(1) }})
}

// Watched returns a store that counts the requests to st.
func (p *Display) Watched(st store.Store) store.Store {
	if p.how == NotShown {
		return st
	}
	return store.Around(st, store.Hooks{After: func(_ context.Context, c store.Call, r store.Result) {
		if c.Op == store.OpPut || c.Op == store.OpPart {
			p.Sent.Add(r.Bytes)
		}
		if r.Err != nil {
			return
		}
		switch c.Op {
		case store.OpDelete:
			p.Deleted.Add(int64(r.Count))
		case store.OpList:
			p.Listed.Add(int64(r.Count))
		case store.OpGet, store.OpPut:
			p.Values.Add(1)
		}
	}})
}

// Begin starts to show the progress of w. Only the first call has an effect.
func (p *Display) Begin(w Work) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.how == NotShown || p.work != nil || p.ended {
		return
	}
	w.Moved, w.Ahead = fromNow(w.Moved), fromNow(w.Ahead)
	p.work, p.begun = &w, time.Now()
	p.done.Store(0) // earlier counts do not belong to this work
	p.total.Add(w.Total)
	if p.how == Live {
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

// fromNow returns a function that subtracts the current value of count from later values.
func fromNow(count func() int64) func() int64 {
	if count == nil {
		return nil
	}
	first := count()
	return func() int64 { return count() - first }
}

// Add adds n completed units.
func (p *Display) Add(n int64) { p.done.Add(n) }

// Expect adds n units to the total.
func (p *Display) Expect(n int64) { p.total.Store(Capped(p.total.Load(), n)) }

// At sets the completed units and the total.
func (p *Display) At(done, total int64) {
	p.done.Store(done)
	p.total.Store(total)
}

// Noted counts a finding if it is an error, and returns the finding.
func (p *Display) Noted(f rule.Finding) rule.Finding {
	if f.Severity() == rule.Fault {
		p.errors.Add(1)
	}
	return f
}

// Capped returns a+b, or math.MaxInt64 if it overflows.
func Capped(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// howFar returns the progress of w.
func (p *Display) howFar(w *Work, begun time.Time) render.HowFar {
	h := render.HowFar{
		Unit: w.Unit, Verb: w.Verb, AtMost: w.AtMost, Done: p.done.Load(), Total: p.total.Load(), Before: p.Before.Load(), Moved: p.Moved.Load(),
		Errors: p.errors.Load(), Tries: p.Tries.Load(), Took: time.Since(begun),
	}
	if w.Moved != nil {
		h.Moved = w.Moved()
	}
	if w.Ahead != nil {
		h.Done = max(h.Done, w.Ahead())
	}
	if h.Total > 0 {
		h.Done = min(h.Done, h.Total) // units that are repeated after a conflict count twice
	}
	return h
}

// draw starts showing the line on a terminal.
func (p *Display) draw() {
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

// printLine prints the progress as one line.
func (p *Display) printLine() {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "zargo: %v\n", p.howFar(p.work, p.begun))
}

// End removes the progress line from a terminal. Elsewhere it prints the last progress line. No
// progress is shown afterwards.
func (p *Display) End() {
	p.mu.Lock()
	was := p.ended
	p.ended = true
	if was || p.work == nil {
		p.mu.Unlock()
		return
	}
	if p.how == Live {
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

// Write prints complete lines to standard error, above the progress line.
func (p *Display) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bars != nil {
		if n, err := p.bars.Write(b); err == nil {
			return n, nil
		}
	}
	return p.out.Write(b)
}

// console is the terminal on which the progress line is drawn.
type console struct{ *cupwriter.Writer }

func newConsole(out io.Writer) console {
	c := console{cupwriter.New(fromStart{out}, true)}
	if f, ok := out.(interface{ Fd() uintptr }); ok {
		c.SetTermFd(int(f.Fd()))
	}
	return c
}

// GetTermSize returns the terminal's size, or 80 by 24 if the terminal does not report it.
func (c console) GetTermSize() (width, height int, err error) {
	width, height, err = c.Writer.GetTermSize()
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24, nil
	}
	return width, height, nil
}

// fromStart writes each frame from the first column. The cursor may be in another column, because
// the terminal echoes pressed keys such as ^C.
type fromStart struct{ io.Writer }

func (f fromStart) Write(b []byte) (int, error) {
	if _, err := f.Writer.Write(append([]byte{'\r'}, b...)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// NewOutput returns a writer to out, which is standard output. On a terminal, the first write ends
// the progress line.
func NewOutput(out io.Writer, p *Display) io.Writer { return afterProgress{out, p} }

type afterProgress struct {
	io.Writer
	p *Display
}

func (a afterProgress) Write(b []byte) (int, error) {
	if a.p.how == Live {
		a.p.End()
	}
	return a.Writer.Write(b)
}
