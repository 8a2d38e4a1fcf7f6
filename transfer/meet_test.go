package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestTwoPlansOneTarget runs two plans for the same target, one after the other. Their documents
// are equal and their values differ. It checks that the second plan is refused and has missing
// tasks, and that the first plan can run again, even after Clean.
func TestTwoPlansOneTarget(t *testing.T) {
	for _, k := range kinds() {
		p := newPair(t, k, mem.New(), mem.New())
		cleaned := false
		done := func(i int, want error) {
			t.Helper()
			if err := p.run(i, p.dst); !errors.Is(err, want) {
				t.Fatalf("%s: run %d: %v", k.name, i, err)
			}
			missing, err := transfer.Verify(t.Context(), p.plans[i], p.open(p.dst))
			if !errors.Is(err, want) || want == nil && len(missing) > 0 {
				t.Fatalf("%s: verify %d: %v, %v", k.name, i, missing, err)
			}
			for task := range p.plans[i].Tasks() {
				err := transfer.RunTask(t.Context(), p.plans[i], task, p.open(p.dst))
				if err == nil && want != nil && cleaned && task%3 == 1 {
					continue // a chunk that is not stored in either copy
				}
				if !errors.Is(err, want) {
					t.Fatalf("%s: task %d of %d: %v", k.name, task, i, err)
				}
			}
			if cleaned {
				want = fault.Exists
			}
			if err := transfer.Save(t.Context(), p.dst, p.plans[i]); !errors.Is(err, want) {
				t.Fatalf("%s: save %d: %v", k.name, i, err)
			}
		}
		check(t, transfer.RunTask(t.Context(), p.plans[0], 0, p.open(p.dst)))
		check(t, transfer.RunTask(t.Context(), p.plans[0], 0, p.open(p.dst)))
		if err := p.run(1, p.dst); !errors.Is(err, fault.Exists) {
			t.Fatalf("%s: while the first is not complete: %v", k.name, err)
		}
		done(0, nil)
		for range 2 {
			was := all(t, p.dst, "t")
			done(1, fault.Exists)
			done(0, nil)
			if now := all(t, p.dst, "t"); !maps.Equal(was, now) {
				t.Fatalf("%s: a complete target was written", k.name)
			}
			p.holds(0, "after both")
			check(t, transfer.Clean(t.Context(), p.plans[1], p.open(p.dst)))
			if now := all(t, p.dst, "t"); !maps.Equal(was, now) {
				t.Fatalf("%s: Clean of a plan removed what is another's", k.name)
			}
			check(t, transfer.Clean(t.Context(), p.plans[0], p.open(p.dst)))
			p.left("after Clean")
			cleaned = true
		}
	}
}

// TestTwoPlansAtOnce checks that exactly one of two plans that run concurrently for the same target
// in a directory succeeds.
func TestTwoPlansAtOnce(t *testing.T) {
	for _, k := range kinds() {
		for round := range 4 {
			root := t.TempDir()
			p := newPair(t, k, dir.New(t.TempDir()), dir.New(root))
			var errs [2]error
			var both sync.WaitGroup
			for i := range errs {
				both.Go(func() { errs[i] = p.run(i, dir.New(root)) })
			}
			both.Wait()
			won := 0
			if errs[0] != nil {
				won = 1
			}
			if errs[won] != nil || !errors.Is(errs[1-won], fault.Exists) {
				t.Fatalf("%s: round %d: %v, %v", k.name, round, errs[0], errs[1])
			}
			p.holds(won, "both at once")
			open := func(context.Context, string) (store.Store, error) { return dir.New(root), nil }
			check(t, transfer.Clean(t.Context(), p.plans[1-won], open))
			check(t, transfer.Clean(t.Context(), p.plans[won], open))
			p.left("after Clean")
		}
	}
}

