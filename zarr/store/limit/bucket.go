package limit

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Bucket holds the request slots of one bucket, separately for reads and writes. All stores of a
// process on that bucket share them. The number of slots adapts to the service. Use [NewBucket] to
// make one. Make only one for each bucket, with [concurrency.Share]. A Bucket is safe for
// concurrent use.
type Bucket struct {
	reads, writes side
}

// BucketOptions holds the initial values and the limits of a Bucket.
type BucketOptions struct {
	Reads, Writes int // initial numbers of requests in flight; at least 1
	Most          int // maximum requests in flight, of reads and writes each; 0 means twice Reads

	// ReadRate and WriteRate are the requests per second that the service accepts from a new
	// client. Every 20 minutes of use double the rate. 0 means no limit.
	ReadRate, WriteRate float64

	// RequestRate and ByteRate limit the requests and the bytes of values per second, of reads and
	// writes together. 0 means no limit.
	RequestRate, ByteRate float64

	// Share is the number of processes that use the bucket concurrently, if known. Values below 2
	// mean one process. Each process uses its share of the rates and of the initial number of
	// requests in flight.
	Share int

	// Cured reports whether retries of refused requests usually succeed, because the service
	// refuses first attempts regardless of the number of requests. If Cured is nil, refusals always
	// mean that there are too many requests.
	Cured func() bool
}

// mostGrown is the default maximum factor by which the requests in flight grow. In measurements 256
// requests had 10 to 25 % more throughput than 128, and 512 requests had less.
const mostGrown = 2

// Greatest returns the maximum number of reads in flight. Writes have the same maximum.
func (n BucketOptions) Greatest() int {
	if n.Most > 0 {
		return max(n.Most, n.Reads, n.Writes)
	}
	return max(mostGrown*n.Reads, n.Writes)
}

// NewBucket returns a Bucket.
func NewBucket(n BucketOptions) *Bucket {
	n.Reads, n.Writes = max(n.Reads, 1), max(n.Writes, 1)
	n.Most = n.Greatest()
	share := float64(max(n.Share, 1))
	rates := newRates(n.RequestRate/share, n.ByteRate/share)
	b := &Bucket{}
	b.reads.rates, b.writes.rates = rates, rates
	n.ReadRate, n.WriteRate = n.ReadRate/share, n.WriteRate/share
	if n.Cured == nil {
		n.Cured = func() bool { return false }
	}
	b.reads.init(n.Reads, n.Reads, n.ReadRate, n)
	b.reads.control.early = fewest
	b.writes.init(n.Writes, max(n.Reads, n.Writes), n.WriteRate, n)
	b.reads.control.share(n.Share, time.Now())
	b.writes.control.share(n.Share, time.Now())
	b.reads.slots.Resize(b.reads.control.size)
	b.writes.slots.Resize(b.writes.control.size)
	return b
}

// Measured returns measurements of recent reads and the number of free slots. The second result is
// false until a read has ended.
func (b *Bucket) Measured() (store.Measured, bool) {
	s := &b.reads
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.measure.seen == 0 {
		return store.Measured{}, false
	}
	base, slope := s.measure.fit()
	m := store.Measured{Latency: time.Duration(base * float64(time.Second)), Free: max(0, s.slots.Size()-s.slots.Held()-s.slots.Waiting())}
	if c := &s.control; c.normal < c.far && s.refusals == 0 && s.failures.Load() == 0 {
		m.Enough = c.size + more(c.size, step) // some wait, so that the size can grow
	}
	if s.control.pace.rate > 0 {
		m.Free = 0 // a hedged request would have to wait
	}
	if slope > 0 {
		m.Bandwidth = 1 / slope
	}
	return m, true
}

// InFlight returns the current maximum numbers of reads and writes in flight.
func (b *Bucket) InFlight() (reads, writes int) { return b.reads.slots.Size(), b.writes.slots.Size() }

func (b *Bucket) side(op store.Op) *side {
	switch op {
	case store.OpGet, store.OpList, store.OpSent:
		return &b.reads
	}
	return &b.writes
}

