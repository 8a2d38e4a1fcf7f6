package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// copy saves, runs and cleans plan i with one worker, as the command does, in a process with dst as
// its target.
func (p *pair) copy(i int, dst store.Store) error {
	o := transfer.RunOptions{Parallel: 1}
	w, err := transfer.Start(p.t.Context(), p.plans[i], p.open(dst), o)
	if err == nil {
		err = w.Save(p.t.Context())
	}
	if err == nil {
		err = w.Run(p.t.Context(), o)
	}
	if err == nil {
		err = w.Clean(p.t.Context())
	}
	return err
}

// chunk returns the key of the first chunk of the target.
func (p *pair) chunk() string {
	key := "t/"
	if p.k.group {
		key += "x/"
	}
	if p.k.format == 3 {
		key += "c/"
	}
	return key + "0"
}

// TestCopiesMeet suspends a copy at each of its requests, while another process acts on the same
// target. At most one plan succeeds, and nothing remains beside the copy.
func TestCopiesMeet(t *testing.T) {
	for _, k := range kinds() {
		for name, other := range map[string]func(p *pair) error{
			"another copy":   func(p *pair) error { return p.copy(1, p.dst) },
			"the same copy":  func(p *pair) error { return p.copy(0, p.dst) },
			"a saved plan":   func(p *pair) error { return transfer.Save(p.t.Context(), p.dst, p.plans[0]) },
			"the first task": func(p *pair) error { return transfer.RunTask(p.t.Context(), p.plans[0], 0, p.open(p.dst)) },
			"a stray object": func(p *pair) error {
				_, err := p.dst.Put(p.t.Context(), p.chunk(), []byte("stray"), store.PutOptions{IfAbsent: true})
				return err
			},
			"clean": func(p *pair) error { return transfer.Clean(p.t.Context(), p.plans[0], p.open(p.dst)) },
		} {
			for at := 1; ; at += race.Stride(19) {
				say := fmt.Sprintf("%s: %s at request %d", k.name, name, at)
				p := newPair(t, k, mem.New(), mem.New())
				first := newStepped(p.dst, at, held)
				result := make(chan error, 1)
				go func() { result <- p.copy(0, first) }()
				var err error
				ended := false
				select {
				case <-first.stop:
				case err = <-result:
					ended = true
				}
				errOther := other(p)
				if !ended {
					close(first.free)
					err = <-result
				}
				for _, err := range []error{err, errOther} {
					if err != nil && !errors.Is(err, fault.Exists) && !errors.Is(err, fault.Conflict) {
						t.Fatalf("%s: %v", say, err)
					}
				}
				switch {
				case err == nil:
					p.holds(0, say)
				case name == "another copy" && errOther == nil:
					p.holds(1, say)
				case name == "another copy":
					t.Fatalf("%s: none succeeds: %v, %v", say, err, errOther)
				}
				if err != nil || ended || name == "clean" || name == "a saved plan" { // what the other process stored after the copy was cleaned
					check(t, transfer.Clean(t.Context(), p.plans[0], p.open(p.dst)))
				}
				p.left(say)
				if ended {
					break
				}
			}
		}
	}
}

// TestCopyKilled kills a copy at each of its requests, or drops the response to each. It is resumed
// as the command does it: with the saved plan, or from the beginning if none was saved.
func TestCopyKilled(t *testing.T) {
	for _, k := range kinds() {
		for _, what := range []happens{killed, lost} {
			for at := 1; ; at += race.Stride(19) {
				say := fmt.Sprintf("%s: %d at request %d", k.name, what, at)
				p := newPair(t, k, mem.New(), mem.New())
				first := newStepped(p.dst, at, what)
				err := p.copy(0, first)
				if !first.reached() {
					check(t, err)
					break
				}
				saved, none := transfer.Saved(t.Context(), p.dst, "t")
				switch {
				case none == nil:
					p.plans[0] = saved
					check(t, p.run(0, p.dst))
					check(t, transfer.Clean(t.Context(), saved, p.open(p.dst)))
				case !errors.Is(none, fault.NotFound):
					t.Fatalf("%s: Saved: %v", say, none)
				default:
					if err := p.copy(0, p.dst); err != nil && !errors.Is(err, fault.Exists) { // complete, and cleaned
						t.Fatalf("%s: again: %v", say, err)
					}
				}
				p.holds(0, say)
				p.left(say)
			}
		}
	}
}

// TestCopyKilledAfterMeeting suspends a copy at each of its requests, while another process runs
// the first task of the plan. The copy is killed at one of the requests that follow. Another
// process can complete it.
func TestCopyKilledAfterMeeting(t *testing.T) {
	for _, k := range kinds() {
		for at := 1; ; at += race.Stride(19) {
			ended := false
			for more := at % 4; more < 14; more += 4 {
				say := fmt.Sprintf("%s: met at request %d, killed %d requests later", k.name, at, more+1)
				p := newPair(t, k, mem.New(), mem.New())
				first := newStepped(p.dst, at, held)
				first.dies = at + more + 1
				result := make(chan error, 1)
				go func() { result <- p.copy(0, first) }()
				select {
				case <-first.stop:
					check(t, transfer.RunTask(t.Context(), p.plans[0], 0, p.open(p.dst)))
					close(first.free)
					t.Log(<-result) // killed, or removed
				case err := <-result:
					ended = err == nil
				}
				if err := p.run(0, p.dst); err != nil {
					t.Fatalf("%s: %v", say, err)
				}
				p.holds(0, say)
				check(t, transfer.Clean(t.Context(), p.plans[0], p.open(p.dst)))
				p.left(say)
			}
			if ended {
				break
			}
		}
	}
}

