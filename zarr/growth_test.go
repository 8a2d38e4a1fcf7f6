package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// layouts are specs of int32 arrays of shape 4, 4. Other shapes may end within their chunks.
var layouts = map[string]zarr.Spec{
	"v2":      {Format: 2, Shape: []int{4, 4}, Chunks: []int{3, 2}, DType: dtype.Int32},
	"v3":      {Shape: []int{4, 4}, Chunks: []int{3, 2}, DType: dtype.Int32, Codecs: []codec.Spec{}},
	"sharded": {Shape: []int{4, 4}, Chunks: []int{1, 2}, Shards: []int{3, 4}, DType: dtype.Int32},
}

// full makes an array of a layout, with the values 1 to 16.
func full(t *testing.T, st store.Store, layout string) *zarr.Array {
	t.Helper()
	a := create(t, st, layouts[layout])
	values := make([]int32, 16)
	for i := range values {
		values[i] = int32(i + 1)
	}
	succeed(t, zarr.Write(t.Context(), a, values))
	return a
}

// TestAppendResponseLost loses the response of each put in turn, whether it takes effect or not, or
// ends the context at it. The rows are stored once if Append succeeds, and are not visible if it
// fails.
func TestAppendResponseLost(t *testing.T) {
	for layout := range layouts {
		for _, applied := range []bool{true, false} {
			for _, cancels := range []bool{true, false} {
				t.Run(fmt.Sprint(layout, applied, cancels), func(t *testing.T) {
					for n := 0; ; n++ {
						st := mem.New()
						full(t, st, layout)
						ctx, cancel := context.WithCancel(t.Context())
						cut := &nth{Store: st, n: n, puts: true, fails: func(apply func()) error {
							if applied {
								apply()
							}
							if cancels {
								cancel()
								return context.Canceled
							}
							return zarr.ErrUnavailable
						}}
						a, err := zarr.OpenArray(ctx, cut, "a")
						if err != nil {
							t.Fatal(err)
						}
						_, err = zarr.Append(ctx, a, 0, slices.Repeat([]int32{7}, 12), zarr.AppendOptions{Wait: time.Minute})
						cancel()
						b, e := zarr.OpenArray(t.Context(), st, "a")
						if e != nil {
							t.Fatal(e)
						}
						want := []int{4, 4}
						if err == nil {
							want = []int{7, 4}
						}
						if !slices.Equal(b.Shape(), want) || claims(t, st) != 0 {
							t.Fatalf("put %d: shape %v after %v, %d claims", n, b.Shape(), err, claims(t, st))
						}
						if b, err = zarr.Append(t.Context(), b, 0, make([]int32, 12), zarr.AppendOptions{}); err != nil {
							t.Fatal(err)
						}
						got, err := zarr.Read[int32](t.Context(), b, zarr.Range(want[0], zarr.End))
						if err != nil || !slices.Equal(got, make([]int32, 12)) {
							t.Fatalf("put %d: %v, %v", n, got, err)
						}
						if !cut.reached() {
							break
						}
					}
				})
			}
		}
	}
}

// TestWriterResponseLost is TestAppendResponseLost for a Writer that extends its claim.
func TestWriterResponseLost(t *testing.T) {
	for layout := range layouts {
		for n := 0; ; n++ {
			st := mem.New()
			full(t, st, layout)
			cut := &nth{Store: st, n: n, puts: true, fails: func(apply func()) error {
				apply()
				return zarr.ErrUnavailable
			}}
			rows, err := 0, error(nil)
			a := mustOpen(t, cut, "a")
			w, err := zarr.NewWriter[int32](t.Context(), a, 0, zarr.AppendOptions{})
			if err != nil {
				t.Fatalf("%s, put %d: %v", layout, n, err)
			}
			for i := 0; i < 9 && err == nil; i++ {
				err = w.Write(t.Context(), slices.Repeat([]int32{int32(100 + i)}, 4))
			}
			a, e := w.Close(t.Context())
			if err == nil {
				err = e
			}
			rows = a.Shape()[0]
			a = onStore(t, a, st)
			if a.Shape()[0] != rows || err == nil && rows != 13 || claims(t, st) != 0 {
				t.Fatalf("%s, put %d: %d rows, the Writer says %d after %v; %d claims", layout, n, a.Shape()[0], rows, err, claims(t, st))
			}
			got := mustRead[int32](t, a, zarr.Range(4, zarr.End), zarr.At(0))
			for i, v := range got {
				if v != int32(100+i) {
					t.Fatalf("%s, put %d: %v", layout, n, got)
				}
			}
			if !cut.reached() {
				break
			}
		}
	}
}