// side is the state of a bucket's reads or of its writes.
type side struct {
	slots   concurrency.Slots
	turn    concurrency.Slots // one slot, held by the next request to start if requests are spaced
	rates   *rates
	waits   atomic.Int64 // number of requests that waited for a slot since the last response
	mu      sync.Mutex
	control control
	ramp    ramp
	measure measure
	silent  time.Time // time of the first hinted refusal since the last served request, or zero
	until   time.Time // no request starts before this time
	why     error     // refusal that set until

	refusals int64        // number of refused requests
	failures atomic.Int64 // number of requests that failed for another reason than the load
	stalls   atomic.Int64 // number of failures without progress

	classes classes
	groups  classes                 // directories of the requests that waited for a slot
	lanes   atomic.Pointer[[]*side] // sides of directories with their own limits; nil if there was none

	main  *side // of a lane, the side that it was split from; else nil
	class class // of a lane
	most  int   // of a lane, its maximum size
}

func (s *side) init(first, normal int, rate float64, n BucketOptions) {
	s.control, s.ramp = newControl(first, normal, n.Most, n.Cured), ramp{first: rate, part: n.Share > 1}
	s.slots.Resize(first)
	s.turn.Resize(1)
}

// Constants of pauses.
const (
	// patient is the time without a served request, divided by the length of the next pause.
	//
	// One of many processes that share a busy bucket may be refused several times in a row by
	// chance. With 8, it sends 40 requests in three minutes, and one of these is served.
	patient = 8

	// lasting is the time without a served request after which pauses start anew at length 0. By
	// default package retry then ends requests at their next refusal, and each of them should not
	// wait for a long pause.
	lasting = 3 * time.Minute

	// longestPause is the length of the longest pause.
	longestPause = lasting / patient
)

// recheck is the time after which a request that waits for the end of a pause checks whether the
// pause still applies, because a served request ends it.
const recheck = time.Second

// hinted updates the pause after a refusal with the hint after (Retry-After). The hint is for the
// refused request only, so the other requests pause only while the service serves none of them, and
// at most for as long as it has served none. The duration of repeated pauses therefore doubles, up
// to the hint. The first refusal does not cause a pause, because other requests in flight may be
// served.
func (s *side) hinted(after time.Duration, why error, now time.Time) {
	if since(now, s.silent) > lasting {
		s.silent = now
	}
	pause := min(after, now.Sub(s.silent)/patient)
	if until := now.Add(pause); until.After(s.until) || s.until.Sub(now) > longestPause {
		s.until, s.why = until, why
	}
}

// served ends a pause, because the service serves requests.
func (s *side) served() { s.silent, s.until, s.why = time.Time{}, time.Time{}, nil }

// pause waits until the pause that the service requested is over and it is the request's turn. If
// own is true, the store has separate slots, and its requests respect the rates but not the pace.
// If ctx ends during a requested pause, the error is a *fault.Interrupted by that pause.
func (s *side) pause(ctx context.Context, c store.Call, own bool) error {
	err := s.turnOf(ctx, c, own)
	if err == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left(time.Now()) > 0 {
		return &fault.Interrupted{Err: ctx.Err(), Last: fault.Newf(fault.Throttled, "the service requested a pause of all requests")}
	}
	return ctx.Err()
}

func (s *side) turnOf(ctx context.Context, c store.Call, own bool) error {
	start := time.Now()
	pace := !own
	s.mu.Lock()
	if s.rates != nil || pace && s.inTurn() {
		s.mu.Unlock()
		return s.await(ctx, c, pace, start)
	}
	wait, ramped := s.left(start), time.Duration(0)
	if pace {
		ramped = s.ramp.book(start)
	}
	wait = max(wait, ramped)
	s.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	booked := start.Add(ramped)
	var err error
	for err == nil && wait > 0 { // a response may have extended or ended the pause
		err = concurrency.Sleep(ctx, min(wait, max(recheck, time.Until(booked))))
		s.mu.Lock()
		now := time.Now()
		wait = max(s.left(now), booked.Sub(now))
		s.mu.Unlock()
	}
	waited(ctx, store.WaitPause, start)
	return err
}

// inTurn reports whether requests are spaced.
func (s *side) inTurn() bool { return s.control.pace.rate > 0 || s.ramp.part }

// await waits for a request's turn. Only the first request in the queue has a start time; the
// others wait behind it, with retries ahead of first attempts. A change of the pace therefore
// applies to all waiting requests.
func (s *side) await(ctx context.Context, c store.Call, pace bool, start time.Time) error {
	if !s.turn.Try() {
		s.waits.Add(1)
		if err := s.turn.AcquireIn(ctx, nil, tryOf(ctx)); err != nil {
			waited(ctx, store.WaitPause, start)
			return err
		}
	}
	defer s.turn.Release()
	var err error
	for err == nil {
		s.mu.Lock()
		wait := s.next(time.Now(), pace)
		s.mu.Unlock()
		if wait <= 0 {
			break
		}
		s.waits.Add(1)
		err = concurrency.Sleep(ctx, min(wait, recheck))
	}
	if err == nil && s.rates != nil {
		if wait := s.rates.begin(c, time.Now()); wait > 0 {
			err = concurrency.Sleep(ctx, wait)
		}
	}
	if time.Since(start) > 0 {
		waited(ctx, store.WaitPause, start)
	}
	return err
}

