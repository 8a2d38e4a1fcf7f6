package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// gated calls act before the first request that match accepts. If dies is set, all later requests
// fail.
func gated(st store.Store, match func(store.Call) bool, dies bool, act func()) store.Store {
	var met atomic.Bool
	return store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
		if !met.Load() && match(c) && met.CompareAndSwap(false, true) {
			if act != nil {
				act()
			}
			return ctx, nil
		}
		if met.Load() && dies {
			return ctx, fault.Unavailable
		}
		return ctx, nil
	}})
}

// putOf matches the put of a document of node n.
func putOf(names ...string) func(store.Call) bool {
	return func(c store.Call) bool {
		name, ok := strings.CutPrefix(c.Key, "n/")
		return c.Op == store.OpPut && ok && slices.Contains(names, name)
	}
}

// TestSuspendedCreators suspends a creator between its look at the path and its put, until another
// has created a node in another format or kind. The creator withdraws. If it dies after its put,
// its document remains, and hides the other node if readers prefer it.
func TestSuspendedCreators(t *testing.T) {
	founding := putOf("zarr.json", ".zarray", ".zgroup")
	for _, pair := range [][2]string{
		{"array v3", "array v2"}, {"array v2", "array v3"}, {"group v3", "array v2"}, {"array v3", "group v2"},
		{"group v2", "array v3"}, {"group v2", "array v2"}, {"array v2", "group v2"}, {"or create v3", "array v2"}, {"or create v2", "array v3"},
	} {
		for _, dies := range []bool{false, true} {
			st := mem.New()
			suspended := gated(st, founding, dies, func() {
				if err := founders()[pair[1]](t.Context(), st); err != nil {
					t.Error(err)
				}
			})
			err := founders()[pair[0]](t.Context(), suspended)
			names := founded(t, st)
			switch {
			case !dies && (!errors.Is(err, zarr.ErrExists) || len(names) != 1):
				t.Errorf("%v: %v; the documents %q remain", pair, err, names)
			case dies && (err == nil || len(names) != 2):
				t.Errorf("%v, dies: %v; the documents %q remain", pair, err, names)
			}
		}
	}
}

// TestDeadCreators ends a creator after its put, before its second look. Later creators in other
// formats and kinds find its document.
func TestDeadCreators(t *testing.T) {
	for _, pair := range [][2]string{{"array v3", "array v2"}, {"array v2", "array v3"}, {"group v2", "array v3"}, {"group v3", "array v2"}} {
		st := mem.New()
		if err := founders()[pair[0]](t.Context(), gated(st, putOf("zarr.json", ".zarray", ".zgroup"), true, nil)); err == nil {
			t.Errorf("%v: the dead creator succeeds", pair)
		}
		if err := founders()[pair[1]](t.Context(), st); !errors.Is(err, zarr.ErrExists) || len(founded(t, st)) != 1 {
			t.Errorf("%v: %v, %q", pair, err, founded(t, st))
		}
	}
}