// TestResizeCut ends a Resize at each of its puts. The shape is the old or the new one, and no
// claim remains.
func TestResizeCut(t *testing.T) {
	for layout := range layouts {
		for _, tt := range []struct {
			shape []int
			o     zarr.ResizeOptions
		}{
			{[]int{6, 4}, zarr.ResizeOptions{}},
			{[]int{2, 3}, zarr.ResizeOptions{}},
			{[]int{2, 3}, zarr.ResizeOptions{Clear: true}},
			{[]int{2, 6}, zarr.ResizeOptions{}},
			{[]int{2, 3}, zarr.ResizeOptions{MetadataOnly: true}},
			{[]int{6, 6}, zarr.ResizeOptions{MetadataOnly: true}},
		} {
			for _, arrives := range []string{"before", "after", "never"} {
				for _, left := range []bool{false, true} {
					t.Run(fmt.Sprint(layout, tt, arrives, left), func(t *testing.T) {
						for n := 0; ; n += race.Stride(5) {
							st := mem.New()
							a := full(t, st, layout)
							if left { // chunks of a failed append
								bad := onStore(t, a, &nth{Store: st, n: 4, puts: true, fails: func(func()) error { return errKilled }})
								if _, err := zarr.Append(t.Context(), bad, 1, slices.Repeat([]int32{99}, 16), zarr.AppendOptions{}); err == nil && layout != "sharded" {
									t.Fatal("it succeeded")
								}
							}
							ctx, cancel := context.WithCancel(t.Context())
							var late func()
							cut := &nth{Store: st, n: n, puts: true, fails: func(apply func()) error {
								if arrives == "before" {
									apply()
								}
								late = apply
								cancel()
								return context.Canceled
							}}
							was := onStore(t, a, cut)
							_, err := was.Resize(ctx, tt.shape, tt.o)
							cancel()
							if arrives == "after" && late != nil {
								late()
							}
							b := onStore(t, a, st)
							low := []int{min(was.Shape()[0], tt.shape[0]), min(was.Shape()[1], tt.shape[1])}
							if got := b.Shape(); err == nil && !slices.Equal(got, tt.shape) || err != nil && !slices.Equal(got, was.Shape()) && !slices.Equal(got, low) {
								t.Fatalf("put %d: shape %v after %v", n, got, err)
							}
							if claims(t, st) != 0 {
								t.Fatalf("put %d: a claim after %v", n, err)
							}
							if b, err = b.Resize(t.Context(), []int{9, 9}, zarr.ResizeOptions{MetadataOnly: true}); err != nil {
								t.Fatal(err)
							}
							got, err := zarr.Read[int32](t.Context(), b)
							if err != nil || slices.Contains(got, 99) && (was.Shape()[1] == 4) {
								t.Fatalf("put %d: %v, %v", n, got, err)
							}
							if !cut.reached() {
								break
							}
						}
					})
				}
			}
		}
	}
}

// truth is the set of valid states of an array. At a position it has a value, or, if a shape
// excluded the element meanwhile, the fill value or a previous value.
type truth struct {
	shape  []int
	values map[[2]int][]int32
}

func (tr *truth) set(from, to []int, v int32) {
	for i := from[0]; i < to[0]; i++ {
		for k := from[1]; k < to[1]; k++ {
			tr.values[[2]int{i, k}] = []int32{v}
		}
	}
}

func (tr *truth) resize(shape []int) {
	for at, v := range tr.values {
		if at[0] >= shape[0] || at[1] >= shape[1] {
			tr.values[at] = append(slices.Clone(v), 0)
		}
	}
	tr.shape = slices.Clone(shape)
}

func (tr *truth) check(a *zarr.Array) error {
	if !slices.Equal(a.Shape(), tr.shape) {
		return fmt.Errorf("the shape is %v, want %v", a.Shape(), tr.shape)
	}
	got, err := zarr.Read[int32](context.Background(), a)
	if err != nil {
		return err
	}
	for i, v := range got {
		at := position(tr.shape, i)
		may := tr.values[[2]int(at)]
		if may == nil {
			may = []int32{0}
		}
		if !slices.Contains(may, v) {
			return fmt.Errorf("%v is %d, and may be %v", at, v, may)
		}
	}
	return nil
}

// lateChunks is killed, but its puts of documents never take effect, so its change is never
// completed.
type lateChunks struct{ *killed }

func (k lateChunks) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	k.mu.Lock()
	dead := k.left == 0
	k.mu.Unlock()
	if dead && (strings.HasSuffix(key, "zarr.json") || strings.HasSuffix(key, ".zarray")) {
		return "", errKilled
	}
	return k.killed.Put(ctx, key, b, o)
}

