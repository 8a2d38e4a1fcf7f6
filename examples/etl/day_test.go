package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// TestDayAtOnce checks that jobs that create the same dataset with the same day concurrently all
// succeed, and that one of them appends the day. The same must hold for the next day.
func TestDayAtOnce(t *testing.T) {
	const first = 494000
	for _, jobs := range []int{2, 5, 12} {
		t.Run(fmt.Sprint(jobs), func(t *testing.T) {
			url := filepath.Join(t.TempDir(), "maps.zarr")
			for day := range 2 {
				from := makeDay(t, first+24*day, 24)
				var added atomic.Int64
				errs := make([]error, jobs)
				var all sync.WaitGroup
				for i := range jobs {
					all.Go(func() {
						var n int
						n, errs[i] = appendDay(t.Context(), dir.New(url), dir.New(from), time.Hour)
						added.Add(int64(n))
					})
				}
				all.Wait()
				if err := errors.Join(errs...); err != nil {
					t.Fatal(err)
				}
				if added.Load() != 24 {
					t.Errorf("%d times appended", added.Load())
				}
				check(t, url, first, 24*(day+1))
			}
		})
	}
}

// mortal is the store of a job that is killed after some requests.
type mortal struct {
	store.Store
	left atomic.Int64
}

var errKilled = errors.New("killed")

func (m *mortal) dead() bool { return m.left.Add(-1) < 0 }

func (m *mortal) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if m.dead() {
		return store.Value{}, errKilled
	}
	return m.Store.Get(ctx, key, o, buf)
}

func (m *mortal) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if m.dead() {
		return "", errKilled
	}
	return m.Store.Put(ctx, key, b, o)
}

func (m *mortal) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if m.dead() {
		return errKilled
	}
	return m.Store.Delete(ctx, key, o)
}

func (m *mortal) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	if m.dead() {
		return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, errKilled) }
	}
	return m.Store.List(ctx, prefix, o)
}

// TestDayKilled kills a job at each request of its first or second day, and checks that the next
// job completes it.
func TestDayKilled(t *testing.T) {
	const first = 494000
	days := []store.Store{dir.New(makeDay(t, first, 24)), dir.New(makeDay(t, first+24, 24))}
	for day := range days {
		for n := int64(0); ; n++ {
			url := filepath.Join(t.TempDir(), "maps.zarr")
			for _, before := range days[:day] {
				if _, err := appendDay(t.Context(), dir.New(url), before, dead); err != nil {
					t.Fatal(err)
				}
			}
			m := &mortal{Store: dir.New(url)}
			m.left.Store(n)
			_, err := appendDay(t.Context(), m, days[day], dead)
			if err == nil {
				break
			}
			if !errors.Is(err, errKilled) {
				t.Fatalf("day %d after %d requests: %v", day, n, err)
			}
			if _, err := appendDay(t.Context(), dir.New(url), days[day], -1); err != nil {
				t.Fatalf("day %d after %d requests: %v", day, n, err)
			}
			check(t, url, first, 24*(day+1))
		}
	}
}

// TestGroupWithoutTimes checks that an existing group without any of the arrays becomes a dataset.
func TestGroupWithoutTimes(t *testing.T) {
	url := filepath.Join(t.TempDir(), "maps.zarr")
	if _, err := zarr.CreateGroup(t.Context(), dir.New(url), "", zarr.Spec{Attrs: map[string]any{"title": "maps"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := appendDay(t.Context(), dir.New(url), dir.New(makeDay(t, 0, 24)), time.Hour); err != nil {
		t.Fatal(err)
	}
	check(t, url, 0, 24)
}
