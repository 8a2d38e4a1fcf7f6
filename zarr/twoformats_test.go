package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// founders create the node "n" in different formats and kinds.
func founders() map[string]func(ctx context.Context, st store.Store) error {
	array := func(path string, format int) func(context.Context, store.Store) error {
		return func(ctx context.Context, st store.Store) error {
			_, err := zarr.Create(ctx, st, path, zarr.Spec{Format: format, Shape: []int{2}, DType: dtype.Int8})
			return err
		}
	}
	group := func(format int) func(context.Context, store.Store) error {
		return func(ctx context.Context, st store.Store) error {
			_, err := zarr.CreateGroup(ctx, st, "n", zarr.Spec{Format: format})
			return err
		}
	}
	return map[string]func(context.Context, store.Store) error{
		"array v3": array("n", 3), "array v2": array("n", 2), "group v3": group(3), "group v2": group(2),
		"below v3": array("n/a", 3), "below v2": array("n/a", 2),
		"or create v3": func(ctx context.Context, st store.Store) error {
			_, err := zarr.OpenOrCreateGroup(ctx, st, "n", zarr.Spec{Format: 3}, map[string]zarr.Spec{"a": {Shape: []int{2}, DType: dtype.Int8}})
			return err
		},
		"or create v2": func(ctx context.Context, st store.Store) error {
			_, err := zarr.OpenOrCreateGroup(ctx, st, "n", zarr.Spec{Format: 2}, map[string]zarr.Spec{"a": {Shape: []int{2}, DType: dtype.Int8}})
			return err
		},
		"replace v3": func(ctx context.Context, st store.Store) error {
			_, err := zarr.Replace(ctx, st, "n", zarr.Spec{Format: 3, Shape: []int{2}, DType: dtype.Int8})
			return err
		},
	}
}

// founded returns the documents that make the path n a node.
func founded(t *testing.T, st store.Store) (names []string) {
	t.Helper()
	for _, name := range []string{"zarr.json", ".zarray", ".zgroup"} {
		_, err := st.Get(t.Context(), "n/"+name, store.GetOptions{}, nil)
		if err == nil {
			names = append(names, name)
		} else if !errors.Is(err, zarr.ErrNotFound) {
			t.Fatal(err)
		}
	}
	return names
}

// TestCreatorsMeet runs two creators of one path in different formats or kinds at once. At most one
// document makes the path a node, and a creator succeeds only if its node is stored.
func TestCreatorsMeet(t *testing.T) {
	all := founders()
	wins := map[string][]string{
		"array v3": {"zarr.json"}, "array v2": {".zarray"}, "group v3": {"zarr.json"}, "group v2": {".zgroup"}, "replace v3": {"zarr.json"},
		"below v3": {"zarr.json", ".zgroup"}, "below v2": {"zarr.json", ".zgroup"}, "or create v3": {"zarr.json"}, "or create v2": {".zgroup"},
	}
	for _, pair := range [][2]string{
		{"array v3", "array v2"}, {"group v3", "group v2"}, {"array v3", "group v2"}, {"array v2", "group v2"}, {"array v2", "group v3"},
		{"below v3", "array v2"}, {"below v2", "array v3"}, {"below v3", "array v3"}, {"below v2", "array v2"},
		{"or create v3", "or create v2"}, {"or create v3", "array v2"}, {"replace v3", "array v2"},
	} {
		for name, make := range map[string]func() store.Store{
			"mem": func() store.Store { return mem.New() },
			"dir": func() store.Store { return dir.New(t.TempDir()) },
		} {
			t.Run(fmt.Sprintf("%s/%s and %s", name, pair[0], pair[1]), func(t *testing.T) {
				t.Parallel() // a creator that looks again pauses
				for range 12 {
					st := make()
					var errs [2]error
					var wg sync.WaitGroup
					for i, who := range pair {
						wg.Go(func() { errs[i] = all[who](t.Context(), st) })
					}
					wg.Wait()
					names := founded(t, st)
					if len(names) > 1 {
						t.Fatalf("%q make the node; %v, %v", names, errs[0], errs[1])
					}
					kind, isArray := "group", false
					if len(names) == 1 {
						n, err := zarr.Open(t.Context(), st, "n")
						if err != nil {
							t.Fatal(err)
						}
						if _, isArray = n.(*zarr.Array); isArray {
							kind = "array"
						}
					}
					for i, who := range pair {
						if errs[i] != nil {
							if !errors.Is(errs[i], zarr.ErrExists) {
								t.Fatalf("%s: %v", who, errs[i])
							}
							continue
						}
						wantsArray := strings.HasPrefix(who, "array") || strings.HasPrefix(who, "replace")
						if !strings.HasPrefix(who, "replace") && strings.HasPrefix(pair[1-i], "replace") {
							continue // it was replaced
						}
						if len(names) == 0 || !slices.Contains(wins[who], names[0]) || wantsArray != isArray {
							t.Fatalf("%s succeeded, and %q make the node, an %s", who, names, kind)
						}
					}
				}
			})
		}
	}
}
