package bucketcheck

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	listWrong = "members of groups may be missing, and deleting a hierarchy may leave objects: use consolidated metadata, which needs no listing"
	listLacks = "members of groups are known only from consolidated metadata, and deleting by prefix is not possible"
)

func listChecks() []Check {
	return []Check{
		{
			Name: "list after write", Expected: "a listing shows preceding puts with their sizes, and no deleted keys",
			Fails: listWrong, Lacks: listLacks,
			most: exactly(most{objects: 6, calls: 9, sent: kib, received: 16 * kib}), run: listAfterWrite,
		},
		{
			Name: "list one level", Expected: "a listing of one level returns its keys and one entry for each prefix below",
			Fails: listWrong, Lacks: listLacks,
			most: exactly(most{calls: 2, received: 16 * kib}), run: listLevel,
		},
		{
			Name: "list a part", Expected: "a listing can start after a key and be limited to a prefix",
			Fails: "long listings cannot be divided, and an interrupted listing cannot be continued: entries may be missing",
			Lacks: listLacks,
			most:  exactly(most{calls: 3, received: 32 * kib}), run: listPart,
		},
		{
			Name: "list pages", Expected: "the pages of a long listing return every key once",
			Fails: listWrong, Lacks: listLacks,
			most: func(n sizes) most {
				// This assumes pages of at least 50 entries. With shorter pages, the check exceeds
				// its bound.
				return most{objects: n.keys, calls: n.keys + n.keys/50 + 2, sent: int64(n.keys) * 16, received: int64(n.keys) * 2 * kib}
			}, run: listPages,
		},
		{
			Name: "delete many", Expected: "many keys are deleted with few requests, and none remains",
			Fails: "deleting a hierarchy may leave objects without an error",
			Lacks: "many keys are deleted by one request each",
			most: func(n sizes) most {
				return most{calls: n.keys + n.keys/50 + 4, sent: int64(n.keys) * kib, received: int64(n.keys) * kib}
			}, run: deleteMany,
		},
	}
}

// tree returns keys with common prefixes.
func tree() []string { return []string{"tree/a/b/x", "tree/a/x", "tree/a-b", "tree/ab/x", "tree/top"} }

// collected returns the keys of a listing. Keys of directories end with a slash.
func collected(all iter.Seq2[store.Entry, error]) (keys []string, err error) {
	for e, err := range all {
		if err != nil {
			return keys, err
		}
		if e.Dir {
			e.Key += "/"
		}
		keys = append(keys, e.Key)
	}
	return keys, nil
}

// shows compares a listing with the expected keys. It returns nil if they are equal.
func shows(ctx context.Context, s store.Store, prefix string, o store.ListOptions, want ...string) *outcome {
	got, err := collected(store.Pages(ctx, s, prefix, o))
	if err != nil {
		out := because("list", err)
		return &out
	}
	slices.Sort(got)
	slices.Sort(want)
	if slices.Equal(got, want) {
		return nil
	}
	out := fails("%s", differs(got, want))
	return &out
}

// differs describes how two unequal sorted lists differ.
func differs(got, want []string) string {
	for i, k := range got {
		if i > 0 && got[i-1] == k {
			return fmt.Sprintf("%q is listed twice", k)
		}
	}
	var missing, more []string
	for _, k := range want {
		if !slices.Contains(got, k) {
			missing = append(missing, k)
		}
	}
	for _, k := range got {
		if !slices.Contains(want, k) {
			more = append(more, k)
		}
	}
	if len(missing) > 0 {
		return fmt.Sprintf("%d of %d are not listed, %q among them", len(missing), len(want), missing[0])
	}
	return fmt.Sprintf("%d are listed that should not be, %q among them", len(more), more[0])
}