// TestLateAfterKilled kills the first process of a plan before it puts a marker: its objects are
// stored, and the state of the claim is taken. A second process is suspended at each of its
// requests, while others complete and clean the transfer, and write other values to the copy. The
// second process must not change these values, although the target had objects when it began.
func TestLateAfterKilled(t *testing.T) {
	for _, k := range kinds() {
		for _, task := range []int{0, 2} {
			for at := 1; ; at += race.Stride(19) {
				say := fmt.Sprintf("%s: task %d at request %d", k.name, task, at)
				p := newPair(t, k, mem.New(), mem.New())
				if err := transfer.RunTask(t.Context(), p.plans[0], 0, p.open(unmarked{p.dst})); !errors.Is(err, fault.Unavailable) {
					t.Fatalf("%s: the first process: %v", say, err)
				}
				late := newStepped(p.dst, at, held)
				result := make(chan error, 1)
				go func() { result <- transfer.RunTask(t.Context(), p.plans[0], task, p.open(late)) }()
				ended := false
				select {
				case <-late.stop:
				case err := <-result:
					check(t, err)
					ended = true
				}
				check(t, p.run(0, p.dst))
				check(t, transfer.Clean(t.Context(), p.plans[0], p.open(p.dst)))
				path := "t"
				if k.group {
					path = "t/x"
				}
				a := must(zarr.OpenArray(t.Context(), p.dst, path))
				check(t, zarr.Write(t.Context(), a, []uint8{5, 5, 5, 5, 5, 5}))
				if !ended {
					close(late.free)
					if err := <-result; err != nil && !errors.Is(err, fault.Exists) && !errors.Is(err, fault.Conflict) {
						t.Fatalf("%s: %v", say, err)
					}
				}
				for i, v := range must(zarr.Read[uint8](t.Context(), a)) {
					if v != 5 {
						t.Fatalf("%s: element %d is %d", say, i, v)
					}
				}
				p.left(say)
				if ended {
					break
				}
			}
		}
	}
}

// unmarked is a store for a process that is killed when it puts a marker or changes the claim.
type unmarked struct{ store.Store }

func (u unmarked) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if strings.Contains(key, "/done/") || o.IfVersion != "" {
		return "", fmt.Errorf("killed: %w", fault.Unavailable)
	}
	return u.Store.Put(ctx, key, value, o)
}

func (u unmarked) Close() error { return nil }

// TestTakenTarget checks that plans are refused if their target has become another array, and that
// they do not write to it.
func TestTakenTarget(t *testing.T) {
	for _, format := range []int{2, 3} {
		for _, o := range []transfer.Options{{}, {Codecs: []codec.Spec{codec.Zstd(1)}}} {
			src, dst := mem.New(), mem.New()
			a := must(zarr.Create(t.Context(), src, "in", zarr.Spec{Format: format, Shape: []int{20}, Chunks: []int{2}, DType: dtype.Uint8, Fill: uint8(9)}))
			check(t, zarr.Write(t.Context(), a, make([]uint8, 18), zarr.Range(2, 20)))
			o.Source.Store, o.Target = "src", transfer.Place{Store: "dst", Path: "out"}
			p := must(transfer.NewPlan(t.Context(), a, dst, o))
			open := stores(map[string]store.Store{"src": src, "dst": dst})
			refused := func() {
				t.Helper()
				was := all(t, dst, "")
				if err := transfer.Run(t.Context(), p, open, transfer.RunOptions{}); !errors.Is(err, fault.Exists) {
					t.Errorf("v%d, %s: %v", format, p.Stages[0].Steps[0].Kind, err)
				}
				for i := range p.Tasks() - 1 {
					if err := transfer.RunTask(t.Context(), p, i, open); !errors.Is(err, fault.Exists) {
						t.Errorf("v%d, %s: task %d: %v", format, p.Stages[0].Steps[0].Kind, i, err)
					}
				}
				if now := all(t, dst, ""); !maps.Equal(was, now) {
					t.Errorf("v%d, %s: the array was written", format, p.Stages[0].Steps[0].Kind)
				}
			}
			// The array was created after the plan was made.
			b := must(zarr.Create(t.Context(), dst, "out", zarr.Spec{Format: format, Shape: []int{20}, Chunks: []int{2}, DType: dtype.Uint8}))
			check(t, zarr.Write(t.Context(), b, []uint8{5, 5, 5, 5}, zarr.Range(0, 4)))
			refused()
			check(t, store.DeleteBelow(t.Context(), dst, "out"))

			// The array is the completed copy, changed afterwards.
			check(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{}))
			equal(t, a, must(zarr.OpenArray(t.Context(), dst, "out")))
			check(t, transfer.Clean(t.Context(), p, open))
			b = must(zarr.OpenArray(t.Context(), dst, "out"))
			check(t, zarr.Write(t.Context(), b, []uint8{5, 5, 5, 5}, zarr.Range(0, 4)))
			must(b.SetAttrs(t.Context(), map[string]any{"by": "another"}))
			refused()
		}
	}
}
