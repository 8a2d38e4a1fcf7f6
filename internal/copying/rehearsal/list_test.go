package rehearsal_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/copying/rehearsal"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// unpaged hides the pages of a store.
type unpaged struct{ store.Store }

// TestListings changes a store and its rehearsal in the same way, and compares their listings.
func TestListings(t *testing.T) {
	for name, wrap := range map[string]func(store.Store) store.Store{
		"pages": func(s store.Store) store.Store { return s }, "no pages": func(s store.Store) store.Store { return unpaged{s} },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, plain, below := t.Context(), mem.New(), mem.New()
			put := func(key string, to ...store.Store) {
				for _, s := range to {
					if _, err := s.Put(ctx, key, nil, store.PutOptions{}); err != nil {
						t.Fatal(err)
					}
				}
			}
			for i := range 3500 {
				put(fmt.Sprintf("a/%d/%d", i%7, i), plain, below)
			}
			dry := rehearsal.New(wrap(below))
			for _, key := range []string{"a/0", "a/10", "a/3/1000x", "a/6/9999", "a/9/9", "z"} {
				put(key, plain, dry)
			}
			for i := range 600 {
				key := fmt.Sprintf("a/%d/%d", i*5%7, i*5)
				if err := plain.Delete(ctx, key, store.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
				if err := dry.Delete(ctx, key, store.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			for _, prefix := range []string{"", "a", "a/3", "none"} {
				for _, o := range []store.ListOptions{{}, {Depth: store.OneLevel}, {StartAfter: "3/1"}} {
					want, got := listed(t, store.ListAll(ctx, plain, prefix, o)), listed(t, store.ListAll(ctx, dry, prefix, o))
					if !slices.Equal(got, want) {
						t.Errorf("prefix %q, %+v: %d keys, want %d:\n%s", prefix, o, len(got), len(want), strings.Join(got, " "))
					}
				}
			}
		})
	}
}

func listed(t *testing.T, all func(func(store.Entry, error) bool)) (keys []string) {
	t.Helper()
	for e, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, fmt.Sprint(e.Key, " ", e.Dir))
	}
	slices.Sort(keys)
	return keys
}

// endless is a store with a million keys below every prefix.
type endless struct{ store.Store }

func (e endless) ListPage(_ context.Context, prefix string, _ store.ListOptions, token string) ([]store.Entry, string, error) {
	n := 0
	_, _ = fmt.Sscan(token, &n)
	page := make([]store.Entry, 1000)
	for i := range page {
		page[i] = store.Entry{Key: fmt.Sprintf("%s/%060d", prefix, n*1000+i), Size: 1}
	}
	if n++; n == 1000 {
		return page, "", nil
	}
	return page, fmt.Sprint(n), nil
}

func (endless) DeleteAll(context.Context, []string) error { panic("deleted") }

// TestDeletedMemory checks that the memory of a million deleted keys is bounded, and that the first
// ones are not listed again.
func TestDeletedMemory(t *testing.T) {
	ctx, dry := t.Context(), rehearsal.New(endless{mem.New()})
	first := []string{"a/" + strings.Repeat("0", 60), "a/" + strings.Repeat("0", 59) + "1"}
	if err := dry.DeleteAll(ctx, first); err != nil {
		t.Fatal(err)
	}
	before, n := memory(), 0
	err := store.DeleteSeq(ctx, dry, func(yield func(string, error) bool) {
		for e, err := range store.Pages(ctx, dry, "a", store.ListOptions{}) {
			if n++; !yield(e.Key, err) {
				return
			}
		}
	})
	if err != nil || n != 1_000_000-len(first) {
		t.Errorf("%d keys: %v", n, err)
	}
	if grown := memory() - before; grown > 64<<20 {
		t.Errorf("%d MiB", grown>>20)
	}
	if fewer, more := dry.Inexact(); fewer.Puts != 0 || fewer.Lists < 400 || more.Lists < 900 {
		t.Errorf("%+v fewer, %+v more", fewer, more)
	}
	if _, _, err := dry.ListPage(ctx, "a", store.ListOptions{}, ""); err != nil {
		t.Fatal(err)
	}
	if fewer, _ := dry.Inexact(); fewer.Puts < 500_000 {
		t.Errorf("%d forgotten keys may be listed again", fewer.Puts)
	}
	runtime.KeepAlive(dry)
}

func memory() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
