package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// forecast creates a group with data, its coordinate, and an array without the dimension that
// grows.
func forecast(t *testing.T, st store.Store, format int, consolidated bool) *zarr.Group {
	t.Helper()
	g, err := zarr.CreateGroup(t.Context(), st, "g", zarr.Spec{Format: format})
	if err != nil {
		t.Fatal(err)
	}
	for path, spec := range map[string]zarr.Spec{
		"t2m":       {Shape: []int{2, 3}, Chunks: []int{2, 2}, DType: dtype.Int32, Dims: []string{"time", "x"}},
		"time":      {Shape: []int{2}, Chunks: []int{4}, DType: dtype.Int64, Dims: []string{"time"}},
		"x":         {Shape: []int{3}, Chunks: []int{3}, DType: dtype.Int64, Dims: []string{"x"}},
		"below/t2m": {Shape: []int{3, 2}, Chunks: []int{2, 2}, DType: dtype.Int32, Dims: []string{"x", "time"}},
	} {
		if format == 2 {
			dims := spec.Dims
			list := make([]any, len(dims))
			for i, d := range dims {
				list[i] = d
			}
			spec.Dims, spec.Attrs = nil, map[string]any{"_ARRAY_DIMENSIONS": list}
		}
		a, err := g.CreateArray(t.Context(), path, spec)
		if err != nil {
			t.Fatal(err)
		}
		succeed(t, a.WriteBytes(t.Context(), bytesOf(a.Len()*a.DType().Size(), 1)))
	}
	if consolidated {
		if g, err = g.Consolidate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func bytesOf(n int, v byte) []byte { return slices.Repeat([]byte{v}, n) }

// day returns n rows for each array that has the dimension time.
func day(n int, v int32) []zarr.Rows {
	return []zarr.Rows{
		zarr.RowsOf("t2m", slices.Repeat([]int32{v}, 3*n)),
		zarr.RowsOf("time", slices.Repeat([]int64{int64(v)}, n)),
		{Path: "below/t2m", N: n, Write: func(ctx context.Context, a *zarr.Array, from int) error {
			return a.WriteBytes(ctx, bytesOf(3*n*4, byte(v)), zarr.All, zarr.Range(from, from+n))
		}},
	}
}

// lengths returns the lengths of the arrays along time: those in the group's consolidated metadata
// or, with IgnoreConsolidated, those of the arrays themselves.
func lengths(t *testing.T, st store.Store, opts ...zarr.Option) [3]int {
	t.Helper()
	g, err := zarr.OpenGroup(t.Context(), st, "g", opts...)
	if err != nil {
		t.Fatal(err)
	}
	var n [3]int
	for i, path := range []string{"t2m", "time", "below/t2m"} {
		a, err := g.OpenArray(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		n[i] = a.Shape()[slices.Index(a.Dims(), "time")]
	}
	return n
}

func TestGroupAppend(t *testing.T) {
	for _, format := range []int{2, 3} {
		for _, consolidated := range []bool{true, false} {
			t.Run(fmt.Sprint(format, consolidated), func(t *testing.T) {
				st := mem.New()
				g := forecast(t, st, format, consolidated)
				for i := range 5 {
					var err error
					if g, err = g.Append(t.Context(), "time", zarr.AppendOptions{}, day(i+1, int32(i))...); err != nil {
						t.Fatal(err)
					}
				}
				want := [3]int{17, 17, 17}
				if got := lengths(t, st); got != want {
					t.Errorf("%v, want %v", got, want)
				}
				if got := lengths(t, st, zarr.IgnoreConsolidated()); got != want {
					t.Errorf("by themselves %v, want %v", got, want)
				}
				a, err := g.OpenArray(t.Context(), "below/t2m")
				if err != nil {
					t.Fatal(err)
				}
				got := mustRead[int32](t, a, zarr.Range(1, 2))
				const one = 0x01010101
				if want := []int32{one, one, 0, one, one, 2 * one, 2 * one, 2 * one, 3 * one, 3 * one, 3 * one, 3 * one, 4 * one, 4 * one, 4 * one, 4 * one, 4 * one}; !slices.Equal(got, want) {
					t.Errorf("%v, want %v", got, want)
				}
				if n := claims(t, st); n != 0 {
					t.Errorf("%d claims are left", n)
				}
			})
		}
	}
}

func TestGroupAppendRefuses(t *testing.T) {
	st := mem.New()
	g := forecast(t, st, 3, true)
	rows := day(1, 1)
	tests := []struct {
		name string
		dim  string
		rows []zarr.Rows
		want error
	}{
		{"an array left out", "time", rows[:2], fault.Selection},
		{"no rows", "time", nil, fault.Selection},
		{"different numbers", "time", append(day(2, 1)[:1], rows[1:]...), fault.Selection},
		{"twice", "time", append(slices.Clone(rows), rows[0]), fault.Selection},
		{"another dimension", "x", rows, fault.Selection},
		{"no such array", "time", append(slices.Clone(rows), zarr.RowsOf("no", []int32{1})), fault.NotFound},
		{"another type", "time", append(slices.Clone(rows[1:]), zarr.RowsOf("t2m", []string{"a", "b", "c"})), fault.Type},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := g.Append(t.Context(), tt.dim, zarr.AppendOptions{}, tt.rows...); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
	if got := lengths(t, st, zarr.IgnoreConsolidated()); got != [3]int{2, 2, 2} || claims(t, st) != 0 {
		t.Errorf("%v, %d claims", got, claims(t, st))
	}
	a, err := g.OpenArray(t.Context(), "time")
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, second(zarr.Append(t.Context(), a, 0, []int64{3}, zarr.AppendOptions{})))
	if _, err := g.Append(t.Context(), "time", zarr.AppendOptions{}, rows...); !errors.Is(err, fault.Conflict) {
		t.Errorf("arrays of different lengths: %v", err)
	}
}

// TestGroupAppendKilled kills a process at each of its puts. Consolidated metadata always shows all
// arrays at the same length, also while another process completes the append.
func TestGroupAppendKilled(t *testing.T) {
	for _, format := range []int{2, 3} {
		done := false
		for left := 0; !done; left++ {
			st := mem.New()
			forecast(t, st, format, true)
			k := &killed{Store: st, left: left}
			g, err := zarr.OpenGroup(t.Context(), k, "g")
			if err != nil {
				t.Fatal(err)
			}
			_, err = g.Append(t.Context(), "time", zarr.AppendOptions{}, day(3, 7)...)
			done = err == nil
			if !done && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if !done {
				if got := lengths(t, st); got != [3]int{2, 2, 2} && (got != [3]int{5, 5, 5} || format == 3) {
					t.Fatalf("%d puts: %v", left, got)
				}
				seen := &watched{Store: st, look: func() {
					if got := lengths(t, st); got[0] != got[1] || got[0] != got[2] {
						t.Errorf("%d puts: %v while it is completed", left, got)
					}
				}}
				over := zarr.AppendOptions{TakeOver: -1}
				if g, err = zarr.OpenGroup(t.Context(), seen, "g"); err != nil {
					t.Fatal(err)
				}
				if lengths(t, st) == [3]int{5, 5, 5} { // only the end of the record is missing
					succeed(t, second(g.Append(t.Context(), "time", over, day(2, 8)...)))
					if got := lengths(t, st); got != [3]int{7, 7, 7} || claims(t, st) != 0 {
						t.Fatalf("%d puts: %v in the end, %d claims", left, got, claims(t, st))
					}
					continue
				}
				if _, err := g.Append(t.Context(), "time", over, day(2, 7)...); left > 1 && !errors.Is(err, fault.Conflict) && lengths(t, st, zarr.IgnoreConsolidated()) != [3]int{4, 4, 4} {
					t.Fatalf("%d puts: other rows: %v", left, err)
				} else if err == nil {
					continue // the killed append left nothing
				}
				if _, err := g.Append(t.Context(), "time", over, day(3, 7)...); err != nil {
					t.Fatalf("%d puts: %v", left, err)
				}
				k.arrive()
			}
			if got := lengths(t, st); got != [3]int{5, 5, 5} {
				t.Fatalf("%d puts: %v in the end", left, got)
			}
			a := mustOpen(t, st, "g/time")
			const ones = 0x0101010101010101
			got, err := zarr.Read[int64](t.Context(), a)
			if err != nil || !slices.Equal(got, []int64{ones, ones, 7, 7, 7}) {
				t.Fatalf("%d puts: %v, %v", left, got, err)
			}
			if n := claims(t, st); n != 0 {
				t.Fatalf("%d puts: %d claims are left", left, n)
			}
		}
	}
}

// watched is a store that calls look after each put.
type watched struct {
	store.Store
	mu   sync.Mutex
	look func()
}

func (w *watched) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	v, err := w.Store.Put(ctx, key, b, o)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.look()
	return v, err
}
