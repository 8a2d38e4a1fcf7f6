package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// twoArrays creates a group "g" with the arrays "d" and "time" of 3 rows.
func twoArrays(t *testing.T, format int, consolidated bool) store.Store {
	t.Helper()
	st := mem.New()
	g := must(t)(zarr.CreateGroup(t.Context(), st, "g", zarr.Spec{Format: format})).(*zarr.Group)
	for path, shape := range map[string][]int{"d": {3, 2}, "time": {3}} {
		spec := zarr.Spec{Format: format, Shape: shape, Chunks: []int{2, 1}[:len(shape)], DType: dtype.Int32, Codecs: []codec.Spec{}}
		if spec.Dims = []string{"time", "x"}[:len(shape)]; format == 2 {
			spec.Attrs, spec.Dims = map[string]any{"_ARRAY_DIMENSIONS": []any{"time", "x"}[:len(shape)]}, nil
		}
		a := must(t)(g.CreateArray(t.Context(), path, spec)).(*zarr.Array)
		succeed(t, zarr.Write(t.Context(), a, slices.Repeat([]int32{1}, a.Len()), zarr.All))
	}
	if consolidated {
		must(t)(g.Consolidate(t.Context()))
	}
	return st
}

func must(t *testing.T) func(n zarr.Node, err error) zarr.Node {
	t.Helper()
	return func(n zarr.Node, err error) zarr.Node {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// inBubble returns an option for nodes in a bubble: the limits of the process belong to none.
func inBubble() zarr.Option {
	return zarr.Limit(zarr.Limits{Shared: &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(1 << 20)}})
}

// appendLate appends three rows with a number to both arrays. It calls before in the write of each.
func appendLate(ctx context.Context, st store.Store, v int32, o zarr.AppendOptions, before func()) error {
	g, err := zarr.OpenGroup(ctx, st, "g", inBubble())
	if err != nil {
		return err
	}
	rows := func(path string, width int) zarr.Rows {
		return zarr.Rows{Path: path, N: 3, Write: func(ctx context.Context, view *zarr.Array, from int) error {
			before()
			return zarr.Write(ctx, view, slices.Repeat([]int32{v}, 3*width), zarr.Range(from, zarr.End))
		}}
	}
	_, err = g.Append(ctx, "time", o, rows("d", 2), rows("time", 1))
	return err
}

func nothing() {}

// TestGroupRenewal checks that no other change takes over the claims of an append to a group that
// lives, however slow it is: neither that of the group nor those of its arrays.
func TestGroupRenewal(t *testing.T) {
	const age = 2 * time.Minute
	for _, format := range []int{2, 3} {
		for _, consolidated := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				st := twoArrays(t, format, consolidated)
				done := make(chan error, 1)
				go func() {
					done <- appendLate(t.Context(), st, 7, zarr.AppendOptions{}, func() { time.Sleep(3 * time.Hour) })
				}()
				for range 5 {
					time.Sleep(10 * time.Minute)
					g := must(t)(zarr.OpenGroup(t.Context(), st, "g", inBubble(), zarr.IgnoreConsolidated())).(*zarr.Group)
					a := must(t)(g.OpenArray(t.Context(), "time")).(*zarr.Array)
					for name, try := range map[string]func() error{
						"append to the group": func() error {
							return appendLate(t.Context(), st, 9, zarr.AppendOptions{TakeOver: age}, nothing)
						},
						"append to an array": func() error {
							_, err := zarr.Append(t.Context(), a, 0, []int32{9}, zarr.AppendOptions{TakeOver: age})
							return err
						},
						"resize of an array": func() error {
							_, err := a.Resize(t.Context(), []int{1}, zarr.ResizeOptions{TakeOver: age})
							return err
						},
						"drop of the claim of an array":  func() error { _, err := upkeep.DropClaim(t.Context(), a, age); return err },
						"drop of the claim of the group": func() error { _, err := upkeep.DropClaim(t.Context(), g, age); return err },
					} {
						if err := try(); !errors.Is(err, zarr.ErrConflict) {
							t.Errorf("v%d: %s: %v", format, name, err)
						}
					}
				}
				if err := <-done; err != nil {
					t.Errorf("v%d: %v", format, err)
				}
				checkTwo(t, st, 7)
				if n := claims(t, st); n != 0 {
					t.Errorf("v%d: %d claims are left", format, n)
				}
			})
		}
	}
}

// checkTwo checks that both arrays have the old rows, and three rows for each number.
func checkTwo(t *testing.T, st store.Store, numbers ...int32) {
	t.Helper()
	want := []int32{1, 1, 1}
	for _, v := range numbers {
		want = append(want, v, v, v)
	}
	g := must(t)(zarr.OpenGroup(t.Context(), st, "g", inBubble())).(*zarr.Group)
	for path, sel := range map[string][]zarr.Selection{"d": {zarr.All, zarr.Index(1)}, "time": nil} {
		a := must(t)(g.OpenArray(t.Context(), path)).(*zarr.Array)
		if got, err := zarr.Read[int32](t.Context(), a, sel...); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v, %v", path, got, want, err)
		}
	}
}