func listAfterWrite(ctx context.Context, b *bench) outcome {
	for i, k := range append(tree(), "tree/gone") {
		if _, _, err := b.put(ctx, k, 10+i, i); err != nil {
			return because("put", err)
		}
	}
	if bad := shows(ctx, b.other(), "tree", store.ListOptions{}, append(tree(), "tree/gone")...); bad != nil {
		return *bad
	}
	if err := b.s.Delete(ctx, "tree/gone", store.DeleteOptions{}); err != nil {
		return because("delete", err)
	}
	for e, err := range store.Pages(ctx, b.other(), "tree", store.ListOptions{}) {
		switch want := int64(10 + slices.Index(tree(), e.Key)); {
		case err != nil:
			return because("list", err)
		case e.Key == "tree/gone":
			return fails("a deleted key is listed")
		case e.Size >= 0 && e.Size != want:
			return fails("the listing reports %d bytes for a value of %d bytes", e.Size, want)
		}
	}
	return holds("6 keys after the puts, 5 after a delete")
}

func listLevel(ctx context.Context, b *bench) outcome {
	if bad := shows(ctx, b.s, "tree", store.ListOptions{Depth: store.OneLevel}, "tree/a/", "tree/a-b", "tree/ab/", "tree/top"); bad != nil {
		return *bad
	}
	if bad := shows(ctx, b.s, "tree/a", store.ListOptions{Depth: store.OneLevel}, "tree/a/b/", "tree/a/x"); bad != nil {
		return *bad
	}
	return holds("keys and prefixes of two levels")
}

func listPart(ctx context.Context, b *bench) outcome {
	for _, c := range []struct {
		o    store.ListOptions
		want []string
	}{
		{store.ListOptions{KeyPrefix: "a/"}, []string{"tree/a/b/x", "tree/a/x"}},
		{store.ListOptions{StartAfter: "a/b/x"}, []string{"tree/a/x", "tree/ab/x", "tree/top"}},
		{store.ListOptions{KeyPrefix: "a", StartAfter: "a/x"}, []string{"tree/ab/x"}},
	} {
		if bad := shows(ctx, b.s, "tree", c.o, c.want...); bad != nil {
			return *bad
		}
	}
	return holds("by beginning, after a key, and both")
}

// many returns the keys of the long listing in sorted order.
func (b *bench) many() []string {
	keys := make([]string, b.n.keys)
	for i := range keys {
		keys[i] = fmt.Sprintf("many/%d/%05d", i*7/len(keys), i)
	}
	return keys
}

func listPages(ctx context.Context, b *bench) outcome {
	keys := b.many()
	err := concurrency.EachN(ctx, 32, len(keys), func(ctx context.Context, i int) error {
		_, err := b.s.Put(ctx, keys[i], []byte(keys[i][5:]), store.PutOptions{})
		return err
	})
	if err != nil {
		return because("put", err)
	}
	pages := 0
	s := store.Around(b.s, store.Hooks{After: func(_ context.Context, _ store.Call, r store.Result) {
		if !r.Unsupported {
			pages++
		}
	}})
	got, err := collected(s.List(ctx, "many", store.ListOptions{}))
	if err != nil {
		return because("list", err)
	}
	order := "in the order of their bytes"
	if !slices.IsSorted(got) {
		order = "in no order"
		slices.Sort(got)
	}
	if !slices.Equal(got, keys) {
		return fails("%s", differs(got, keys))
	}
	if pages == 1 {
		return holds("%d keys in one page, %s", len(keys), order)
	}
	return holds("%d keys in %d pages, %s", len(keys), pages, order)
}

func deleteMany(ctx context.Context, b *bench) outcome {
	keys := b.many()
	before := b.total.cost().Requests
	batch := true
	err := errors.ErrUnsupported
	if d, ok := b.s.(store.BatchDeleter); ok {
		err = d.DeleteAll(ctx, keys)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		batch = false
		err = store.DeleteAll(ctx, b.s, keys)
	}
	if err != nil {
		return because("delete", err)
	}
	requests := b.total.cost().Requests - before
	if bad := shows(ctx, b.other(), "many", store.ListOptions{}); bad != nil {
		if bad.verdict == Fails {
			bad.seen = "after the delete " + strings.Replace(bad.seen, " that should not be", "", 1)
		}
		return *bad
	}
	if !batch {
		return unsupported("%d keys, one request each", len(keys))
	}
	if requests == 1 {
		return holds("%d keys in one request", len(keys))
	}
	return holds("%d keys in %d requests", len(keys), requests)
}