// TestLatePuts kills processes that append or resize at a put while others continue, and executes
// puts of the killed ones in between. The test uses one goroutine.
func TestLatePuts(t *testing.T) {
	for layout := range layouts {
		t.Run(layout, func(t *testing.T) {
			for seed := uint64(0); seed < 400; seed += uint64(race.Stride(40)) {
				if err := latePuts(t, layout, seed); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
	}
}

func latePuts(t *testing.T, layout string, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 3))
	ctx, st := t.Context(), mem.New()
	a := full(t, st, layout)
	tr := &truth{shape: []int{4, 4}, values: map[[2]int][]int32{}}
	for i := range 16 {
		tr.values[[2]int{i / 4, i % 4}] = []int32{int32(i + 1)}
	}
	var dead []*killed
	var said strings.Builder
	for step := range 8 {
		a = onStore(t, a, st)
		if a.Shape()[0] == 0 || a.Shape()[1] == 0 {
			break
		}
		v := int32(100 * (step + 1))
		dying := r.IntN(3) == 0
		on := st
		var k *killed
		b, err := zarr.OpenArray(ctx, on, "a")
		if dying {
			k = &killed{Store: st, left: r.IntN(5)}
			dead = append(dead, k)
			b, err = zarr.OpenArray(ctx, lateChunks{k}, "a", zarr.Limit(zarr.Limits{InFlight: 1}))
		}
		if err != nil {
			return err
		}
		if r.IntN(2) == 0 {
			axis, n := r.IntN(2), 1+r.IntN(4)
			if r.IntN(3) == 0 {
				v = 0
			}
			from, to := make([]int, 2), b.Shape()
			from[axis] = to[axis]
			to[axis] += n
			fmt.Fprintln(&said, step, "append", axis, n, v, "dying", dying)
			_, err = zarr.Append(ctx, b, axis, slices.Repeat([]int32{v}, (to[0]-from[0])*(to[1]-from[1])), zarr.AppendOptions{TakeOver: -1})
			if err == nil {
				tr.shape = to
				tr.set(from, to, v)
			}
		} else {
			shape := []int{1 + r.IntN(8), 1 + r.IntN(8)}
			if r.IntN(4) == 0 {
				shape = b.Shape()
			}
			o := zarr.ResizeOptions{MetadataOnly: r.IntN(2) == 0, Clear: r.IntN(3) == 0, TakeOver: -1}
			was := b.Shape()
			fmt.Fprintln(&said, step, "resize", shape, o, "dying", dying)
			_, err = b.Resize(ctx, shape, o)
			if err == nil {
				tr.resize(shape)
			} else if is := onStore(t, a, st).Shape(); !slices.Equal(is, was) {
				tr.resize(is)
			}
		}
		if err != nil && !(dying && errors.Is(err, errKilled)) {
			return fmt.Errorf("%s%w", &said, err)
		}
		if err == nil && dying {
			k.left = 0
		}
		for _, k := range dead {
			if r.IntN(3) == 0 {
				k.arrive()
			}
		}
		now, err := zarr.OpenArray(ctx, st, "a")
		if err != nil {
			return err
		}
		if err := tr.check(now); err != nil {
			return fmt.Errorf("%s%w", &said, err)
		}
	}
	return nil
}

// TestClaimIsGone loses the response of the put of a shape, and another process then shrinks the
// array. The append succeeded, even if the other process is killed while it holds a claim. If
// another program replaced the document, the outcome is unknown and the append is not retried.
func TestClaimIsGone(t *testing.T) {
	for _, other := range []string{"resize", "killed resize", "program"} {
		st := mem.New()
		a := full(t, st, "v3")
		doc := string(mustGet(t, st, "a/zarr.json"))
		commit := -1 // the put of the shape: after the claim and the chunks
		cut := &nth{Store: st, puts: true, n: 3, fails: func(apply func()) error {
			commit = 3
			switch other {
			case "program":
				put(t, st, "a/zarr.json", strings.Replace(doc, `"attributes": {}`, `"attributes": {"units":"K"}`, 1))
			case "resize":
				apply()
				if _, err := onStore(t, a, st).Resize(t.Context(), []int{4, 4}, zarr.ResizeOptions{MetadataOnly: true}); err != nil {
					t.Fatal(err)
				}
			default:
				apply()
				if _, err := onStore(t, a, afterPut(st)).Resize(t.Context(), []int{4, 4}, zarr.ResizeOptions{}); err == nil {
					t.Fatal("it was not killed")
				}
			}
			return zarr.ErrUnavailable
		}}
		b, err := zarr.OpenArray(t.Context(), cut, "a")
		if err != nil {
			t.Fatal(err)
		}
		_, err = zarr.Append(t.Context(), b, 0, slices.Repeat([]int32{7}, 8), zarr.AppendOptions{Wait: time.Minute})
		if commit < 0 || (other == "program") != (err != nil) || errors.Is(err, zarr.ErrConflict) {
			t.Errorf("%s: %v", other, err)
		}
		left := 0
		if other == "killed resize" {
			left = 1
		}
		if is := onStore(t, a, st); !slices.Equal(is.Shape(), []int{4, 4}) || claims(t, st) != left {
			t.Errorf("%s: %v, %d claims", other, is.Shape(), claims(t, st))
		}
	}
}

// afterPut is a store that refuses every request after the first put.
func afterPut(st store.Store) store.Store {
	var dead atomic.Bool
	return store.Around(st, store.Hooks{
		Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
			if dead.Load() {
				return ctx, zarr.ErrRefused
			}
			return ctx, nil
		},
		After: func(_ context.Context, c store.Call, _ store.Result) {
			if c.Op == store.OpPut {
				dead.Store(true)
			}
		},
	})
}
