package zarr_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// resolved returns the requests of a plan, one per line.
func resolved(t *testing.T, p *zarr.Plan) (lines []string, err error) {
	t.Helper()
	for r, err := range p.Resolve(t.Context()) {
		if err != nil {
			return lines, err
		}
		lines = append(lines, r.String())
	}
	return lines, nil
}

func mustPlan(t *testing.T, a *zarr.Array, sel ...zarr.Selection) *zarr.Plan {
	t.Helper()
	p, err := a.Plan(sel...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPlanOfManyChunks checks that a plan takes no memory for its chunks, and that iteration can
// stop early.
func TestPlanOfManyChunks(t *testing.T) {
	a := mustCreate(t, mem.New(), "", zarr.Spec{Shape: []int{1 << 30}, Chunks: []int{1}, DType: dtype.Uint8, Codecs: []codec.Spec{}}, zarr.Limit(zarr.Limits{Requests: 3}))
	p := mustPlan(t, a)
	n := 0
	for r := range p.Requests() {
		if n++; r.Key != "c/"+string(rune('0'+n-1)) || n == 5 {
			break
		}
	}
	if n != 5 {
		t.Errorf("%d requests", n)
	}
	for r, err := range p.Resolve(t.Context()) {
		if err != nil || r.Key != "c/0" {
			t.Errorf("%v, %v", r, err)
		}
		break
	}
	if _, err := a.Plan(zarr.At(1 << 30)); !errors.Is(err, zarr.ErrSelection) {
		t.Errorf("out of bounds: %v", err)
	}
}

// TestPlanEnds checks that an ended context is detected before a request, and that an error names
// the shard.
func TestPlanEnds(t *testing.T) {
	backing := mem.New()
	sharded(t, backing)
	a := mustOpen(t, tuned{backing, 0, 64}, "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := 0
	for _, err := range mustPlan(t, a).Resolve(ctx) {
		if n++; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if n != 1 {
		t.Errorf("%d results", n)
	}
	replaceShard(t, backing, []byte("too short"))
	var at *zarr.ChunkError
	if got, err := resolved(t, mustPlan(t, a)); !errors.Is(err, zarr.ErrCorrupt) || !errors.As(err, &at) || at.Key != "x/c/0" || got != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestPlanOfBareStores checks the plan for a store that cannot read shards in parts: one request
// for each index, which fails, and then one for each whole shard.
func TestPlanOfBareStores(t *testing.T) {
	for _, noTail := range []bool{false, true} {
		backing := mem.New()
		sharded(t, backing)
		a := mustOpen(t, tuned{bare{backing, noTail}, 0, 64}, "x", zarr.Limit(zarr.Limits{Chunk: 1 << 20}))
		for _, want := range []string{"get x/c/0 last 1028: 1028 bytes, get x/c/0: at most 1052680 bytes", "get x/c/0: at most 1052680 bytes"} {
			if got, err := resolved(t, mustPlan(t, a, zarr.At(40))); err != nil || strings.Join(got, ", ") != want {
				t.Errorf("without tails %v: %q, %v", noTail, got, err)
			}
		}
	}
}

// TestPlanMeetsWriters checks that the plan of a shard that is replaced while its indexes are read
// is that of the new shard.
func TestPlanMeetsWriters(t *testing.T) {
	backing := mem.New()
	writer, _ := twice(t, backing, false, false)
	done := false
	var once sync.Once // indexes are read concurrently
	st := hooked{backing, func(_ string, o store.GetOptions) {
		if o.IfVersion != "" {
			once.Do(func() {
				done = true
				if err := zarr.Write(t.Context(), writer, slices.Repeat([]uint8{0}, 32), zarr.Range(0, 32)); err != nil {
					t.Error(err)
				}
			})
		}
	}}
	a := mustOpen(t, tuned{st, -1, 0}, "x")
	got, err := resolved(t, mustPlan(t, a, zarr.Index(20, 50)))
	if err != nil || !done {
		t.Fatal(err, done)
	}
	// The second inner shard is gone, and the fourth begins at its offset.
	if want := []string{"get x/c/0 last 68: 68 bytes", "get x/c/0 132+68: 68 bytes", "get x/c/0 100+8: 8 bytes"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// A shard that changes at every read ends in an error.
	a, err = zarr.OpenArray(t.Context(), tuned{answered{backing, func(_ string, o store.GetOptions) error {
		if o.IfVersion != "" {
			return zarr.ErrConflict
		}
		return nil
	}}, -1, 0}, "x")
	if err != nil {
		t.Fatal(err)
	}
	var at *zarr.ChunkError
	if _, err := resolved(t, mustPlan(t, a)); !errors.Is(err, zarr.ErrConflict) || !errors.As(err, &at) || at.Key != "x/c/0" {
		t.Errorf("%v", err)
	}
}

// TestPlanAfterRead checks that an index in memory is part of the plan, but not requested again.
func TestPlanAfterRead(t *testing.T) {
	backing := mem.New()
	sharded(t, backing)
	var r zarr.Report
	a := mustOpen(t, tuned{backing, 0, 64}, "x", zarr.WithReport(&r), zarr.Limit(zarr.Limits{Requests: 1}))
	for range 2 {
		r.Gets.Store(0)
		got, err := resolved(t, mustPlan(t, a, zarr.At(40)))
		if want := "get x/c/0 last 1028: 1028 bytes, get x/c/0 32+16: 16 bytes"; err != nil || strings.Join(got, ", ") != want {
			t.Errorf("%q, %v", got, err)
		}
	}
	if r.Gets.Load() != 0 {
		t.Errorf("%v", &r)
	}
}

func TestRequestString(t *testing.T) {
	for want, r := range map[string]zarr.Request{
		"get k: 5 bytes":             {Op: "get", Key: "k", Bytes: 5, Exact: true},
		"get k last 5: 5 bytes":      {Op: "get", Key: "k", Bytes: 5, Exact: true, Range: store.Suffix(5)},
		"put k: at most 5 bytes":     {Op: "put", Key: "k", Bytes: 5},
		"get k: any number of bytes": {Op: "get", Key: "k", Bytes: math.MaxInt64},
		"get k 2+3: at most 3 bytes": {Op: "get", Key: "k", Bytes: 3, Range: store.Within(2, 3)},
	} {
		if got := r.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// measured is a store in a cloud with recent measurements of its requests.
type measured struct{ tuned }

func (s measured) Provide(target any) bool {
	switch t := target.(type) {
	case *store.Measured:
		*t = store.Measured{Latency: 10 * time.Millisecond, Bandwidth: 4e6}
		return true
	case *store.Tuning:
		s.tuned.Provide(t)
		t.Requests = 8
		return true
	}
	return false
}

// TestResolveMeasured checks that a read from a store that measures its speed sends the requests
// that Resolve yields, because both use one snapshot of the measurements.
func TestResolveMeasured(t *testing.T) {
	const chunk, shard = 4 << 10, 122 // bytes, and chunks of a fiftieth of the shard
	backing := mem.New()
	mustCreate(t, backing, "x", zarr.Spec{Shape: []int{50 * shard * chunk}, Chunks: []int{chunk}, Shards: []int{50 * shard * chunk}, DType: dtype.Uint8, Codecs: []codec.Spec{}})
	st := measured{tuned{backing, 1 << 20, 16 << 20}}
	var r zarr.Report
	a := mustOpen(t, st, "x", zarr.WithReport(&r))
	succeed(t, zarr.Write(t.Context(), a, bytes.Repeat([]byte{1}, 50*shard*chunk)))
	var wanted []int // the index of one element of each chunk
	for i := range 50 {
		for k := range 16 {
			wanted = append(wanted, (i*shard+k)*chunk, (i*shard+31+k)*chunk)
		}
	}
	slices.Sort(wanted)
	p, err := a.Plan(zarr.Index(wanted...))
	if err != nil {
		t.Fatal(err)
	}
	if head, _, _ := strings.Cut(p.String(), "\n"); head != "# a request takes 10ms, a connection transfers 4 MB/s" {
		t.Errorf("it prints %q", head)
	}
	planned := int64(0)
	for _, err := range p.Resolve(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		planned++
	}
	if a, err = zarr.OpenArray(t.Context(), st, "x", zarr.WithReport(&r)); err != nil {
		t.Fatal(err)
	}
	before := r.Gets.Load()
	succeed(t, second(zarr.Read[uint8](t.Context(), a, zarr.Index(wanted...))))
	if got := r.Gets.Load() - before; got != planned || got != 101 {
		t.Errorf("%d requests, %d were planned", got, planned)
	}
}
