package bucketcheck

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
)

// warm is the number of requests before the first measured request. These requests open a
// connection and fetch credentials.
const warm = 3

// measure measures times and derives settings from them. If a request fails, the measurement ends
// with a note in the report. Run then returns no error, because all checks were performed before.
func (b *bench) measure(ctx context.Context, r *Report) error {
	m := b.n.speed(b.o.Key != "")
	b.left.Store(int64(m.calls))
	s, err := b.another(ctx, b.n.greatest)
	if err != nil {
		return err
	}
	r.Speed = &Speed{}
	err = b.times(ctx, s, r.Speed)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		r.Speed.Note = "a request failed: " + brief(err)
	}
	if b.total.attempts.Load() == 0 {
		r.Speed.Note = "the store has no network, so its settings are not changed" // times of memory or a cached disk do not apply
		return nil
	}
	r.Tuning = append(r.Tuning, advice(r.Speed, store.TuningOf(b.root))...)
	return nil
}

func (b *bench) times(ctx context.Context, s store.Store, sp *Speed) (err error) {
	n := b.n
	buf := make([]byte, 0, n.large)
	if b.o.Key == "" {
		small := pattern(int(n.small), 60)
		if sp.Put, err = b.latency(ctx, n.small, func() error {
			_, err := s.Put(ctx, keyOf("small", 0), small, store.PutOptions{})
			return err
		}); err != nil {
			return err
		}
	}
	if sp.Get, err = b.latency(ctx, n.small, func() error { return b.read(ctx, s, keyOf("small", 0), 0, n.small, buf) }); err != nil {
		return err
	}
	if sp.Bandwidth, err = b.stream(ctx, s, sp.Get.first(), buf); err != nil {
		return err
	}
	if b.o.Key == "" {
		if err := b.fill(ctx, s); err != nil {
			return err
		}
	}
	for _, l := range n.levels {
		level, err := b.level(ctx, l, n.reads, func(ctx context.Context, i int) (int64, error) {
			at := b.o.Key
			if at == "" {
				at = keyOf("chunk", i%n.chunks)
			}
			o := store.GetOptions{}
			if b.o.Key != "" {
				o.Range = b.key.stretch(i, n.chunk)
			}
			v, err := s.Get(ctx, at, o, nil)
			return int64(len(v.Bytes)), err
		})
		if err != nil {
			return err
		}
		sp.Reads = append(sp.Reads, level)
	}
	if b.o.Key != "" {
		return nil
	}
	chunk := pattern(int(n.chunk), 62)
	for at, l := range n.levels {
		level, err := b.level(ctx, l, n.writes, func(ctx context.Context, i int) (int64, error) {
			// GCS allows one write per second for each key, so each write has its own key.
			_, err := s.Put(ctx, keyOf("put", at*n.writes+i), chunk, store.PutOptions{})
			return n.chunk, err
		})
		if err != nil {
			return err
		}
		sp.Writes = append(sp.Writes, level)
	}
	return nil
}

// read reads the value of key. If Options.Key is set, it reads n bytes of that object instead.
func (b *bench) read(ctx context.Context, s store.Store, key string, i int, n int64, buf []byte) error {
	o := store.GetOptions{}
	if b.o.Key != "" {
		key, o.Range = b.o.Key, b.key.stretch(i, n)
	}
	_, err := s.Get(ctx, key, o, buf[:0])
	return err
}

// latency measures the time of calls of do, which sends one request for size bytes.
func (b *bench) latency(ctx context.Context, size int64, do func() error) (*Latency, error) {
	var took []time.Duration
	var heads []time.Duration
	for i := range warm + b.n.repeats {
		if i == warm {
			b.total.listen(true)
		}
		start := time.Now()
		if err := do(); err != nil {
			b.total.listen(false)
			return nil, err
		}
		if i >= warm {
			took = append(took, time.Since(start))
		}
		if ctx.Err() != nil {
			break
		}
	}
	for _, h := range b.total.listen(false) {
		heads = append(heads, h.After)
	}
	return &Latency{
		Requests: b.n.repeats, Bytes: size, P50: quantile(took, 50), P95: quantile(took, 95), FirstByte: quantile(heads, 50), Tail: quantile(heads, 95),
	}, ctx.Err()
}

// listen starts or stops the recording of response headers. It returns the headers recorded so far.
func (c *counter) listen(keep bool) []store.FirstByte {
	c.mu.Lock()
	defer c.mu.Unlock()
	heads := c.heads
	c.heads, c.keep = nil, keep
	return heads
}

// quantile returns the smallest value in all that is not less than percent % of the values, or 0 if
// all is empty.
func quantile(all []time.Duration, percent int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	all = slices.Sorted(slices.Values(all))
	return all[(len(all)*percent+99)/100-1]
}

// stream returns the median bandwidth of several reads of a large value, each by one request. It
// subtracts the time to the first byte, which is unknown without a network. In that case it
// subtracts first, the latency of small values.
func (b *bench) stream(ctx context.Context, s store.Store, first time.Duration, buf []byte) (*Stream, error) {
	const key, least = "large", mib
	size := b.n.large
	if b.o.Key != "" {
		size = min(size, int64(len(b.key.value)))
		if size < least {
			return nil, nil // the time is too short and mostly latency
		}
	} else if _, err := s.Put(ctx, keyOf(key, 0), pattern(int(size), 61), store.PutOptions{}); err != nil {
		return nil, err
	}
	var rates []float64
	for i := range b.n.larges {
		b.total.listen(true)
		start := time.Now()
		err := b.read(ctx, s, keyOf(key, 0), i, size, buf)
		took := time.Since(start)
		heads := b.total.listen(false)
		if err != nil {
			return nil, err
		}
		if len(heads) > 0 {
			took -= heads[len(heads)-1].After
		} else {
			took -= first
		}
		rates = append(rates, float64(size)/max(took, time.Microsecond).Seconds())
	}
	slices.Sort(rates)
	return &Stream{len(rates), size, rates[len(rates)/2]}, nil
}

// fill puts the values that the throughput measurements read.
func (b *bench) fill(ctx context.Context, s store.Store) error {
	chunk := pattern(int(b.n.chunk), 63)
	return concurrency.EachN(ctx, b.n.chunks, b.n.chunks, func(ctx context.Context, i int) error {
		_, err := s.Put(ctx, keyOf("chunk", i), chunk, store.PutOptions{})
		return err
	})
}

// level measures the throughput with inFlight requests in flight. The measurement ends after the
// given number of requests or after the time b.n.each.
func (b *bench) level(ctx context.Context, inFlight, requests int, do func(context.Context, int) (int64, error)) (Level, error) {
	l := Level{InFlight: inFlight}
	var mu sync.Mutex
	var took []time.Duration
	repeats := b.total.repeats.Load()
	start := time.Now()
	err := concurrency.EachN(ctx, inFlight, requests, func(ctx context.Context, i int) error {
		begun := time.Now()
		if begun.Sub(start) >= b.n.each {
			return nil
		}
		n, err := do(ctx, i)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		took = append(took, time.Since(begun))
		l.Bytes += n
		return nil
	})
	if err != nil {
		return l, err
	}
	l.Took = max(time.Since(start), time.Microsecond)
	l.Requests, l.P50, l.P95 = len(took), quantile(took, 50), quantile(took, 95)
	l.Repeats = b.total.repeats.Load() - repeats
	l.PerSecond = float64(l.Requests) / l.Took.Seconds()
	return l, nil
}
