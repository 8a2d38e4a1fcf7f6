package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestAppendRefuses checks that a refused append sends no request and changes nothing.
func TestAppendRefuses(t *testing.T) {
	st := mem.New()
	a := create(t, st, zarr.Spec{Shape: []int{3, 4}, Chunks: []int{2, 2}, DType: dtype.Int32})
	tests := []struct {
		name string
		do   func() error
		want error
	}{
		{"not whole rows", func() error {
			_, err := zarr.Append(t.Context(), a, 0, make([]int32, 5), zarr.AppendOptions{})
			return err
		}, fault.Selection},
		{"no such axis", func() error {
			_, err := zarr.Append(t.Context(), a, 2, make([]int32, 4), zarr.AppendOptions{})
			return err
		}, fault.Selection},
		{"another type", func() error {
			_, err := zarr.Append(t.Context(), a, 0, make([]string, 4), zarr.AppendOptions{})
			return err
		}, fault.Type},
		{"half an element", func() error {
			_, err := a.AppendFunc(t.Context(), 0, 1, func(ctx context.Context, view *zarr.Array, from int) error {
				return view.WriteBytes(ctx, make([]byte, 6), zarr.Range(from, zarr.End))
			}, zarr.AppendOptions{})
			return err
		}, fault.Selection},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.do(); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
	if docs := claims(t, st); docs != 0 {
		t.Errorf("%d claims are left", docs)
	}
	if out, err := zarr.Append(t.Context(), a, 0, []int32{}, zarr.AppendOptions{}); err != nil || !slices.Equal(out.Shape(), a.Shape()) {
		t.Errorf("no rows: %v, %v", out, err)
	}
}

// TestAppendOnStale checks that an append to an array that was extended since it was opened fails,
// and that with Wait it appends after the existing elements.
func TestAppendOnStale(t *testing.T) {
	st := mem.New()
	a := create(t, st, zarr.Spec{Shape: []int{2}, Chunks: []int{2}, DType: dtype.Int32})
	succeed(t, second(zarr.Append(t.Context(), a, 0, []int32{1, 2, 3}, zarr.AppendOptions{})))
	if _, err := zarr.Append(t.Context(), a, 0, []int32{4}, zarr.AppendOptions{}); !errors.Is(err, zarr.ErrConflict) {
		t.Fatalf("%v, want ErrConflict", err)
	}
	a, err := zarr.Append(t.Context(), a, 0, []int32{4}, zarr.AppendOptions{Wait: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	wantValues(t, a, 0, 0, 1, 2, 3, 4)
	// Attributes that were changed meanwhile remain, and the append succeeds.
	succeed(t, second(a.SetAttrs(t.Context(), map[string]any{"units": "K"})))
	a, err = zarr.Append(t.Context(), a, 0, []int32{5}, zarr.AppendOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if units, _, err := zarr.Attr[string](a, "units"); err != nil || units != "K" {
		t.Errorf("units are %q, %v", units, err)
	}
}

// TestTakeOver kills a process at each of its puts. Readers see the previous elements, and other
// writers get ErrConflict until they take over. Then the array is complete, even if puts of the
// killed process arrive during or after the takeover.
func TestTakeOver(t *testing.T) {
	for _, zeros := range []bool{false, true} {
		for left := range 6 { // the append puts two documents and four chunks
			for late := range 2 {
				t.Run(fmt.Sprint(zeros, left, late), func(t *testing.T) {
					st := mem.New()
					a := create(t, st, zarr.Spec{Shape: []int{3}, Chunks: []int{2}, DType: dtype.Int32})
					succeed(t, zarr.Write(t.Context(), a, []int32{1, 2, 3}))
					k := &killed{Store: st, left: left}
					dying, err := zarr.OpenArray(t.Context(), k, "a", zarr.Limit(zarr.Limits{InFlight: 1}))
					if err != nil {
						t.Fatal(err)
					}
					_, err = zarr.Append(t.Context(), dying, 0, []int32{-1, -2, -3, -4, -5, -6, -7}, zarr.AppendOptions{})
					if !errors.Is(err, errKilled) {
						t.Fatalf("nothing was killed: %v", err)
					}
					a, err = a.Refresh(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					wantValues(t, a, 1, 2, 3)
					more := []int32{4, 5, 6}
					if zeros {
						more = []int32{0, 0, 0}
					}
					if left > 0 {
						if _, err := zarr.Append(t.Context(), a, 0, more, zarr.AppendOptions{}); !errors.Is(err, zarr.ErrConflict) {
							t.Fatalf("%v, want ErrConflict", err)
						}
						if _, err := zarr.Append(t.Context(), a, 0, more, zarr.AppendOptions{TakeOver: 2 * time.Minute}); !errors.Is(err, zarr.ErrConflict) {
							t.Fatalf("%v, want ErrConflict: the claim is young", err)
						}
					}
					over := zarr.AppendOptions{TakeOver: -1}
					if late == 1 { // during the takeover: after the claim is taken
						a = onStore(t, a, &after{Store: st, n: 1, do: func() { k.arrive() }})
					}
					a, err = zarr.Append(t.Context(), a, 0, more, over)
					if err != nil {
						t.Fatal(err)
					}
					k.arrive()
					a = onStore(t, a, st)
					wantValues(t, a, append([]int32{1, 2, 3}, more...)...)
					for range 3 {
						if a, err = zarr.Append(t.Context(), a, 0, []int32{7, 0}, over); err != nil {
							t.Fatal(err)
						}
						k.arrive()
					}
					wantValues(t, a, append(append([]int32{1, 2, 3}, more...), 7, 0, 7, 0, 7, 0)...)
					if n := claims(t, st); n != 0 {
						t.Errorf("%d documents still have a claim", n)
					}
				})
			}
		}
	}
}

// onStore opens an array again in another store, with the same options.
func onStore(t *testing.T, a *zarr.Array, st store.Store) *zarr.Array {
	t.Helper()
	b := mustOpen(t, st, a.Path(), a.Options()...)
	return b
}

// TestFailedAppendLeavesNoClaim checks that after a failed append the next one finds the previous
// array, and that no element of the failed append is visible.
func TestFailedAppendLeavesNoClaim(t *testing.T) {
	st := mem.New()
	a := create(t, st, zarr.Spec{Shape: []int{1}, Chunks: []int{2}, DType: dtype.Int32})
	bad := onStore(t, a, &failingKey{Store: st, key: "a/c/3"})
	if _, err := zarr.Append(t.Context(), bad, 0, []int32{9, 9, 9, 9, 9, 9, 9, 9}, zarr.AppendOptions{}); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	a, err := zarr.Append(t.Context(), a, 0, []int32{0, 0, 0}, zarr.AppendOptions{}) // where the failed append wrote
	if err != nil {
		t.Fatal(err)
	}
	for a.Shape()[0] < 12 {
		if a, err = zarr.Append(t.Context(), a, 0, []int32{0, 0}, zarr.AppendOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	wantValues(t, a, make([]int32, a.Len())...)
	if n := claims(t, st); n != 0 {
		t.Errorf("%d documents still have a record", n)
	}
}

// TestAppendRace appends concurrently from several goroutines and processes that wait for each
// other, and checks that every row is stored once.
func TestAppendRace(t *testing.T) {
	st := mem.New()
	create(t, st, zarr.Spec{Shape: []int{0}, Chunks: []int{3}, DType: dtype.Int32})
	var wg sync.WaitGroup
	const writers, each = 6, 5
	for w := range writers {
		wg.Go(func() {
			a, err := zarr.OpenArray(t.Context(), st, "a")
			for i := 0; i < each && err == nil; i++ {
				a, err = zarr.Append(t.Context(), a, 0, []int32{int32(100*w + i), int32(-100*w - i)}, zarr.AppendOptions{Wait: time.Minute})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for open := true; open; {
		select {
		case <-done:
			open = false
		default:
		}
		a := mustOpen(t, st, "a")
		got := mustRead[int32](t, a)
		seen := map[int32]bool{}
		for i := 0; i < len(got); i += 2 {
			if got[i] != -got[i+1] || seen[got[i]] {
				t.Fatalf("rows %d: %v", i, got)
			}
			seen[got[i]] = true
		}
		if !open && len(seen) != writers*each {
			t.Errorf("%d appends are there, want %d", len(seen), writers*each)
		}
	}
}

// claims counts documents with a claim, or with the record of an abandoned one.
func claims(t *testing.T, st store.Store) (n int) {
	t.Helper()
	for _, key := range keys(t, st) {
		if strings.Contains(get(t, st, key), "zargo_claim") {
			n++
		}
	}
	return n
}

func create(t *testing.T, st store.Store, spec zarr.Spec) *zarr.Array {
	t.Helper()
	a := mustCreate(t, st, "a", spec)
	return a
}

func wantValues(t *testing.T, a *zarr.Array, want ...int32) {
	t.Helper()
	got := mustRead[int32](t, a)
	if !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
}

// TestAttributesKeepTheClaim checks that the record of a change in progress is not an attribute,
// and that SetAttrs does not remove it.
func TestAttributesKeepTheClaim(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			st := mem.New()
			a := create(t, st, zarr.Spec{Format: format, Shape: []int{2}, Chunks: []int{2}, DType: dtype.Int32, Attrs: map[string]any{"units": "K"}})
			if format == 3 { // with values that are not JSON, as some writers store them
				doc := `{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"int32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},` +
					`"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"attributes":{"units":"K","missing":NaN}}`
				succeed(t, second(st.Put(t.Context(), "a/zarr.json", []byte(doc), store.PutOptions{})))
				a = onStore(t, a, st)
			}
			k := &killed{Store: st, left: 1}
			if _, err := zarr.Append(t.Context(), onStore(t, a, k), 0, []int32{1}, zarr.AppendOptions{}); !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			a = onStore(t, a, st)
			if claims(t, st) != 1 || len(a.Attrs()) > 2 || a.Attrs()["units"] != "K" {
				t.Fatalf("%d claims, attributes %v", claims(t, st), a.Attrs())
			}
			a, err := a.SetAttrs(t.Context(), map[string]any{"units": "C"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := zarr.Append(t.Context(), a, 0, []int32{2}, zarr.AppendOptions{}); !errors.Is(err, zarr.ErrConflict) {
				t.Fatalf("%v, want ErrConflict", err)
			}
			if a, err = zarr.Append(t.Context(), a, 0, []int32{2, 3}, zarr.AppendOptions{TakeOver: -1}); err != nil {
				t.Fatal(err)
			}
			wantValues(t, a, 0, 0, 2, 3)
			if attrs := onStore(t, a, st).Attrs(); len(attrs) != 1 || attrs["units"] != "C" || claims(t, st) != 0 {
				t.Errorf("%d claims, attributes %v", claims(t, st), attrs)
			}
		})
	}
}