// TestMemberOfWithdrawnGroup creates a member below a group that its creator withdraws: because of
// an array before the put of the member, and after a failed look before the put and before the
// second look of the member.
func TestMemberOfWithdrawnGroup(t *testing.T) {
	for _, before := range []string{"put", "look"} {
		for _, array := range []bool{before == "put", false} {
			for _, format := range []int{2, 3} {
				st := mem.New()
				doc := map[int]string{2: "n/.zgroup", 3: "n/zarr.json"}[format]
				succeed(t, second(zarr.CreateGroup(t.Context(), st, "n", zarr.Spec{Format: format})))
				var put, met atomic.Bool
				match := func(c store.Call) bool {
					is := c.Op == store.OpPut && strings.HasPrefix(c.Key, "n/a/")
					after := put.Load() && c.Op == store.OpGet && c.Key == doc
					if is {
						put.Store(true)
					}
					return before == "put" && is || before == "look" && after
				}
				_, err := zarr.Create(t.Context(), gated(st, match, false, func() {
					met.Store(true)
					if array {
						other := mem.New()
						a, err := zarr.Create(t.Context(), other, "n", zarr.Spec{Format: 5 - format, Shape: []int{2}, DType: dtype.Int8})
						if err != nil {
							t.Error(err)
						}
						docs, err := a.Documents()
						if err != nil {
							t.Error(err)
						}
						for key, doc := range docs {
							if _, err := st.Put(t.Context(), key, doc, store.PutOptions{}); err != nil {
								t.Error(err)
							}
						}
					}
					if err := st.Delete(t.Context(), doc, store.DeleteOptions{}); err != nil {
						t.Error(err)
					}
				}), "n/a", zarr.Spec{Format: format, Shape: []int{2}, DType: dtype.Int8})
				_, group := zarr.OpenGroup(t.Context(), st, "n")
				_, member := zarr.OpenArray(t.Context(), st, "n/a")
				what := fmt.Sprintf("v%d before the %s, array %v", format, before, array)
				if !met.Load() {
					t.Errorf("%s: the group was not deleted", what)
				}
				if array && (!errors.Is(err, zarr.ErrExists) || !errors.Is(member, zarr.ErrNotFound)) {
					t.Errorf("%s: %v; the member: %v", what, err, member)
				}
				if !array && (err != nil || group != nil || member != nil) {
					t.Errorf("%s: %v; the group: %v, the member: %v", what, err, group, member)
				}
			}
		}
	}
}

// TestMemberOfMigratedGroup creates a group through a v2 group that is migrated before the put, and
// a member of the new group before the withdrawal. The member has a group.
func TestMemberOfMigratedGroup(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		succeed(t, second(zarr.CreateGroup(t.Context(), st, "n", zarr.Spec{Format: 2})))
		migrated := gated(st, putOf("a/.zgroup"), false, func() {
			if _, err := st.Put(t.Context(), "n/zarr.json", []byte(`{"zarr_format":3,"node_type":"group"}`), store.PutOptions{}); err != nil {
				t.Error(err)
			}
		})
		withdraws := func(c store.Call) bool { return c.Op == store.OpDelete && c.Key == "n/a/.zgroup" }
		g, err := zarr.OpenGroup(t.Context(), gated(migrated, withdraws, false, func() {
			if _, err := zarr.Create(t.Context(), st, "n/a/b", zarr.Spec{Format: format, Shape: []int{2}, DType: dtype.Int8}); err != nil {
				t.Error(err)
			}
		}), "n")
		if err != nil {
			t.Fatal(err)
		}
		_, err = g.CreateGroup(t.Context(), "a", nil)
		_, group := zarr.OpenGroup(t.Context(), st, "n/a")
		_, member := zarr.OpenArray(t.Context(), st, "n/a/b")
		if !errors.Is(err, zarr.ErrConflict) || group != nil || member != nil {
			t.Errorf("member v%d: %v; the group: %v, the member: %v", format, err, group, member)
		}
	}
}

// TestGroupsAboveAreAwaited creates a node below an array. The put of a missing group above the
// array is slow. It is not canceled, because a canceled put may arrive after the creator has ended,
// and hide a node that was created at the path in the meantime.
func TestGroupsAboveAreAwaited(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		succeed(t, second(zarr.Create(t.Context(), st, "n/a", zarr.Spec{Format: format, Shape: []int{2}, DType: dtype.Int8})))
		doc := map[int]string{2: "n/.zgroup", 3: "n/zarr.json"}[format]
		succeed(t, st.Delete(t.Context(), doc, store.DeleteOptions{}))
		slow := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			if c.Op == store.OpPut && c.Key == doc {
				select {
				case <-ctx.Done():
				case <-time.After(50 * time.Millisecond):
				}
			}
			return ctx, ctx.Err()
		}})
		_, err := zarr.Create(t.Context(), slow, "n/a/b", zarr.Spec{Format: format, Shape: []int{2}, DType: dtype.Int8})
		_, look := st.Get(t.Context(), doc, store.GetOptions{}, nil)
		if !errors.Is(err, zarr.ErrExists) || look != nil {
			t.Errorf("v%d: %v; %s: %v", format, err, doc, look)
		}
	}
}

