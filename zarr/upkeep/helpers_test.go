package upkeep_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

func mustCreate(t *testing.T, st store.Store, path string, spec zarr.Spec, opts ...zarr.Option) *zarr.Array {
	t.Helper()
	a, err := zarr.Create(t.Context(), st, path, spec, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func count(n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(i + 1)
	}
	return s
}

// transcript records requests. Those of one step may be made in any order, so they are sorted.
type transcript struct {
	mu    sync.Mutex
	lines []string
}

func (tr *transcript) record(_ context.Context, e store.Event) {
	line := string(e.Op) + " " + e.Key
	if !e.Range.IsWhole() {
		line += " " + e.Range.String()
	}
	switch {
	case errors.Is(e.Err, fault.NotFound):
		line += " absent"
	case e.Err != nil:
		line += " " + e.Err.Error()
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.lines = append(tr.lines, line)
}

// requests are those since the last time, sorted.
func (tr *transcript) requests() string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	slices.Sort(tr.lines)
	text := strings.Join(tr.lines, ", ")
	tr.lines = nil
	return text
}

// forest is a hierarchy of one format: groups "", "x" and "x/y", arrays "a" and "x/y/b".
func forest(t *testing.T, st store.Store, format int) *zarr.Group {
	t.Helper()
	root, err := zarr.CreateGroup(t.Context(), st, "top", zarr.Spec{Format: format, Attrs: map[string]any{"title": "all"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a", "x/y/b"} {
		if _, err := root.CreateArray(t.Context(), path, zarr.Spec{Shape: []int{2}, DType: dtype.Int8, Attrs: map[string]any{"name": path}}); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func paths(t *testing.T, g *zarr.Group) []string {
	t.Helper()
	var list []string
	for n, err := range g.Walk(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, n.Path())
	}
	return list
}

func differences(all []upkeep.Difference) string {
	var text []string
	for _, d := range all {
		text = append(text, d.String())
	}
	return strings.Join(text, ", ")
}

// consolidatedForest is a forest with consolidated metadata, opened again, and what is asked of the store from then on.
func consolidatedForest(t *testing.T, format int, opts ...zarr.Option) (*mem.Store, *zarr.Group, *transcript) {
	t.Helper()
	st := mem.New()
	if _, err := forest(t, st, format).Consolidate(t.Context()); err != nil {
		t.Fatal(err)
	}
	tr := &transcript{}
	g, err := zarr.OpenGroup(t.Context(), store.Observe(st, tr.record), "top", opts...)
	if err != nil {
		t.Fatal(err)
	}
	tr.lines = nil
	return st, g, tr
}

func mustGet(t *testing.T, st store.Store, key string) []byte {
	t.Helper()
	v, err := st.Get(t.Context(), key, store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v.Bytes
}

// unsay takes the separator out of a v2 array's document.
func unsay(t *testing.T, st store.Store, path string) {
	t.Helper()
	doc := get(t, st, path+"/.zarray")
	for _, sep := range []string{".", "/"} {
		doc = strings.ReplaceAll(doc, "  \"dimension_separator\": \""+sep+"\",\n", "")
	}
	if strings.Contains(doc, "dimension_separator") {
		t.Fatalf("the separator is still there: %s", doc)
	}
	put(t, st, path+"/.zarray", doc)
}

func get(t *testing.T, st store.Store, key string) string {
	t.Helper()
	v, err := st.Get(t.Context(), key, store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(v.Bytes)
}

func put(t *testing.T, st store.Store, key, value string) {
	t.Helper()
	if _, err := st.Put(t.Context(), key, []byte(value), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func mustOpen(t *testing.T, st store.Store, path string, opts ...zarr.Option) *zarr.Array {
	t.Helper()
	a, err := zarr.OpenArray(t.Context(), st, path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// stores are a store in memory and one on disk.
func stores(t *testing.T) map[string]store.Store {
	return map[string]store.Store{"mem": mem.New(), "dir": dir.New(t.TempDir())}
}
