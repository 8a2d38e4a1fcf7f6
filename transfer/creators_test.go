package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// nodesIn returns the keys of all documents that make a path of a store a node.
func nodesIn(t *testing.T, st store.Store) (keys []string) {
	t.Helper()
	for e, err := range store.ListAll(t.Context(), st, "", store.ListOptions{}) {
		check(t, err)
		switch path.Base(e.Key) {
		case "zarr.json", ".zarray", ".zgroup":
			keys = append(keys, e.Key)
		}
	}
	slices.Sort(keys)
	return keys
}

// TestCopyMeetsCreator suspends a copy before a put, after it has found the target free, until
// another process has created a node at the target, above it, or below it. The copy fails and
// leaves no documents. It succeeds when it is run again after the node was removed.
func TestCopyMeetsCreator(t *testing.T) {
	array := func(p string, format int) func(*testing.T, store.Store) {
		return func(t *testing.T, st store.Store) {
			t.Helper()
			must(zarr.Create(t.Context(), st, p, zarr.Spec{Format: format, Shape: []int{2}, DType: dtype.Int8}))
		}
	}
	group := func(p string, format int) func(*testing.T, store.Store) {
		return func(t *testing.T, st store.Store) {
			t.Helper()
			must(zarr.CreateGroup(t.Context(), st, p, zarr.Spec{Format: format}))
		}
	}
	for _, tt := range []struct {
		name   string
		format int    // of the copy
		put    string // the suffix of the key of the first put that waits
		create func(*testing.T, store.Store)
		want   []string // documents that remain
	}{
		{"v2 array at the target of v3", 3, "zarr.json", array("out/x", 2), []string{"out/x/.zarray"}},
		{"v3 array at the target of v2", 2, ".zgroup", array("out/x", 3), []string{"out/x/zarr.json"}},
		{"v2 array at the target, late", 3, "out/x/zarr.json", array("out/x", 2), []string{"out/x/.zarray"}},
		{"v2 group at the target of v3", 3, "out/x/zarr.json", group("out/x", 2), []string{"out/x/.zgroup"}},
		{"v3 group at the target of v2", 2, "out/x/.zgroup", group("out/x", 3), []string{"out/x/zarr.json"}},
		{"array above the target", 3, "out/zarr.json", array("out", 2), []string{"out/.zarray"}},
		{"array of the format above", 3, "out/zarr.json", array("out", 3), []string{"out/zarr.json"}},
		{"v2 array at a member", 3, "out/x/deep/names/zarr.json", array("out/x/deep/names", 2), []string{"out/x/deep/names/.zarray"}},
	} {
		for _, kind := range []string{"mem", "dir"} {
			t.Run(kind+"/"+tt.name, func(t *testing.T) {
				var st store.Store = mem.New()
				if kind == "dir" {
					st = dir.New(t.TempDir())
				}
				var met atomic.Bool // the copy puts the documents of groups at once
				gated := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
					if c.Op == store.OpPut && strings.HasSuffix(c.Key, tt.put) && met.CompareAndSwap(false, true) {
						tt.create(t, st)
					}
					return ctx, nil
				}})
				w := newWorld(t, mem.New(), gated)
				p := w.plan(forest(t, w.src, 3), transfer.Options{Target: transfer.Place{Path: "out/x"}, Format: tt.format})
				err := transfer.Run(t.Context(), p, w.open, transfer.RunOptions{})
				if !errors.Is(err, zarr.ErrExists) || !met.Load() {
					t.Errorf("the copy returns %v", err)
				}
				now := nodesIn(t, st)
				for _, key := range tt.want {
					if !slices.Contains(now, key) {
						t.Errorf("%s is gone: %q", key, now)
					}
				}
				for _, key := range now {
					if strings.HasPrefix(key, "out/x") && !slices.Contains(tt.want, key) && !strings.HasSuffix(tt.name, "member") {
						t.Errorf("%s remains: %q", key, now)
					}
				}
				for _, key := range tt.want {
					if strings.HasPrefix(key, "out") {
						check(t, st.Delete(t.Context(), key, store.DeleteOptions{}))
					}
				}
				if err := transfer.Run(t.Context(), p, w.open, transfer.RunOptions{}); err != nil && !strings.HasSuffix(tt.name, "member") {
					t.Errorf("after the other node was removed: %v", err)
				}
			})
		}
	}
}

// TestCopiesMeetCreators runs copies and creations of one path, and of paths below each other, at
// once. No path has two nodes, and no node is below an array.
func TestCopiesMeetCreators(t *testing.T) {
	for round := range 24 {
		st := store.Store(mem.New())
		if round%2 == 1 {
			st = dir.New(t.TempDir())
		}
		w := newWorld(t, mem.New(), st)
		a := must(zarr.Create(t.Context(), w.src, "in", zarr.Spec{Format: 3, Shape: []int{2}, DType: dtype.Int8}))
		copies := func(p string, format int) func() error {
			plan := w.plan(a, transfer.Options{Target: transfer.Place{Path: p}, Format: format})
			return func() error { return transfer.Run(t.Context(), plan, w.open, transfer.RunOptions{}) }
		}
		creates := func(p string, format int) func() error {
			return func() error {
				_, err := zarr.Create(t.Context(), st, p, zarr.Spec{Format: format, Shape: []int{3}, DType: dtype.Int8})
				return err
			}
		}
		who := [][]func() error{
			{copies("n", 3), copies("n", 2)},
			{copies("n", 3), creates("n", 2)},
			{copies("n", 2), creates("n", 3)},
			{copies("n/a", 3), creates("n", 2)},
			{copies("n/a", 2), creates("n", 3), creates("n/b", 3)},
			{copies("n", 3), copies("n/a", 2)},
		}[round/2%6]
		errs := make([]error, len(who))
		var wg sync.WaitGroup
		for i, f := range who {
			wg.Go(func() { errs[i] = f() })
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil && !errors.Is(err, zarr.ErrExists) && !errors.Is(err, zarr.ErrConflict) {
			t.Errorf("round %d: %v", round, err)
		}
		seen := map[string]bool{}
		for _, key := range nodesIn(t, st) {
			at := path.Dir(key)
			if seen[at] {
				t.Errorf("round %d: %q is two nodes; %v", round, at, errs)
			}
			seen[at] = true
		}
		if seen["n"] && (seen["n/a"] || seen["n/b"]) {
			if _, err := zarr.OpenGroup(t.Context(), st, "n"); err != nil {
				t.Errorf("round %d: there are nodes below an array: %v, %v", round, err, errs)
			}
		}
		if fmt.Sprint(errs) == fmt.Sprint(make([]error, len(who))) && round/2%6 != 4 {
			t.Errorf("round %d: all succeed", round)
		}
	}
}