// next returns the duration that the next request must wait. If it is zero, next also takes the
// turn for the request.
func (s *side) next(now time.Time, pace bool) time.Duration {
	wait := s.left(now)
	if !pace {
		return wait
	}
	paced := s.control.pace.rate > 0
	if paced {
		wait = max(wait, s.control.pace.wait(now))
	}
	if wait = max(wait, s.ramp.wait(now)); wait > 0 {
		return wait
	}
	if paced {
		s.control.pace.take(now)
	}
	s.ramp.book(now)
	return 0
}

// left returns the remaining time of the pause that the service requested.
func (s *side) left(now time.Time) time.Duration {
	if d := s.until.Sub(now); !s.until.IsZero() && d > 0 && d <= longestPause {
		return d
	}
	return 0
}

// done handles the outcome of a request. If own is true, the store has separate slots, and its
// requests do not change the number of the bucket's slots.
func (s *side) done(ctx context.Context, below string, c store.Call, r store.Result, own bool) {
	if s.rates != nil {
		s.rates.end(c, r.Bytes)
	}
	throttled, after := refused(r.Err)
	if !throttled && r.Err != nil && !answers(r.Err) {
		if errors.Is(r.Err, fault.Unavailable) {
			s.failures.Add(1)
		}
		if stalled(r.Err) {
			s.stalls.Add(1)
		}
		return // the error does not depend on the load of the service
	}
	now := time.Now()
	took := now.Sub(c.Start)
	timed := r.Err == nil && (c.Op == store.OpGet || c.Op == store.OpPut || c.Op == store.OpPart)
	s.mu.Lock()
	defer s.mu.Unlock()
	if throttled && s.find(below, c.Key) != nil {
		return // the request was sent before its directory had its own limits
	}
	if !throttled {
		s.served()
	} else if s.refusals++; after > 0 {
		s.hinted(after, r.Err, now)
	}
	if timed && c.Op == store.OpGet {
		s.measure.add(float64(r.Bytes), took.Seconds())
	}
	if own {
		return
	}
	if s.main == nil {
		size := s.control.size
		if s.control.pace.rate > 0 {
			size = 0
		}
		if k, ok := s.classes.note(below, c.Key, throttled, size, now); ok && !s.control.cures(now) {
			s.split(k, now)
			return
		}
	}
	was, waits, try := s.control.size, int(s.waits.Swap(0)), 0
	if s.control.doubt.from > 0 || s.control.pace.rate > 0 {
		try = tryOf(ctx)
	}
	if size := s.control.done(sample{c.Start, throttled, timed, try, waits, r.Bytes, took}, now); size != was {
		s.slots.Resize(size)
	}
}

// refused reports whether the service refused a request because of the load on the bucket, and
// returns the pause that the service requests. If err has a method OneKey() bool that returns true,
// the reason is that one key is changed too often, which is unrelated to the load.
func refused(err error) (bool, time.Duration) {
	if err == nil || !errors.Is(err, fault.Throttled) {
		return false, 0
	}
	var key interface{ OneKey() bool }
	if errors.As(err, &key) && key.OneKey() {
		return false, 0
	}
	var asks interface{ RetryAfter() time.Duration }
	if errors.As(err, &asks) {
		return true, asks.RetryAfter()
	}
	return true, 0
}

// answers reports whether err is a normal response of a service, such as the absence of a key.
func answers(err error) bool {
	for _, kind := range []error{fault.NotFound, fault.Unchanged, fault.Exists, fault.Conflict, fault.Limit} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// tryOf returns the number of failed attempts of the request.
func tryOf(ctx context.Context) int {
	if r := store.RepeatOf(ctx); r != nil {
		return r.Try
	}
	return 0
}

// waited reports a wait since start to the trace and to the request's store.Repeat.
func waited(ctx context.Context, what store.Resource, start time.Time) {
	store.RepeatOf(ctx).Hold(time.Since(start))
	if t := store.TraceOf(ctx); t != nil && t.Wait != nil {
		t.Wait(ctx, store.Wait{For: what, Took: time.Since(start)})
	}
}
