package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// pairing is a group of two arrays that are extended together. Every row of one has the same number
// as that row of the other.
type pairing struct {
	format       int
	sharded      bool
	consolidated bool
}

func pairings() (all []pairing) {
	for _, format := range []int{2, 3} {
		for _, consolidated := range []bool{false, true} {
			all = append(all, pairing{format, false, consolidated})
			if format == 3 {
				all = append(all, pairing{format, true, consolidated})
			}
		}
	}
	return all
}

func (p pairing) String() string {
	return fmt.Sprintf("v%d sharded=%v consolidated=%v", p.format, p.sharded, p.consolidated)
}

// create makes the group with 3 rows.
func (p pairing) create(t *testing.T) store.Store {
	t.Helper()
	st := mem.New()
	g, err := zarr.CreateGroup(t.Context(), st, "g", zarr.Spec{Format: p.format})
	if err != nil {
		t.Fatal(err)
	}
	for path, shape := range map[string][]int{"d": {3, 2}, "time": {3}} {
		spec := zarr.Spec{Shape: shape, Chunks: []int{2, 1}[:len(shape)], DType: dtype.Int32, Dims: []string{"time", "x"}[:len(shape)]}
		if p.sharded {
			spec.Shards = []int{4, 2}[:len(shape)]
		}
		if p.format == 2 {
			spec.Attrs, spec.Dims = map[string]any{"_ARRAY_DIMENSIONS": []any{"time", "x"}[:len(shape)]}, nil
		}
		a, err := g.CreateArray(t.Context(), path, spec)
		if err != nil {
			t.Fatal(err)
		}
		succeed(t, zarr.Write(t.Context(), a, slices.Repeat([]int32{1}, a.Len())))
	}
	if p.consolidated {
		succeed(t, second(g.Consolidate(t.Context())))
	}
	return st
}

// appendPair appends n rows with a number.
func appendPair(ctx context.Context, st store.Store, v int32, n int, o zarr.AppendOptions) error {
	g, err := zarr.OpenGroup(ctx, st, "g")
	if err == nil {
		_, err = g.Append(ctx, "time", o, zarr.RowsOf("d", slices.Repeat([]int32{v}, 2*n)), zarr.RowsOf("time", slices.Repeat([]int32{v}, n)))
	}
	return err
}

// half reports whether err means that some arrays are longer than others. Such an error names the
// first row, with which the append can be repeated safely.
func half(err error) bool {
	return err != nil && strings.Contains(err.Error(), "arrays are longer") && strings.Contains(err.Error(), "TakeOver, and At=")
}

// outcome is the result of an append of n rows with a number.
type outcome struct {
	v   int32
	n   int
	err error
}

// check checks that both arrays have the same rows: those of each successful append once, and those
// of failed ones not at all, unless the error reported that some arrays are longer.
func (p pairing) check(st store.Store, appends ...outcome) error {
	ctx := context.Background()
	g, err := zarr.OpenGroup(ctx, st, "g")
	if err != nil {
		return err
	}
	var rows [2][]int32
	for i, path := range []string{"d", "time"} {
		a, err := zarr.OpenArray(ctx, st, "g/"+path)
		if err != nil {
			return err
		}
		through, err := g.OpenArray(ctx, path)
		if err != nil {
			return err
		}
		if !slices.Equal(through.Shape(), a.Shape()) {
			return fmt.Errorf("%s has the shape %v, and %v through the group", path, a.Shape(), through.Shape())
		}
		if rows[i], err = zarr.Read[int32](ctx, a); err != nil {
			return err
		}
		if path == "d" {
			for k := 0; k < len(rows[i]); k += 2 {
				if rows[i][k] != rows[i][k+1] {
					return fmt.Errorf("row %d of d: %v", k/2, rows[i])
				}
				rows[i][k/2] = rows[i][k]
			}
			rows[i] = rows[i][:len(rows[i])/2]
		}
	}
	if !slices.Equal(rows[0], rows[1]) {
		return fmt.Errorf("d has %v, time %v", rows[0], rows[1])
	}
	got := rows[0]
	if len(got) < 3 || !slices.Equal(got[:3], []int32{1, 1, 1}) {
		return fmt.Errorf("%v", got)
	}
	for got = got[3:]; len(got) > 0; {
		i := slices.IndexFunc(appends, func(o outcome) bool { return o.v == got[0] })
		if i < 0 || len(got) < appends[i].n || slices.ContainsFunc(got[:appends[i].n], func(v int32) bool { return v != got[0] }) {
			return fmt.Errorf("%v are not the rows of an append", rows[0])
		}
		if err := appends[i].err; err != nil && !half(err) {
			return fmt.Errorf("%v: rows of an append that failed: %w", rows[0], err)
		}
		got = got[appends[i].n:]
		appends = slices.Delete(slices.Clone(appends), i, i+1)
	}
	for _, o := range appends {
		if o.err == nil {
			return fmt.Errorf("%v: rows %d are lost", rows[0], o.v)
		}
	}
	return nil
}