// TestAttributesOfLaterNode removes a v2 group and creates an array at its path: before the group's
// creator puts .zattrs, and while the group is opened. The array keeps its attributes.
func TestAttributesOfLaterNode(t *testing.T) {
	replace := func(t *testing.T, st store.Store) {
		for _, key := range []string{"n/.zgroup", "n/.zattrs"} {
			if err := st.Delete(t.Context(), key, store.DeleteOptions{}); err != nil && !errors.Is(err, zarr.ErrNotFound) {
				t.Error(err)
			}
		}
		if _, err := zarr.Create(t.Context(), st, "n", zarr.Spec{Format: 2, Shape: []int{2}, DType: dtype.Int8, Attrs: map[string]any{"of": "array"}}); err != nil {
			t.Error(err)
		}
	}
	keeps := func(t *testing.T, st store.Store) {
		t.Helper()
		if a, err := zarr.OpenArray(t.Context(), st, "n"); err != nil || a.Attrs()["of"] != "array" {
			t.Errorf("the array: %v, %v", a, err)
		}
	}
	group := zarr.Spec{Format: 2, Attrs: map[string]any{"of": "group"}}
	t.Run("created", func(t *testing.T) {
		st := mem.New()
		g, err := zarr.CreateGroup(t.Context(), gated(st, putOf(".zattrs"), false, func() { replace(t, st) }), "n", group)
		if !errors.Is(err, zarr.ErrConflict) {
			t.Errorf("the creator of the group: %v, %v", g, err)
		}
		keeps(t, st)
	})
	t.Run("migrated", func(t *testing.T) {
		st := mem.New()
		_, err := zarr.CreateGroup(t.Context(), gated(st, putOf(".zattrs"), false, func() {
			// A migration, and the creator of a member that had found no group.
			if _, err := st.Put(t.Context(), "n/zarr.json", []byte(`{"zarr_format":3,"node_type":"group"}`), store.PutOptions{}); err != nil {
				t.Error(err)
			}
			if _, err := st.Put(t.Context(), "n/.zgroup", []byte(`{"zarr_format":2}`), store.PutOptions{}); err != nil {
				t.Error(err)
			}
		}), "n", group)
		if !errors.Is(err, zarr.ErrConflict) {
			t.Errorf("the creator of the migrated group: %v", err)
		}
	})
	t.Run("opened", func(t *testing.T) {
		st := mem.New()
		succeed(t, second(zarr.CreateGroup(t.Context(), st, "n", group)))
		read := make(chan struct{})
		var once, begun sync.Once
		mixed := store.Around(st, store.Hooks{
			Before: func(ctx context.Context, c store.Call) (context.Context, error) {
				if c.Op == store.OpGet && c.Key == "n/.zattrs" {
					begun.Do(func() { <-read; replace(t, st) })
				}
				return ctx, nil
			},
			After: func(_ context.Context, c store.Call, _ store.Result) {
				if c.Op == store.OpGet && c.Key == "n/.zgroup" {
					once.Do(func() { close(read) })
				}
			},
		})
		g, err := zarr.OpenGroup(t.Context(), mixed, "n")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.SetAttrs(t.Context(), map[string]any{"of": "handle"}); err == nil {
			t.Error("the attributes of the removed group are set")
		}
		keeps(t, st)
	})
}

// TestAppendMeetsGroup replaces an array by a group while rows are appended.
func TestAppendMeetsGroup(t *testing.T) {
	st := mem.New()
	a, err := zarr.Create(t.Context(), st, "a", zarr.Spec{Format: 3, Shape: []int{2}, Chunks: []int{2}, DType: dtype.Int8})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.AppendFunc(t.Context(), 0, 2, func(context.Context, *zarr.Array, int) error {
		_, err := st.Put(t.Context(), "a/zarr.json", []byte(`{"zarr_format":3,"node_type":"group"}`), store.PutOptions{})
		return err
	}, zarr.AppendOptions{})
	if !errors.Is(err, zarr.ErrConflict) {
		t.Errorf("got %v", err)
	}
	if _, err := a.Refresh(t.Context()); err == nil {
		t.Error("Refresh returns a group")
	}
}