// TestTwoPlansMeet suspends a process at each of its requests, while another process runs another
// plan for the same target, or the same plan.
func TestTwoPlansMeet(t *testing.T) {
	for _, k := range kinds() {
		for _, c := range []struct {
			name         string
			other        int
			clean, whole bool
		}{{"another plan", 1, false, true}, {"another plan, cleaned", 1, true, true}, {"another plan's first task", 1, false, false}, {"the same plan", 0, false, true}, {"the same plan, cleaned", 0, true, true}} {
			for at := 1; ; at += race.Stride(19) {
				say := fmt.Sprintf("%s at request %d", c.name, at)
				p := newPair(t, k, mem.New(), mem.New())
				first := newStepped(p.dst, at, held)
				result := make(chan error, 1)
				go func() { result <- p.run(0, first) }()
				var errs [2]error
				ended := false
				select {
				case <-first.stop:
				case errs[0] = <-result:
					ended = true
				}
				if c.whole {
					errs[1] = p.run(c.other, p.dst)
				} else {
					errs[1] = transfer.RunTask(t.Context(), p.plans[1], 0, p.open(p.dst))
				}
				if c.clean && errs[1] == nil {
					check(t, transfer.Clean(t.Context(), p.plans[c.other], p.open(p.dst)))
				}
				if !ended {
					close(first.free)
					errs[0] = <-result
				}
				won := 0
				switch {
				case c.other == 0 && (errs[0] != nil && !errors.Is(errs[0], fault.Conflict) || errs[1] != nil):
					t.Fatalf("%s: %s: %v, %v", k.name, say, errs[0], errs[1])
				case c.other == 1 && errs[0] != nil:
					won = 1
					fallthrough
				case c.other == 1:
					if errs[won] != nil || !errors.Is(errs[1-won], fault.Exists) {
						t.Fatalf("%s: %s: %v, %v", k.name, say, errs[0], errs[1])
					}
				}
				if !c.whole && won == 1 {
					check(t, p.run(1, p.dst))
				}
				p.holds(won, say)
				if missing, err := transfer.Verify(t.Context(), p.plans[won], p.open(p.dst)); err != nil || len(missing) > 0 {
					t.Fatalf("%s: %s: verify: %v, %v", k.name, say, missing, err)
				}
				if _, err := transfer.Verify(t.Context(), p.plans[1-won], p.open(p.dst)); !errors.Is(err, fault.Exists) {
					t.Fatalf("%s: %s: verify of the other plan: %v", k.name, say, err)
				}
				check(t, transfer.Clean(t.Context(), p.plans[won], p.open(p.dst)))
				p.left(say)
				if ended {
					if at < 15 {
						t.Fatalf("%s: %d requests", k.name, at)
					}
					break
				}
			}
		}
	}
}

// TestKilledAnywhere kills a process at each of its requests, or drops the response to each. It
// checks that another process can continue the plan, and that another plan is refused once the
// target is claimed.
func TestKilledAnywhere(t *testing.T) {
	for _, k := range kinds() {
		for _, what := range []happens{killed, lost} {
			for _, other := range []bool{false, true} {
				for at := 1; ; at += race.Stride(19) {
					say := fmt.Sprintf("%d at request %d", what, at)
					p := newPair(t, k, mem.New(), mem.New())
					first := newStepped(p.dst, at, what)
					err := p.run(0, first)
					ended := !first.reached()
					if err == nil && what == killed && !ended {
						t.Fatalf("%s: %s: it ends well", k.name, say)
					}
					won := 0
					if other {
						err := p.run(1, p.dst)
						if err == nil {
							won = 1
						} else if !errors.Is(err, fault.Exists) {
							t.Fatalf("%s: %s: the other plan: %v", k.name, say, err)
						}
					}
					err = p.run(0, p.dst)
					if won == 0 && err != nil || won == 1 && !errors.Is(err, fault.Exists) {
						t.Fatalf("%s: %s: again: %v", k.name, say, err)
					}
					p.holds(won, say)
					check(t, transfer.Clean(t.Context(), p.plans[1-won], p.open(p.dst)))
					check(t, transfer.Clean(t.Context(), p.plans[won], p.open(p.dst)))
					p.left(say)
					if ended {
						break
					}
				}
			}
		}
	}
}

// TestLateTask suspends a task at each of its requests. Meanwhile another process completes and
// cleans the transfer, and writes other values to the copy. The test checks that the late task does
// not change these values or leave objects.
func TestLateTask(t *testing.T) {
	for _, k := range kinds() {
		for task := range 3 { // tasks of one array; the second chunk contains only the fill value
			for _, cleaned := range []bool{true, false} {
				for at := 1; ; at += race.Stride(19) {
					say := fmt.Sprintf("task %d at request %d, cleaned %v", task, at, cleaned)
					p := newPair(t, k, mem.New(), mem.New())
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
					if cleaned {
						check(t, transfer.Clean(t.Context(), p.plans[0], p.open(p.dst)))
					}
					path := "t"
					if k.group {
						path = "t/x"
					}
					a := must(zarr.OpenArray(t.Context(), p.dst, path))
					check(t, zarr.Write(t.Context(), a, []uint8{5, 5, 5, 5, 5, 5}))
					if !ended {
						close(late.free)
						if err := <-result; err != nil && !errors.Is(err, fault.Exists) && !errors.Is(err, fault.Conflict) {
							t.Fatalf("%s: %s: %v", k.name, say, err)
						}
					}
					for i, v := range must(zarr.Read[uint8](t.Context(), a)) {
						if v != 5 {
							t.Fatalf("%s: %s: element %d is %d", k.name, say, i, v)
						}
					}
					if cleaned {
						p.left(say)
					}
					if ended {
						break
					}
				}
			}
		}
	}
}