// TestGroupAppendsMeet runs two healthy processes. One stops before each of its requests until the
// other has ended or, at each of its own requests, stops for the first.
func TestGroupAppendsMeet(t *testing.T) {
	for _, p := range pairings() {
		t.Run(p.String(), func(t *testing.T) {
			meet(t, func(n, m int) (bool, bool) {
				st := p.create(t)
				first, second := outcome{v: 11, n: 3}, outcome{v: 21, n: 3}
				a, b := interleave(t.Context(), st, n, m, func(st store.Store) {
					first.err = appendPair(t.Context(), st, first.v, first.n, zarr.AppendOptions{})
				}, func(st store.Store) {
					second.err = appendPair(t.Context(), st, second.v, second.n, zarr.AppendOptions{})
				})
				for _, o := range []*outcome{&first, &second} {
					if o.err != nil && !errors.Is(o.err, zarr.ErrConflict) || half(o.err) {
						t.Fatalf("%d, %d: %v", n, m, o.err)
					}
				}
				if err := p.check(st, first, second); err != nil {
					t.Fatalf("%d, %d: %v", n, m, err)
				}
				for _, o := range []*outcome{&first, &second} {
					if o.err != nil {
						o.err = appendPair(t.Context(), st, o.v, o.n, zarr.AppendOptions{})
					}
				}
				if err := p.check(st, first, second); err != nil || claims(t, st) != 0 || first.err != nil || second.err != nil {
					t.Fatalf("%d, %d: %v; %d claims; %v, %v", n, m, err, claims(t, st), first.err, second.err)
				}
				return a, b
			})
		})
	}
}

// TestGroupAppendsTakenOver lets a second process take over from the first, which is slow but still
// running.
func TestGroupAppendsTakenOver(t *testing.T) {
	for _, p := range pairings() {
		for _, rows := range []int{3, 2} {
			t.Run(fmt.Sprint(p, rows), func(t *testing.T) {
				meet(t, func(n, m int) (bool, bool) {
					st := p.create(t)
					first, second := outcome{v: 11, n: 3}, outcome{v: 21, n: rows}
					a, b := interleave(t.Context(), st, n, m, func(st store.Store) {
						first.err = appendPair(t.Context(), st, first.v, first.n, zarr.AppendOptions{})
					}, func(st store.Store) {
						second.err = appendPair(t.Context(), st, second.v, second.n, zarr.AppendOptions{TakeOver: -1})
					})
					for _, o := range []*outcome{&first, &second} {
						if o.err != nil && !errors.Is(o.err, zarr.ErrConflict) {
							t.Fatalf("%d, %d: %v", n, m, o.err)
						}
					}
					// An append that is visible in some arrays is completed with its rows.
					third := outcome{v: 31, n: 3}
					if claims(t, st) != 0 {
						if third.err = appendPair(t.Context(), st, third.v, third.n, zarr.AppendOptions{TakeOver: -1}); third.err != nil {
							third.n = rows
							third.err = appendPair(t.Context(), st, third.v, third.n, zarr.AppendOptions{TakeOver: -1})
						}
					} else {
						third.err = appendPair(t.Context(), st, third.v, third.n, zarr.AppendOptions{})
					}
					if err := p.check(st, first, second, third); err != nil || claims(t, st) != 0 || third.err != nil {
						t.Fatalf("%d, %d: %v; %d claims; %v, %v, %v", n, m, err, claims(t, st), first.err, second.err, third.err)
					}
					return a, b
				})
			})
		}
	}
}

// TestGroupAppendTakerKilled kills the process that takes over an append before one of its puts,
// while the first process, which is slow but still running, continues. A third process completes
// the append.
func TestGroupAppendTakerKilled(t *testing.T) {
	step := 2 * race.Stride(50)
	for _, p := range pairings() {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			for n, met := 0, true; met; n += race.Stride(7) {
				for m := n % step; ; m += step {
					st := p.create(t)
					first, second, third := outcome{v: 11, n: 3}, outcome{v: 21, n: 3}, outcome{v: 31, n: 3}
					taker := &killed{Store: st, left: m}
					met, _ = interleave(t.Context(), st, n, math.MaxInt, func(st store.Store) {
						first.err = appendPair(t.Context(), st, first.v, first.n, zarr.AppendOptions{})
					}, func(store.Store) {
						second.err = appendPair(t.Context(), taker, second.v, second.n, zarr.AppendOptions{TakeOver: -1})
					})
					third.err = appendPair(t.Context(), st, third.v, third.n, zarr.AppendOptions{TakeOver: -1})
					if err := p.check(st, first, second, third); err != nil || claims(t, st) != 0 || third.err != nil {
						t.Fatalf("%d, %d: %v; %d claims; %v, %v, %v", n, m, err, claims(t, st), first.err, second.err, third.err)
					}
					if second.err == nil || m > 50 {
						break
					}
				}
			}
		})
	}
}

