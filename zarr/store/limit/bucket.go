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

// Bucket is what all stores of a process on one bucket share: request slots for reads, and others
// for writes, whose number follows what the service takes. Make it with [NewBucket], once for each
// bucket, with [concurrency.Share]. It may be used from any number of goroutines.
type Bucket struct {
	reads, writes side
}

// Numbers say how a Bucket begins.
type Numbers struct {
	Reads, Writes int // requests in flight, of each; at least 1
	Most          int // requests in flight that each may grow to; 0 is twice Reads

	// Requests a second that the service takes from a client that it does not know yet; it takes
	// twice as many every 20 minutes that the client asks for them. 0 is no bound.
	ReadRate, WriteRate float64

	// RequestRate and ByteRate bound the requests, and the bytes of values, that are moved in a
	// second, reads and writes together. 0 is no bound.
	RequestRate, ByteRate float64

	// Share is how many processes use the bucket at the same time, where that is known; less than 2
	// is one. Each keeps to its share of the rates, and begins with its share of the requests in
	// flight.
	Share int

	// Cured reports whether repeating helps against refusals, which have nothing to do with how
	// many requests there are then. nil is never.
	Cured func() bool
}

// mostGrown is how many times the first number of requests in flight the number may become, without
// another word: 256 instead of 128 gave 10 to 25 %, and 512 lost.
const mostGrown = 2

// Greatest is how many reads, and how many writes, there may be in flight at most.
func (n Numbers) Greatest() int {
	if n.Most > 0 {
		return max(n.Most, n.Reads, n.Writes)
	}
	return max(mostGrown*n.Reads, n.Writes)
}

// NewBucket makes a Bucket.
func NewBucket(n Numbers) *Bucket {
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

// Measured is what reads took of late, and how many more could be begun; false before there were
// enough.
func (b *Bucket) Measured() (store.Measured, bool) {
	s := &b.reads
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.measure.seen < fewest {
		return store.Measured{}, false
	}
	base, slope := s.measure.line.fit()
	m := store.Measured{Latency: time.Duration(base * float64(time.Second)), Free: max(0, s.slots.Size()-s.slots.Held()-s.slots.Waiting())}
	if s.control.pace.rate > 0 {
		m.Free = 0 // a second request for the same value would wait for its turn
	}
	if slope > 0 {
		m.Bandwidth = 1 / slope
	}
	return m, true
}

// InFlight is how many reads, and how many writes, may be in flight now.
func (b *Bucket) InFlight() (reads, writes int) { return b.reads.slots.Size(), b.writes.slots.Size() }

func (b *Bucket) side(op store.Op) *side {
	switch op {
	case store.OpGet, store.OpList, store.OpSent:
		return &b.reads
	}
	return &b.writes
}

// side is the reads or the writes of a bucket.
type side struct {
	slots   concurrency.Slots
	turn    concurrency.Slots // one, to begin a request, where these begin one after another
	rates   *rates
	waits   atomic.Int64 // requests that waited for a slot since the last answer
	mu      sync.Mutex
	control control
	ramp    ramp
	measure measure
	until   time.Time // no request before
}

func (s *side) init(first, normal int, rate float64, n Numbers) {
	s.control, s.ramp = newControl(first, normal, n.Most, n.Cured), ramp{first: rate, part: n.Share > 1}
	s.slots.Resize(first)
	s.turn.Resize(1)
}

// longestPause is how long a bucket rests at most on a service's word. It is asked again then: one
// answer with a long time in it, right or not, is not to stop all others for hours.
const longestPause = time.Minute

// pause waits as long as the service asked, and for the request's turn. A request with a slot of
// its own keeps to the rates alone, and not to the pace.
func (s *side) pause(ctx context.Context, c store.Call, own bool) error {
	start := time.Now()
	pace := !own
	s.mu.Lock()
	if s.rates != nil || pace && s.inTurn() {
		s.mu.Unlock()
		return s.await(ctx, c, pace, start)
	}
	wait := s.left(start)
	if pace {
		wait = max(wait, s.ramp.book(start))
	}
	s.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	var err error
	for err == nil && wait > 0 { // what was asked for may have become longer meanwhile
		err = concurrency.Sleep(ctx, wait)
		s.mu.Lock()
		wait = s.left(time.Now())
		s.mu.Unlock()
	}
	waited(ctx, store.WaitPause, start)
	return err
}

// inTurn reports whether requests begin one after another.
func (s *side) inTurn() bool { return s.control.pace.rate > 0 || s.ramp.part }

// await waits for a turn: the first of those that wait does so, those that were refused before
// ahead of others, and the others wait for the first. So nobody has a place in a queue that was
// made for another pace.
func (s *side) await(ctx context.Context, c store.Call, pace bool, start time.Time) error {
	if !s.turn.Try() {
		s.waits.Add(1)
		if err := s.turn.AcquireAhead(ctx, tryOf(ctx)); err != nil {
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
		err = concurrency.Sleep(ctx, wait)
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

// next is how long the next request is not to begin. When that is zero, its turn is taken.
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

// left is how long the service wants no requests.
func (s *side) left(now time.Time) time.Duration {
	if d := s.until.Sub(now); !s.until.IsZero() && d > 0 && d <= longestPause {
		return d
	}
	return 0
}

// done notes what became of a request. Requests with slots of their own do not resize those of the
// bucket.
func (s *side) done(ctx context.Context, c store.Call, r store.Result, own bool) {
	if s.rates != nil {
		s.rates.end(c, r.Bytes)
	}
	throttled, after := refused(r.Err)
	if !throttled && r.Err != nil && !answers(r.Err) {
		return // nothing is known of it
	}
	now := time.Now()
	took := now.Sub(c.Start)
	timed := r.Err == nil && (c.Op == store.OpGet || c.Op == store.OpPut || c.Op == store.OpPart)
	s.mu.Lock()
	defer s.mu.Unlock()
	if after = min(after, longestPause); after > 0 && now.Add(after).After(s.until) || s.until.Sub(now) > longestPause {
		s.until = now.Add(after)
	}
	if timed && c.Op == store.OpGet {
		s.measure.add(float64(r.Bytes), took.Seconds())
	}
	if own {
		return
	}
	was, waits, try := s.control.size, int(s.waits.Swap(0)), 0
	if s.control.doubt.from > 0 || s.control.pace.rate > 0 {
		try = tryOf(ctx)
	}
	if size := s.control.done(sample{c.Start, throttled, timed, try, waits, r.Bytes, took}, now); size != was {
		s.slots.Resize(size)
	}
}

// refused reports that a service asks for fewer requests, and how long it asks to wait. That one
// key is changed too often says nothing about the bucket: the error has a method OneKey() bool
// then.
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

// answers reports whether an error is what a service answers that works, such as that a key is
// absent.
func answers(err error) bool {
	for _, kind := range []error{fault.NotFound, fault.Unchanged, fault.Exists, fault.Conflict, fault.Limit} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// tryOf is how many tries of a request failed before this one.
func tryOf(ctx context.Context) int {
	if r := store.RepeatOf(ctx); r != nil {
		return r.Try
	}
	return 0
}

// waited says in the trace, and to who repeats the request, how long something was waited for.
func waited(ctx context.Context, what store.Resource, start time.Time) {
	store.RepeatOf(ctx).Hold(time.Since(start))
	if t := store.TraceOf(ctx); t != nil && t.Wait != nil {
		t.Wait(ctx, store.Wait{For: what, Took: time.Since(start)})
	}
}
