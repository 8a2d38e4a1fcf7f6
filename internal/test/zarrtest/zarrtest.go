package zarrtest

import (
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// Create calls zarr.Create and fails the test on an error.
func Create(t *testing.T, st store.Store, path string, spec zarr.Spec, opts ...zarr.Option) *zarr.Array {
	t.Helper()
	a, err := zarr.Create(t.Context(), st, path, spec, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Count returns the numbers from 1 to n.
func Count(n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(i + 1)
	}
	return s
}

// Forest creates the group "top" and, below the group, the groups "x" and "x/y" and the arrays "a"
// and "x/y/b". It returns the group "top".
func Forest(t *testing.T, st store.Store, format int) *zarr.Group {
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

// Paths returns the paths of all nodes below a group, in the order of zarr.Group.Walk.
func Paths(t *testing.T, g *zarr.Group) []string {
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

// Differences formats a list of differences as one line of text.
func Differences(all []upkeep.Difference) string {
	var text []string
	for _, d := range all {
		text = append(text, d.String())
	}
	return strings.Join(text, ", ")
}

// ConsolidatedForest creates a [Forest] with consolidated metadata and opens it again. The
// transcript contains the requests after the group was opened.
func ConsolidatedForest(t *testing.T, format int, opts ...zarr.Option) (*mem.Store, *zarr.Group, *Transcript) {
	t.Helper()
	st := mem.New()
	if _, err := Forest(t, st, format).Consolidate(t.Context()); err != nil {
		t.Fatal(err)
	}
	tr := &Transcript{}
	g, err := zarr.OpenGroup(t.Context(), store.Observe(st, tr.Record), "top", opts...)
	if err != nil {
		t.Fatal(err)
	}
	tr.Lines = nil
	return st, g, tr
}

// Bytes returns a stored value.
func Bytes(t *testing.T, st store.Store, key string) []byte {
	t.Helper()
	v, err := st.Get(t.Context(), key, store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v.Bytes
}

// Unsay removes the dimension separator from the document of a v2 array.
func Unsay(t *testing.T, st store.Store, path string) {
	t.Helper()
	doc := Get(t, st, path+"/.zarray")
	for _, sep := range []string{".", "/"} {
		doc = strings.ReplaceAll(doc, "  \"dimension_separator\": \""+sep+"\",\n", "")
	}
	if strings.Contains(doc, "dimension_separator") {
		t.Fatalf("the separator is still there: %s", doc)
	}
	Put(t, st, path+"/.zarray", doc)
}

// Get returns a stored value as text.
func Get(t *testing.T, st store.Store, key string) string {
	t.Helper()
	v, err := st.Get(t.Context(), key, store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(v.Bytes)
}

// Put stores a value.
func Put(t *testing.T, st store.Store, key, value string) {
	t.Helper()
	if _, err := st.Put(t.Context(), key, []byte(value), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

// Open calls zarr.OpenArray and fails the test on an error.
func Open(t *testing.T, st store.Store, path string, opts ...zarr.Option) *zarr.Array {
	t.Helper()
	a, err := zarr.OpenArray(t.Context(), st, path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Stores returns an empty store in memory and one in a temporary directory, by name.
func Stores(t *testing.T) map[string]store.Store {
	return map[string]store.Store{"mem": mem.New(), "dir": dir.New(t.TempDir())}
}
