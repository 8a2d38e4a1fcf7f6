package upkeep_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// rows creates a v2 array of int8 rows and returns its store.
func rows(t *testing.T) store.Store {
	t.Helper()
	st := mem.New()
	a, err := zarr.Create(t.Context(), st, "a", zarr.Spec{Format: 2, Shape: []int{3}, Chunks: []int{2}, DType: dtype.Int8})
	if err == nil {
		err = zarr.Write(t.Context(), a, []int8{1, 2, 3})
	}
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// openRows opens the array of rows.
func openRows(t *testing.T, st store.Store, opts ...zarr.Option) *zarr.Array {
	t.Helper()
	a, err := zarr.OpenArray(t.Context(), st, "a", opts...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestMigrateMeetsResize runs a resize of an array that was opened before the migration before each
// request of the migration. If the resize succeeds before the v3 document exists, v3 readers see
// it.
func TestMigrateMeetsResize(t *testing.T) {
	for _, remove := range []bool{false, true} {
		refused := 0
		for n := int64(1); ; n++ {
			st := rows(t)
			stale := openRows(t, st)
			var seen atomic.Int64
			resized := false
			watch := store.Around(st, store.Hooks{Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
				if seen.Add(1) != n {
					return ctx, nil
				}
				_, err := stale.Resize(ctx, []int{2}, zarr.ResizeOptions{})
				_, none := st.Get(ctx, "a/zarr.json", store.GetOptions{}, nil)
				resized = err == nil && errors.Is(none, fault.NotFound)
				if err != nil && !errors.Is(err, zarr.ErrConflict) {
					t.Error(err)
				}
				if err != nil {
					refused++
				}
				return ctx, nil
			}})
			_, err := upkeep.Migrate(t.Context(), openRows(t, watch, zarr.Format(2)), upkeep.MigrateOptions{Remove: remove})
			if seen.Load() < n {
				if refused < 2 || n < 8 {
					t.Errorf("%d requests, %d resizes refused", n, refused)
				}
				break
			}
			switch a, none := zarr.OpenArray(t.Context(), st, "a", zarr.Format(3)); {
			case err != nil && (!errors.Is(err, zarr.ErrConflict) || none == nil):
				t.Errorf("before request %d: %v; the v3 array: %v", n, err, none)
			case err == nil && none != nil:
				t.Errorf("before request %d: there is no v3 array: %v", n, none)
			case err == nil && resized && a.Shape()[0] != 2:
				t.Errorf("before request %d: v3 readers see the shape %v", n, a.Shape())
			}
		}
	}
}

// TestMigrateBusy checks that an array with an append in progress is not migrated, nor are arrays
// beside it.
func TestMigrateBusy(t *testing.T) {
	st := killedAppend(t, 2)
	before := documents(t, st)
	g, err := zarr.OpenGroup(t.Context(), st, "g", zarr.Format(2))
	if err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{true, false} {
		if _, err := upkeep.Migrate(t.Context(), g, upkeep.MigrateOptions{DryRun: dry}); !errors.Is(err, zarr.ErrConflict) {
			t.Errorf("got %v", err)
		}
	}
	if now := documents(t, st); !maps.Equal(now, before) {
		t.Errorf("%v, there were %v", now, before)
	}
}

// documents returns the texts of all documents of a store by key.
func documents(t *testing.T, st store.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for e, err := range st.List(t.Context(), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if name := e.Key[strings.LastIndexByte(e.Key, '/')+1:]; name != "zarr.json" && !strings.HasPrefix(name, ".z") {
			continue
		}
		v, err := st.Get(t.Context(), e.Key, store.GetOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		all[e.Key] = string(v.Bytes)
	}
	return all
}

// TestMigrateMeetsCreator puts the v3 document of another creator before that of a migration, whose
// context then ends. The document is not that of the v2 array, so the next migration must not
// remove the array.
func TestMigrateMeetsCreator(t *testing.T) {
	st := rows(t)
	other := mem.New()
	if _, err := zarr.Create(t.Context(), other, "a", zarr.Spec{Shape: []int{7}, DType: dtype.Float32}); err != nil {
		t.Fatal(err)
	}
	rival, err := other.Get(t.Context(), "a/zarr.json", store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	met := false
	meeting := store.Around(st, store.Hooks{Before: func(call context.Context, c store.Call) (context.Context, error) {
		if c.Op == store.OpPut && c.Key == "a/zarr.json" && !met {
			met = true
			if _, err := st.Put(call, c.Key, rival.Bytes, store.PutOptions{}); err != nil {
				t.Error(err)
			}
			cancel()
		}
		return call, call.Err()
	}})
	if _, err := upkeep.Migrate(ctx, openRows(t, meeting, zarr.Format(2)), upkeep.MigrateOptions{Remove: true}); err == nil || !met {
		t.Errorf("the first migration: %v, %v", err, met)
	}
	if _, err := upkeep.Migrate(t.Context(), openRows(t, st, zarr.Format(2)), upkeep.MigrateOptions{Remove: true}); !errors.Is(err, zarr.ErrExists) {
		t.Errorf("the second migration: %v", err)
	}
	if got, err := zarr.Read[int8](t.Context(), openRows(t, st, zarr.Format(2))); err != nil || !slices.Equal(got, []int8{1, 2, 3}) {
		t.Errorf("the v2 array has the elements %v, %v", got, err)
	}
}

// TestMigrateEnds checks that a migration of two arrays leaves no claim if one of them cannot be
// migrated, and a mark in the documents of each array that has a v3 document.
func TestMigrateEnds(t *testing.T) {
	st := mem.New()
	root, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Format: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a", "b"} {
		if _, err := root.CreateArray(t.Context(), path, zarr.Spec{Shape: []int{3}, DType: dtype.Int8}); err != nil {
			t.Fatal(err)
		}
	}
	before := documents(t, st)
	if _, err := st.Put(t.Context(), "a/zarr.json", []byte(`{"zarr_format":3,"node_type":"group"}`), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := upkeep.Migrate(t.Context(), root, upkeep.MigrateOptions{Remove: true}); !errors.Is(err, zarr.ErrExists) {
		t.Errorf("got %v", err)
	}
	now := documents(t, st)
	for key, text := range before {
		if key == "b/.zarray" { // b has a v3 document, which readers see
			if !strings.Contains(now[key], `"done": true`) {
				t.Errorf("%s has no mark: %s", key, now[key])
			}
		} else if now[key] != text {
			t.Errorf("%s is %s, and was %s", key, now[key], text)
		}
	}
	check(t, st.Delete(t.Context(), "a/zarr.json", store.DeleteOptions{}))
	if _, err := upkeep.Migrate(t.Context(), root, upkeep.MigrateOptions{}); err != nil {
		t.Error(err)
	}
	for key, text := range documents(t, st) {
		if strings.HasSuffix(key, ".zarray") || strings.HasSuffix(key, ".zattrs") {
			if !strings.Contains(text, `"done":true`) && !strings.Contains(text, `"done": true`) {
				t.Errorf("%s has no mark: %s", key, text)
			}
		}
	}
}

// TestMigrateKilled kills a migration before each of its requests. No append to the claimed nodes
// succeeds, and the next migration completes the first.
func TestMigrateKilled(t *testing.T) {
	for _, remove := range []bool{false, true} {
		left := 0
		for n := int64(1); ; n++ {
			st := rows(t)
			var seen atomic.Int64
			killed := store.Around(st, store.Hooks{Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
				if seen.Add(1) >= n {
					return ctx, fault.Refused
				}
				return ctx, nil
			}})
			a, err := zarr.OpenArray(t.Context(), killed, "a", zarr.Format(2))
			if err == nil {
				_, err = upkeep.Migrate(t.Context(), a, upkeep.MigrateOptions{Remove: remove})
			}
			if seen.Load() < n {
				if left == 0 || err != nil {
					t.Errorf("%d requests, %d claims left: %v", n, left, err)
				}
				break
			}
			if strings.Contains(documents(t, st)["a/.zarray"], "migration") {
				left++
				a := openRows(t, st, zarr.Format(2))
				if _, err := zarr.Append(t.Context(), a, 0, []int8{4}, zarr.AppendOptions{TakeOver: -1}); !errors.Is(err, zarr.ErrConflict) {
					t.Errorf("killed before request %d: an append gives %v", n, err)
				}
			}
			x, err := zarr.Open(t.Context(), st, "a")
			if err == nil {
				_, err = upkeep.Migrate(t.Context(), x, upkeep.MigrateOptions{Remove: remove})
			}
			if err != nil {
				t.Fatalf("killed before request %d: %v", n, err)
			}
			got, err := zarr.Read[int8](t.Context(), openRows(t, st, zarr.Format(3)))
			if docs := documents(t, st); err != nil || !slices.Equal(got, []int8{1, 2, 3}) || docs["a/.zarray"] != "" && !strings.Contains(docs["a/.zarray"], `"done"`) || remove && docs["a/.zarray"] != "" {
				t.Errorf("killed before request %d: %v, %v; %v", n, got, err, docs)
			}
		}
	}
}