// TestLateTaskOfAnotherPlan suspends a task at each of its requests. Meanwhile Clean removes the
// transfer and another plan runs. The late task may store an object only if the other plan does not
// store it. In this test both plans store the same objects.
func TestLateTaskOfAnotherPlan(t *testing.T) {
	for _, k := range kinds() {
		for _, task := range []int{0, 2} {
			for at := 1; ; at += race.Stride(19) {
				say := fmt.Sprintf("task %d at request %d", task, at)
				p := newPair(t, k, mem.New(), mem.New())
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
				check(t, transfer.Clean(t.Context(), p.plans[0], p.open(p.dst)))
				p.left(say)
				check(t, p.run(1, p.dst))
				if !ended {
					close(late.free)
					if err := <-result; !errors.Is(err, fault.Exists) && !errors.Is(err, fault.Conflict) {
						t.Fatalf("%s: %s: %v", k.name, say, err)
					}
				}
				p.holds(1, say)
				check(t, transfer.Clean(t.Context(), p.plans[1], p.open(p.dst)))
				p.left(say)
				if ended {
					break
				}
			}
		}
	}
}

// TestArrayCreatedInTarget creates other nodes at the target, or in a target group, after the plan
// was made: before the first task or between two tasks. It checks that no task writes to such a
// node, and that the target is not published.
func TestArrayCreatedInTarget(t *testing.T) {
	for _, k := range kinds() {
		for _, c := range []struct {
			name, path string
			format     int
			group      bool
		}{
			{"the same documents", "t", k.format, false}, {"the same documents", "t/x", k.format, true}, {"the same documents", "t/y", k.format, true},
			{"the other format", "t", 5 - k.format, false}, {"the other format", "t/x", 5 - k.format, true},
			{"another path", "t/z", k.format, true}, {"another path, the other format", "t/z/z", 5 - k.format, true},
		} {
			for _, begun := range []bool{false, true} {
				if c.group != k.group || begun && c.path == "t/z/z" {
					continue
				}
				p := newPair(t, k, mem.New(), mem.New())
				say := fmt.Sprintf("%s: %s at %s, begun %v", k.name, c.name, c.path, begun)
				last := p.plans[0].Tasks() - 2
				if begun {
					check(t, transfer.RunTask(t.Context(), p.plans[0], last, p.open(p.dst)))
				}
				spec := zarr.Spec{Format: c.format, Shape: []int{6}, Chunks: []int{2}, DType: dtype.Uint8, Fill: uint8(9)}
				// Put only the documents of the node: groups above it would show that the target is
				// in use.
				made := mem.New()
				check(t, zarr.Write(t.Context(), must(zarr.Create(t.Context(), made, c.path, spec)), []uint8{5, 5}, zarr.Range(0, 2)))
				for key, value := range all(t, made, c.path) {
					must(p.dst.Put(t.Context(), key, []byte(value), store.PutOptions{}))
				}
				was := all(t, p.dst, c.path)
				others := all(t, p.dst, "")
				if err := p.run(0, p.dst); !errors.Is(err, fault.Exists) {
					t.Fatalf("%s: %v", say, err)
				}
				if err := transfer.RunTask(t.Context(), p.plans[0], p.plans[0].Tasks()-1, p.open(p.dst)); err == nil {
					t.Fatalf("%s: it is published", say)
				}
				if missing, err := transfer.Verify(t.Context(), p.plans[0], p.open(p.dst)); err == nil && len(missing) == 0 {
					t.Fatalf("%s: it is complete", say)
				}
				now := all(t, p.dst, c.path)
				for key, value := range was {
					if now[key] != value && !strings.Contains(key, "__zargo_transfer") {
						t.Fatalf("%s: %s was written", say, key)
					}
				}
				if now := all(t, p.dst, ""); !begun && !maps.Equal(others, now) {
					t.Fatalf("%s: the target was written", say)
				}
				if c.path != "t" {
					if _, err := zarr.Open(t.Context(), p.dst, "t"); !errors.Is(err, fault.NotFound) {
						t.Fatalf("%s: the group is seen: %v", say, err)
					}
				}
			}
		}
	}
}

