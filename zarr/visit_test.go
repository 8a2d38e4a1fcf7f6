package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestVisit compares the elements that Visit passes with those of Read, and the requests.
func TestVisit(t *testing.T) {
	gzip := []codec.Spec{{Name: "bytes", Config: []byte(`{"endian":"big"}`)}, {Name: "gzip", Config: []byte(`{"level":1}`)}}
	raw := []codec.Spec{{Name: "bytes", Config: []byte(`{"endian":"little"}`)}}
	transposed := append([]codec.Spec{{Name: "transpose", Config: []byte(`{"order":[1,0]}`)}}, raw...)
	c := cache.New(1<<20, cache.Immutable())
	for name, spec := range map[string]zarr.Spec{
		"raw":         {Codecs: raw},
		"gzip":        {Codecs: gzip},
		"transposed":  {Codecs: transposed},
		"shards":      {Codecs: gzip, Shards: []int{8, 12}},
		"raw shards":  {Codecs: raw, Shards: []int{8, 12}},
		"rectilinear": {Codecs: gzip, ChunkEdges: [][]int{{3, 4, 6}, {7, 9}}},
	} {
		for _, cached := range []bool{false, true} {
			t.Run(fmt.Sprint(name, cached), func(t *testing.T) {
				spec.Shape, spec.DType, spec.Fill = []int{13, 16}, dtype.Int16, int16(-7)
				if spec.ChunkEdges == nil {
					spec.Chunks = []int{4, 6}
				}
				a, err := zarr.Create(t.Context(), mem.New(), "", spec)
				succeed(t, err)
				values := make([]int16, 9*16) // the last rows are not stored
				for i := range values {
					values[i] = int16(i)
				}
				succeed(t, zarr.Write(t.Context(), a, values, zarr.Range(0, 9)))
				if cached {
					a, err = a.With(zarr.Cache(c))
					succeed(t, err)
				}
				for range 2 { // the second time from the cache
					for _, sel := range [][]zarr.Selection{nil, {zarr.Range(1, 12), zarr.Range(2, 15)}, {zarr.Range(3, 13).By(3), zarr.Range(0, 16).By(2)}, {zarr.At(5)}, {zarr.Range(4, 4)}} {
						visited(t, a, !cached, sel...)
					}
				}
			})
		}
	}
}

// visited checks that Visit passes the elements that Read returns, each once, with the same
// requests if compare is true.
func visited(t *testing.T, a *zarr.Array, compare bool, sel ...zarr.Selection) {
	t.Helper()
	var read, visit zarr.Report
	counted, err := a.With(zarr.WithReport(&read))
	succeed(t, err)
	want := mustRead[int16](t, counted, sel...)
	shape, err := a.Selected(sel...)
	succeed(t, err)
	got, times := make([]int16, len(want)), make([]int, len(want))
	var mu sync.Mutex
	counted, err = a.With(zarr.WithReport(&visit))
	succeed(t, err)
	succeed(t, zarr.Visit(t.Context(), counted, func(b zarr.Part[int16]) error {
		mu.Lock()
		defer mu.Unlock()
		i := 0
		for at := range (walk.Box{At: b.At, Shape: b.Shape}).Positions() {
			k := at[0]*shape[1] + at[1]
			got[k], times[k] = b.Values[i], times[k]+1
			if !b.Absent {
				i++
			}
		}
		if b.Len() > 0 && b.Absent != (len(b.Values) == 1) || !b.Absent && b.Len() != len(b.Values) {
			t.Errorf("a part of shape %v has %d values", b.Shape, len(b.Values))
		}
		return nil
	}, sel...))
	if !slices.Equal(got, want) || slices.ContainsFunc(times, func(n int) bool { return n != 1 }) {
		t.Errorf("%v: got %v, want %v", sel, got, want)
	}
	if r, v := read.Amount(), visit.Amount(); compare && r != v {
		t.Errorf("%v: Read needs %v, Visit %v", sel, r, v)
	}
}

func TestVisitErrors(t *testing.T) {
	a, err := zarr.Create(t.Context(), mem.New(), "", zarr.Spec{Shape: []int{100}, Chunks: []int{1}, DType: dtype.Int16})
	succeed(t, err)
	own := errors.New("own")
	if err := zarr.Visit(t.Context(), a, func(zarr.Part[int16]) error { return own }); err != own {
		t.Errorf("the error of the function is %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	err = zarr.Visit(stopped, a, func(zarr.Part[int16]) error { stop(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled context gives %v", err)
	}
	unused := func(zarr.Part[int16]) error { t.Error("called"); return nil }
	for _, sel := range []zarr.Selection{zarr.Index(1, 0), zarr.Points([]int{1})} {
		if err := zarr.Visit(t.Context(), a, unused, sel); !errors.Is(err, fault.Selection) {
			t.Errorf("%v: %v", sel, err)
		}
	}
	if err := zarr.Visit(t.Context(), a, func(zarr.Part[int32]) error { return nil }); !errors.Is(err, fault.Type) {
		t.Errorf("int32: %v", err)
	}
}
