package main

import (
	"context"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/examples/region"
	"github.com/zargo-io/zargo/examples/web"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// service responds to requests about arrays. After setup it is safe for concurrent use.
type service struct {
	timeout time.Duration
	most    int // maximum elements per request

	limits *concurrency.Limits // for encoded chunks of the library
	blocks *concurrency.Budget // for decoded blocks of requests

	arrays map[string]*zarr.Array
}

// perRequest is the number of chunks of one request that are read concurrently. Eight reads use
// most of the bandwidth to a bucket (docs/tuning.md, table 2), and leave request slots for other
// requests.
const perRequest = 8

// newService returns a service that uses about budget bytes of memory.
func newService(budget int64, timeout time.Duration, most int) *service {
	blocks := concurrency.NewBudget(budget / 2)
	return &service{timeout: timeout, most: most, blocks: blocks, arrays: map[string]*zarr.Array{},
		limits: &concurrency.Limits{CPU: concurrency.NewCPU(0), Bytes: concurrency.NewBudget(budget - budget/2)}}
}

// add opens the array at the root of a store. It must not be called concurrently with requests.
func (s *service) add(ctx context.Context, name string, st store.Store) error {
	a, err := zarr.OpenArray(ctx, st, "", zarr.Limit(zarr.Limits{Shared: s.limits, InFlight: 1})) // a block is in one chunk
	if err != nil {
		return err
	}
	if t := a.DType(); t != dtype.Float32 && t != dtype.Float64 {
		return fault.Newf(fault.Type, "array %s must have type float32 or float64, has %v", name, t)
	}
	if a.Chunks() == nil {
		return fault.Newf(errors.ErrUnsupported, "array %s has chunks that differ in shape", name)
	}
	chunk := int64(a.DType().Size())
	for _, n := range a.Chunks() {
		chunk *= int64(n)
	}
	if chunk > s.blocks.Size() {
		return fault.Newf(fault.Limit, "a chunk of array %s has %d bytes, more than half of the budget, %d", name, chunk, s.blocks.Size())
	}
	s.arrays[name] = a
	return nil
}

// handler returns the service's HTTP handler.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /arrays", func(w http.ResponseWriter, _ *http.Request) {
		about := map[string]string{}
		for name, a := range maps.All(s.arrays) {
			about[name] = a.String()
		}
		web.JSON(w, about)
	})
	mux.HandleFunc("GET /stats", s.page(func(x stats) any { return x }))
	mux.HandleFunc("GET /mean", s.page(func(x stats) any { return map[string]*float64{"mean": x.Mean} }))
	mux.HandleFunc("GET /point", s.page(func(x stats) any { return map[string]*float64{"value": x.Mean} }, one))
	return mux
}

// one checks that a region has exactly one element.
func one(r region.Region) error {
	if r.Len() != 1 {
		return fault.Newf(fault.Selection, "a point must be 1 element, the region has %d", r.Len())
	}
	return nil
}

// page returns a handler that responds with the statistics of a region, converted by of().
func (s *service) page(of func(stats) any, checks ...func(region.Region) error) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		ctx, cancel := context.WithTimeout(req.Context(), s.timeout)
		defer cancel()
		x, err := s.ask(ctx, req.FormValue("array"), req.FormValue("region"), checks...)
		switch {
		case errors.Is(err, context.Canceled) && req.Context().Err() != nil:
			// The client has disconnected, so do not respond.
		case err != nil:
			web.Fail(w, err)
		default:
			web.JSON(w, of(x))
		}
	}
}

func (s *service) ask(ctx context.Context, array, text string, checks ...func(region.Region) error) (stats, error) {
	a, ok := s.arrays[array]
	if !ok {
		return stats{}, fault.Newf(fault.NotFound, "array %q does not exist, the arrays are %q", array, slices.Sorted(maps.Keys(s.arrays)))
	}
	r, err := region.Parse(text, a.Shape())
	if err != nil {
		return stats{}, err
	}
	if r.Len() > s.most {
		return stats{}, fault.Newf(fault.Limit, "the region has %d elements, more than the maximum of %d", r.Len(), s.most)
	}
	for _, check := range checks {
		if err := check(r); err != nil {
			return stats{}, err
		}
	}
	if a.DType() == dtype.Float32 {
		return reduce[float32](ctx, s, a, r)
	}
	return reduce[float64](ctx, s, a, r)
}

// stats holds the statistics of a region. NaNs are ignored. A region without numbers has no mean,
// minimum or maximum.
type stats struct {
	Count int      `json:"count"`
	Mean  *float64 `json:"mean"`
	Min   *float64 `json:"min"`
	Max   *float64 `json:"max"`
}

// reduce reads a region chunk by chunk and computes its statistics.
func reduce[T float32 | float64](ctx context.Context, s *service, a *zarr.Array, r region.Region) (stats, error) {
	var mu sync.Mutex
	all := partial{min: math.Inf(1), max: math.Inf(-1)}
	err := concurrency.Each(ctx, perRequest, r.Blocks(a.Chunks()), func(ctx context.Context, block region.Region) error {
		hold, err := s.blocks.Acquire(ctx, concurrency.Task, int64(block.Len()*a.DType().Size()))
		if err != nil {
			return err
		}
		defer hold.Release()
		values, err := zarr.Read[T](ctx, a, block.Selection()...)
		if err != nil {
			return err
		}
		part := sum(values)
		mu.Lock()
		defer mu.Unlock()
		all.add(part)
		return nil
	})
	if err != nil {
		return stats{}, err
	}
	return all.stats(), nil
}

// partial holds the statistics of a part of the values.
type partial struct {
	count         int
	sum, min, max float64
}

func sum[T float32 | float64](values []T) partial {
	p := partial{min: math.Inf(1), max: math.Inf(-1)}
	for _, v := range values {
		if f := float64(v); !math.IsNaN(f) {
			p.add(partial{1, f, f, f})
		}
	}
	return p
}

func (p *partial) add(q partial) {
	p.count += q.count
	p.sum += q.sum
	p.min = min(p.min, q.min)
	p.max = max(p.max, q.max)
}

// stats returns the statistics. It omits values that JSON cannot represent: infinities, and the
// mean, the minimum and the maximum of no elements.
func (p *partial) stats() stats {
	finite := func(f float64) *float64 {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil
		}
		return &f
	}
	return stats{p.count, finite(p.sum / float64(p.count)), finite(p.min), finite(p.max)}
}