// TestCleanKilled kills Clean at each of its requests, for a complete transfer and for an
// unfinished one with an intermediate array. It checks that Clean can be repeated and that the plan
// can run afterwards.
func TestCleanKilled(t *testing.T) {
	for _, complete := range []bool{true, false} {
		for _, what := range []happens{killed, lost} {
			for _, again := range []bool{true, false} {
				for at := 1; ; at += race.Stride(19) {
					say := fmt.Sprintf("complete %v, %d at request %d", complete, what, at)
					w := newWorld(t, mem.New(), mem.New())
					a := must(zarr.Create(t.Context(), w.src, "a", zarr.Spec{Shape: []int{48, 8, 8}, Chunks: []int{1, 8, 8}, DType: dtype.Uint16, Codecs: []codec.Spec{codec.CRC32C()}, Fill: uint16(3)}))
					values := make([]uint16, 48*8*8)
					for i := range values {
						values[i] = uint16(i)
					}
					check(t, zarr.Write(t.Context(), a, values))
					p := w.plan(a, transfer.Options{Target: transfer.Place{Path: "t"}, Memory: 64<<20 + 4<<10, Grid: func(*zarr.Array) ([]int, []int, error) { return []int{48, 2, 2}, nil, nil }})
					if len(p.Stages) < 3 {
						t.Fatalf("%d stages", len(p.Stages))
					}
					check(t, transfer.Save(t.Context(), w.dst, p))
					if complete {
						w.run(p)
					} else {
						check(t, transfer.Run(t.Context(), p, w.open, transfer.RunOptions{Count: 1, Stage: 1}))
						first, _ := p.TasksOf(1)
						check(t, transfer.RunTask(t.Context(), p, first, w.open))
					}
					was := copied(t, w.dst)
					st := newStepped(w.dst, at, what)
					open := stores(map[string]store.Store{"src": w.src, "dst": st})
					err := transfer.Clean(t.Context(), p, open)
					ended := !st.reached()
					if err == nil && what == killed && !ended {
						t.Fatalf("%s: it ends well", say)
					}
					if complete && !maps.Equal(was, copied(t, w.dst)) {
						t.Fatalf("%s: the target was changed", say)
					}
					if left := all(t, w.dst, "t/__zargo_transfer"); complete && len(left) > 0 {
						saved, err := transfer.Saved(t.Context(), w.dst, "t")
						if err != nil || saved.ID() != p.ID() {
							t.Fatalf("%s: the plan is not found: %v", say, err)
						}
					}
					if again {
						check(t, transfer.Clean(t.Context(), p, w.open))
						for key := range all(t, w.dst, "t/__zargo_transfer") {
							t.Fatalf("%s: %s is left", say, key)
						}
					}
					err = transfer.Run(t.Context(), p, w.open, transfer.RunOptions{})
					if errors.Is(err, fault.Conflict) && !complete && !again {
						check(t, transfer.Clean(t.Context(), p, w.open))
						err = transfer.Run(t.Context(), p, w.open, transfer.RunOptions{})
					}
					if err != nil {
						t.Fatalf("%s: run again: %v", say, err)
					}
					if complete && !maps.Equal(was, copied(t, w.dst)) {
						t.Fatalf("%s: the target was changed", say)
					}
					equal(t, a, must(zarr.OpenArray(t.Context(), w.dst, "t")))
					check(t, transfer.Clean(t.Context(), p, w.open))
					for key := range all(t, w.dst, "t/__zargo_transfer") {
						t.Fatalf("%s: %s is left", say, key)
					}
					if ended {
						break
					}
				}
			}
		}
	}
}

// TestRefusedFolders checks that a refused plan leaves no folder in a directory.
func TestRefusedFolders(t *testing.T) {
	root := t.TempDir()
	k := kind{"v3", 3, true, false, false}
	p := newPair(t, k, mem.New(), dir.New(root))
	spec := zarr.Spec{Format: 3, Shape: []int{6}, Chunks: []int{2}, DType: dtype.Uint8}
	must(zarr.Create(t.Context(), must(store.Prefix(p.dst, "t/x")), "", spec))
	err := transfer.Run(t.Context(), p.plans[0], func(_ context.Context, name string) (store.Store, error) {
		if name == "dst" {
			return p.dst, nil
		}
		return kept{p.src}, nil
	}, transfer.RunOptions{})
	if !errors.Is(err, fault.Exists) {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "t", "__zargo_transfer")); !os.IsNotExist(err) {
		t.Errorf("its folder is left: %v", err)
	}
}