// TestGroupAppendLate suspends the process of an append before each of its requests. After a minute
// no other process takes over its claims. After two minutes an append to the group does, and leaves
// no claim. The suspended process returns late: it fails and changes nothing, unless its rows were
// stored before.
func TestGroupAppendLate(t *testing.T) {
	for _, format := range []int{2, 3} {
		for _, consolidated := range []bool{false, true} {
			for n, met := 1, true; met; n += race.Stride(7) {
				synctest.Test(t, func(t *testing.T) {
					met = suspended(t, fmt.Sprintf("v%d consolidated=%v request %d", format, consolidated, n), twoArrays(t, format, consolidated), n)
				})
			}
		}
	}
}

// suspended suspends an append before its n-th request. It returns false if the append has fewer.
func suspended(t *testing.T, name string, st store.Store, n int) bool {
	var sent atomic.Int64
	wake := make(chan struct{})
	slow := store.Around(st, store.Hooks{Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
		if sent.Add(1) >= int64(n) {
			<-wake
		}
		return ctx, nil
	}})
	done := make(chan error, 1)
	go func() { done <- appendLate(t.Context(), slow, 7, zarr.AppendOptions{}, nothing) }()
	time.Sleep(time.Minute)
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return false
	default:
	}
	over := zarr.AppendOptions{TakeOver: 2 * time.Minute}
	remaining := claims(t, st)
	second := appendLate(t.Context(), st, 9, over, nothing)
	if remaining == 0 && second != nil || remaining > 0 && second != nil && !errors.Is(second, zarr.ErrConflict) {
		t.Errorf("%s: %d claims: after a minute: %v", name, remaining, second)
	}
	if second != nil {
		time.Sleep(61 * time.Second)
		if second = appendLate(t.Context(), st, 9, over, nothing); second != nil {
			t.Errorf("%s: %d claims: after two minutes: %v", name, remaining, second)
		}
	}
	if left := claims(t, st); left != 0 {
		t.Errorf("%s: %d claims are left", name, left)
	}
	close(wake)
	numbers := []int32{9}
	switch err := <-done; {
	case err == nil && lengthOf(t, st) == 9:
		numbers = []int32{7, 9}
		if firstNew(t, st) == 9 { // it was suspended before its claim
			numbers = []int32{9, 7}
		}
	case err == nil, !errors.Is(err, zarr.ErrConflict) && !errors.Is(err, zarr.ErrExists):
		t.Errorf("%s: the late process returns %v", name, err)
	}
	checkTwo(t, st, numbers...)
	if left := claims(t, st); left != 0 {
		t.Errorf("%s: %d claims are left in the end", name, left)
	}
	third := appendLate(t.Context(), st, 5, zarr.AppendOptions{}, nothing)
	if third != nil {
		t.Errorf("%s: a further append: %v", name, third)
	}
	checkTwo(t, st, append(numbers, 5)...)
	return true
}

// firstNew returns the number of the first appended row.
func firstNew(t *testing.T, st store.Store) int32 {
	t.Helper()
	a := must(t)(zarr.OpenArray(t.Context(), st, "g/time", inBubble())).(*zarr.Array)
	v := mustRead[int32](t, a, zarr.Index(3))
	return v[0]
}

func lengthOf(t *testing.T, st store.Store) int {
	t.Helper()
	return must(t)(zarr.OpenArray(t.Context(), st, "g/time", inBubble())).(*zarr.Array).Shape()[0]
}

// TestGroupAppendEnds cancels the context of an append, or fills its disk, before each of its
// requests. No claim is left if the store can be written; otherwise the error states how to end it,
// and the next append takes over after two minutes.
func TestGroupAppendEnds(t *testing.T) {
	full := errors.New("no space left on device")
	for _, format := range []int{2, 3} {
		for _, cancelled := range []bool{true, false} {
			for n, met := 1, true; met; n += race.Stride(7) {
				synctest.Test(t, func(t *testing.T) {
					st := twoArrays(t, format, true)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					var sent atomic.Int64
					disk := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
						if sent.Add(1) < int64(n) {
							return ctx, nil
						}
						if cancelled {
							cancel()
						} else if c.Op == store.OpPut {
							return ctx, full
						}
						return ctx, nil
					}})
					err := appendLate(ctx, disk, 7, zarr.AppendOptions{}, nothing)
					met = sent.Load() >= int64(n)
					remaining := claims(t, st)
					name := fmt.Sprintf("v%d cancelled=%v request %d: %d claims remain", format, cancelled, n, remaining)
					switch {
					case remaining > 0 && cancelled:
						t.Errorf("%s: %v", name, err)
					case remaining > 0 && !half(err) && (!strings.Contains(err.Error(), "--take-over") || !errors.Is(err, full)):
						t.Errorf("%s: the error does not name them: %v", name, err)
					}
					time.Sleep(2*time.Minute + time.Second)
					numbers := []int32{9}
					if err := appendLate(t.Context(), st, 9, zarr.AppendOptions{TakeOver: 2 * time.Minute}, nothing); err != nil {
						t.Errorf("%s: after two minutes: %v", name, err)
					}
					if err == nil || half(err) && lengthOf(t, st) == 9 { // only the end of the claim failed
						numbers = []int32{7, 9}
					}
					checkTwo(t, st, numbers...)
					if left := claims(t, st); left != 0 {
						t.Errorf("%s: %d claims are left in the end", name, left)
					}
				})
			}
		}
	}
}