// meet calls f with the numbers of the requests at which two processes stop, until a process has no
// more requests. It uses each request of the first process with every third of the second.
func meet(t *testing.T, f func(n, m int) (first, second bool)) {
	t.Helper()
	step := 3 * race.Stride(50)
	for n := 0; ; n += race.Stride(7) {
		for m := n % step; ; m += step {
			first, second := f(n, m)
			if !first {
				t.Logf("%d requests", n)
				return
			}
			if !second {
				break
			}
			if m > 200 {
				t.Fatal("no end of requests")
			}
		}
	}
}

// interleave runs a until before its n-th request, then b until before its m-th, then a to its end,
// and then b. It reports whether both sent at least that many requests.
func interleave(_ context.Context, st store.Store, n, m int, a, b func(store.Store)) (bool, bool) {
	stopped, goOn, done := make(chan bool), make(chan bool), make(chan bool)
	first := &nth{Store: st, n: n, do: func() { stopped <- true; <-goOn }}
	go func() { a(first); close(done) }()
	select {
	case <-stopped:
	case <-done:
	}
	second := &nth{Store: st, n: m, do: func() {
		if first.reached() {
			close(goOn)
			<-done
		}
	}}
	b(second)
	if first.reached() && !second.reached() {
		close(goOn)
	}
	<-done
	return first.reached(), second.reached()
}

// TestGroupAppendCut ends the context between each put and its response. The put takes effect
// before, later, or never.
func TestGroupAppendCut(t *testing.T) {
	for _, p := range pairings() {
		for _, arrives := range []string{"before", "after", "never"} {
			t.Run(fmt.Sprint(p, arrives), func(t *testing.T) {
				for n := 0; ; n += race.Stride(7) {
					st := p.create(t)
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
					first, second := outcome{v: 11, n: 3}, outcome{v: 21, n: 2}
					first.err = appendPair(ctx, cut, first.v, first.n, zarr.AppendOptions{})
					cancel()
					if half(first.err) {
						t.Fatalf("%d: %v", n, first.err)
					}
					if arrives == "after" && late != nil {
						late()
					}
					if claims(t, st) != 0 {
						t.Fatalf("%d: a claim is left after %v", n, first.err)
					}
					second.err = appendPair(t.Context(), st, second.v, second.n, zarr.AppendOptions{})
					if err := p.check(st, first, second); err != nil || second.err != nil || claims(t, st) != 0 {
						t.Fatalf("%d: %v; %v, %v; %d claims", n, err, first.err, second.err, claims(t, st))
					}
					if !cut.reached() {
						t.Logf("%d puts", n)
						break
					}
				}
			})
		}
	}
}

// TestGroupAppendResponseLost loses the response of one put at a time, and checks that with Wait
// the rows are stored once.
func TestGroupAppendResponseLost(t *testing.T) {
	for _, p := range pairings() {
		for _, applied := range []bool{true, false} {
			t.Run(fmt.Sprint(p, applied), func(t *testing.T) {
				for n := 0; ; n += race.Stride(7) {
					st := p.create(t)
					cut := &nth{Store: st, n: n, puts: true, fails: func(apply func()) error {
						if applied {
							apply()
						}
						return zarr.ErrUnavailable
					}}
					first, second := outcome{v: 11, n: 3}, outcome{v: 21, n: 2}
					first.err = appendPair(t.Context(), cut, first.v, first.n, zarr.AppendOptions{Wait: time.Minute})
					if half(first.err) || claims(t, st) != 0 {
						t.Fatalf("%d: %v, %d claims", n, first.err, claims(t, st))
					}
					second.err = appendPair(t.Context(), st, second.v, second.n, zarr.AppendOptions{})
					if err := p.check(st, first, second); err != nil || second.err != nil || claims(t, st) != 0 {
						t.Fatalf("%d: %v; %v, %v; %d claims", n, err, first.err, second.err, claims(t, st))
					}
					if !cut.reached() {
						break
					}
				}
			})
		}
	}
}
