package hedge

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	most := mostOf(o)
	if most < 1 || s.o.Budget == nil {
		return s.Store.Get(ctx, key, o, buf)
	}
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	now := time.Now()
	if most >= document {
		most = usual
	}
	r := &request{s: s, key: key, o: o, room: most, class: classOf(most), begun: now, first: exchange{began: now, cancel: cancel}}
	r.again = func() { r.repeat(ctx) }
	s.begin(r)
	v, err := s.Store.Get(store.WithTrace(own, r.watch(&r.first, &r.second)), key, o, buf)
	s.end(r, err)
	if !r.end(err) {
		return v, err
	}
	<-r.done
	defer r.hold.Release()
	s.failed(key, r.err)
	won := r.won()
	s.won(won)
	if t := store.TraceOf(ctx); t != nil && t.Hedge != nil {
		t.Hedge(ctx, store.Hedge{Op: store.OpGet, Key: key, After: r.second.began.Sub(now), Won: won})
	}
	if won {
		return r.take(buf)
	}
	return v, err
}

type exchange struct {
	began  time.Time
	came   bool // set if its first byte has arrived
	lost   bool // set if the other exchange was chosen
	cancel context.CancelFunc
}

// request is one Get with one or two exchanges. The fields value and err are the results of the
// second exchange, and may be read after done is closed.
type request struct {
	s     *Store
	key   string
	o     store.GetOptions
	room  int64 // maximum bytes of the response to a second exchange
	class int
	begun time.Time
	again func() // starts the second exchange if it is allowed

	mu      sync.Mutex
	timer   *time.Timer // calls again; nil until the time limit is known
	over    bool        // set if no second exchange will start any more
	decided bool        // set if one of the two exchanges was chosen
	first   exchange
	second  exchange
	done    chan struct{} // closed at the end of the second exchange; nil without one
	hold    *concurrency.Hold
	value   store.Value
	err     error
}

// mostOf returns the maximum length of a Get's response. It returns 0 if the length is unknown, or
// too long for a second request.
func mostOf(o store.GetOptions) int64 {
	n := o.Max
	if l, ok := o.Range.IsSuffix(); ok && (n == 0 || l < n) {
		n = l
	}
	if _, l, ok := o.Range.IsWithin(); ok && (n == 0 || l < n) {
		n = l
	}
	if n > longest {
		return 0
	}
	return n
}

// watch returns a trace for the exchange x. If the first byte of x arrives before that of y, the
// trace chooses x.
func (r *request) watch(x, y *exchange) *store.Trace {
	return &store.Trace{FirstByte: func(_ context.Context, e store.FirstByte) {
		now := time.Now()
		if e.Status == 404 || e.Status == 304 {
			r.s.soon(now.Sub(x.began))
		}
		if e.Status >= 300 {
			return // a redirect, or an error that Get returns
		}
		if x == &r.second && e.Announced > r.room {
			return // too long for the reserved memory
		}
		r.mu.Lock()
		if x.came || x.lost {
			r.mu.Unlock()
			return
		}
		x.came = true
		r.stop()
		took := []time.Duration{now.Sub(x.began)}
		if r.done != nil && !r.decided {
			r.lose(y)
			took = append(took, now.Sub(y.began)) // a lower bound
		}
		r.mu.Unlock()
		for _, d := range took {
			r.s.took(r.class, d)
		}
	}}
}

// lose cancels e because the other exchange is used. The caller holds mu.
func (r *request) lose(e *exchange) {
	r.decided, e.lost = true, true
	e.cancel()
}

// stop prevents a second exchange. The caller holds mu.
func (r *request) stop() {
	r.over = true
	if r.timer != nil {
		r.timer.Stop()
	}
}

// wait schedules the second exchange at the duration d after the start of the request.
func (r *request) wait(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	d -= time.Since(r.begun)
	if r.timer == nil {
		r.timer = time.AfterFunc(d, r.again)
	} else {
		r.timer.Reset(d)
	}
}

// end handles the end of the first exchange and reports whether there is a second exchange. It
// cancels the second exchange, unless that exchange was chosen or the first one failed with
// fault.Unavailable.
func (r *request) end(err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop()
	if r.done == nil {
		return false
	}
	if !r.decided && !errors.Is(err, fault.Unavailable) {
		r.lose(&r.second)
	}
	return true
}

// repeat runs the second exchange if the request is still slow and allow permits it.
func (r *request) repeat(ctx context.Context) {
	hold, wait := r.s.allow(r)
	if wait > 0 {
		r.wait(wait)
	}
	if hold == nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.mu.Lock()
	if r.over {
		r.mu.Unlock()
		hold.Release()
		r.s.refund()
		return
	}
	r.over, r.hold, r.done = true, hold, make(chan struct{})
	r.second = exchange{began: time.Now(), cancel: cancel}
	r.mu.Unlock()
	defer close(r.done)
	o := r.o
	if r.room < mostOf(o) {
		o.Max = r.room
	}
	r.value, r.err = r.s.Store.Get(store.WithTrace(ctx, r.watch(&r.second, &r.first)), r.key, o, hold.Buffer(int(r.room)))
}

// won reports whether the second exchange is used. Both exchanges have ended.
func (r *request) won() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.second.lost && (r.first.lost || r.err == nil)
}

// take returns the result of the second exchange. It appends the bytes to buf.
func (r *request) take(buf []byte) (store.Value, error) {
	if cut, ok := errors.AsType[*store.TruncatedError](r.err); ok {
		cut.Value.Bytes = append(buf, cut.Value.Bytes...)
	}
	if r.err != nil {
		return store.Value{}, r.err
	}
	r.value.Bytes = append(buf, r.value.Bytes...)
	return r.value, nil
}
