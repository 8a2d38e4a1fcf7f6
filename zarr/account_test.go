package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// TestProgressEnds: a progress bar that counts chunks ends at as many as there are, whatever documents were read and written.
func TestProgressEnds(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		var created, written, read zarr.Report
		spec := zarr.Spec{Shape: []int{16}, Chunks: []int{1}, DType: dtype.Float32, Format: format, Attrs: map[string]any{"units": "K"}}
		a, err := zarr.Create(t.Context(), st, "x", spec, zarr.ReportTo(&created))
		if err != nil {
			t.Fatal(err)
		}
		if n := created.Chunks.Load(); n != 0 || created.Puts.Load() == 0 || created.BytesWritten.Load() == 0 {
			t.Errorf("v%d: Create: %v", format, &created)
		}
		if a, err = a.With(zarr.ReportTo(&written)); err != nil {
			t.Fatal(err)
		}
		src := count(16)
		for i := range src {
			src[i]++ // no fill value
		}
		if err := zarr.Write(t.Context(), a, src); err != nil {
			t.Fatal(err)
		}
		if n := written.Chunks.Load(); n != 16 || written.Puts.Load() != 16 {
			t.Errorf("v%d: Write: %d of 16, %v", format, n, &written)
		}
		if a, err = zarr.OpenArray(t.Context(), st, "x", zarr.ReportTo(&read)); err != nil {
			t.Fatal(err)
		}
		if _, err := zarr.Read[float32](t.Context(), a); err != nil {
			t.Fatal(err)
		}
		if n := read.Chunks.Load(); n != 16 || read.Missing.Load() != 0 {
			t.Errorf("v%d: Read: %d of 16, %v", format, n, &read)
		}
	}
}

// TestReportCountsEveryRequest compares a report with what a store was asked for: listings and what Replace deletes, too.
func TestReportCountsEveryRequest(t *testing.T) {
	var mu sync.Mutex
	seen := map[store.Op]int64{}
	st := store.Observe(mem.New(), func(_ context.Context, e store.Event) {
		mu.Lock()
		defer mu.Unlock()
		seen[e.Op]++
	})
	var r zarr.Report
	opts := []zarr.Option{zarr.ReportTo(&r)}
	ctx := t.Context()
	spec := zarr.Spec{Shape: []int{4, 4}, Chunks: []int{2, 2}, DType: dtype.Int32}
	g, err := zarr.CreateGroup(ctx, st, "", zarr.Spec{}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	a, err := g.CreateArray(ctx, "x", spec)
	if err == nil {
		err = zarr.Write(ctx, a, []int32{1, 2, 3, 4}, zarr.Range(1, 3), zarr.Range(1, 3))
	}
	if err == nil {
		a, err = zarr.Replace(ctx, st, "x", spec, opts...)
	}
	if err == nil {
		_, err = a.SetAttrs(ctx, map[string]any{"a": 1})
	}
	if err == nil {
		g, err = zarr.OpenGroup(ctx, st, "", opts...)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range g.Walk(ctx) {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := fmt.Sprint(r.Gets.Load(), r.Puts.Load(), r.Deletes.Load(), r.Lists.Load())
	if want := fmt.Sprint(seen[store.OpGet], seen[store.OpPut], seen[store.OpDelete], seen[store.OpList]); got != want || r.Deletes.Load() == 0 || r.Lists.Load() == 0 {
		t.Errorf("got %s, want %s: %v", got, want, &r)
	}
}

// throttled refuses the first request for each key.
type throttled struct {
	store.Store
	seen sync.Map
}

func (s *throttled) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if _, again := s.seen.LoadOrStore(key, true); !again {
		return store.Value{}, &fault.KeyError{Op: "get", Key: key, Kind: fault.Throttled}
	}
	return s.Store.Get(ctx, key, o, buf)
}

// TestReportHearsRetries: of chunks and of documents; they are no requests of the call, and MaxRequests does not bound them.
func TestReportHearsRetries(t *testing.T) {
	backing := mem.New()
	a := mustCreate(t, backing, "x", zarr.Spec{Shape: []int{4}, Chunks: []int{1}, DType: dtype.Float32})
	if err := zarr.Write(t.Context(), a, []float32{1, 2, 3, 4}); err != nil {
		t.Fatal(err)
	}
	st, err := retry.New(&throttled{Store: backing}, retry.Backoff(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	var r zarr.Report
	if a, err = zarr.OpenArray(t.Context(), st, "x", zarr.ReportTo(&r), zarr.MaxRequests(4)); err != nil {
		t.Fatal(err)
	}
	opened := r.Gets.Load()
	if r.Retries.Load() != opened {
		t.Errorf("opening: %v", &r)
	}
	if _, err := zarr.Read[float32](t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if r.Gets.Load() != opened+4 || r.Retries.Load() != opened+4 || !strings.Contains(r.String(), "retries") {
		t.Errorf("reading: %v", &r)
	}
}

// TestMaxRequestsIsTheLeast: of reads and writes, the least that they take is refused before anything is requested.
func TestMaxRequestsIsTheLeast(t *testing.T) {
	backing := mem.New()
	mustCreate(t, backing, "x", zarr.Spec{Shape: []int{8}, Chunks: []int{2}, DType: dtype.Float32})
	var r zarr.Report
	a := mustOpen(t, backing, "x")
	a, err := a.With(zarr.MaxRequests(3), zarr.ReportTo(&r))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		call     func() error
		want     error
		requests int64
	}{
		{"three chunks", func() error { _, err := zarr.Read[float32](t.Context(), a, zarr.Range(0, 6)); return err }, nil, 3},
		{"four chunks", func() error { _, err := zarr.Read[float32](t.Context(), a); return err }, zarr.ErrLimit, 0},
		{"three whole chunks written", func() error { return zarr.Write(t.Context(), a, count(6), zarr.Range(0, 6)) }, nil, 3},
		{"two halves written", func() error { return zarr.Write(t.Context(), a, count(2), zarr.Range(1, 3)) }, zarr.ErrLimit, 0},
		{"a half written", func() error { return zarr.Write(t.Context(), a, count(1), zarr.Range(1, 2)) }, nil, 2},
	} {
		before := r.Gets.Load() + r.Puts.Load() + r.Deletes.Load()
		err := tt.call()
		if n := r.Gets.Load() + r.Puts.Load() + r.Deletes.Load() - before; !errors.Is(err, tt.want) || n != tt.requests {
			t.Errorf("%s: %v after %d requests, want %d", tt.name, err, n, tt.requests)
		}
	}
}
