package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

const drawing = `/
  @title = "tree"
  a/
    b  float32 [4 6] in chunks of [2 3]
      @scale = 0.10
      @units = "K"
    c/
      d  int16 [3] in chunks of [3]
  a-b/
`

// plant creates the hierarchy.
func plant(t *testing.T, st store.Store) {
	t.Helper()
	root, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Attrs: map[string]any{"title": "tree"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := root.CreateGroup(t.Context(), "a-b", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := root.CreateArray(t.Context(), "a/b", zarr.Spec{Shape: []int{4, 6}, Chunks: []int{2, 3}, DType: dtype.Float32,
		Attrs: map[string]any{"units": "K", "scale": json.Number("0.10")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := root.CreateArray(t.Context(), "a/c/d", zarr.Spec{Shape: []int{3}, DType: dtype.Int16}); err != nil {
		t.Fatal(err)
	}
}

// consolidate writes the documents of all nodes into that of the root, as zarr-python 3 does.
func consolidate(t *testing.T, st store.Store) {
	t.Helper()
	documents := map[string]json.RawMessage{}
	for _, path := range []string{"a", "a-b", "a/b", "a/c", "a/c/d"} {
		v, err := st.Get(t.Context(), path+"/zarr.json", store.GetOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		documents[path] = v.Bytes
	}
	v, err := st.Get(t.Context(), "zarr.json", store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	root := map[string]any{}
	if err := json.Unmarshal(v.Bytes, &root); err != nil {
		t.Fatal(err)
	}
	root["consolidated_metadata"] = map[string]any{"kind": "inline", "must_understand": false, "metadata": documents}
	b, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Put(t.Context(), "zarr.json", b, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

// do runs the command and returns the drawing and the last line.
func do(t *testing.T, args ...string) (text, last string, err error) {
	t.Helper()
	var out bytes.Buffer
	err = run(t.Context(), args, &out)
	i := strings.LastIndexByte(strings.TrimSuffix(out.String(), "\n"), '\n') + 1
	return out.String()[:i], out.String()[i:], err
}

func check(t *testing.T, url string) {
	t.Helper()
	st, err := all.Mux().Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	plant(t, st)
	text, walked, err := do(t, url)
	if err != nil || text != drawing {
		t.Errorf("%v\n%s", err, text)
	}
	consolidate(t, st)
	text, consolidated, err := do(t, url)
	if err != nil || text != drawing {
		t.Errorf("consolidated: %v\n%s", err, text)
	}
	text, direct, err := do(t, "-direct", url)
	if err != nil || text != drawing {
		t.Errorf("direct: %v\n%s", err, text)
	}
	// With consolidated metadata, only the root's own documents are requested: those of all formats
	// and kinds, concurrently.
	if direct != walked || consolidated != "6 nodes, 3 requests\n" || walked == consolidated {
		t.Errorf("walked %q, direct %q, consolidated %q", walked, direct, consolidated)
	}
}

func TestDirectory(t *testing.T) { check(t, t.TempDir()) }

// The buckets are on servers that "make test" starts.
func TestBuckets(t *testing.T) {
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) { check(t, p.URL(t)) })
	}
}

func TestBrokenNodeIsSeen(t *testing.T) {
	root := t.TempDir()
	st, err := all.Mux().Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	plant(t, st)
	if _, err := st.Put(t.Context(), "a-b/zarr.json", []byte("{"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	text, _, err := do(t, root)
	if !errors.Is(err, zarr.ErrMetadata) || !strings.Contains(text, "a-b/zarr.json") || !strings.Contains(text, "d  int16") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestArguments(t *testing.T) {
	if _, _, err := do(t); err == nil {
		t.Error("no URL: no error")
	}
	if _, _, err := do(t, t.TempDir()); !errors.Is(err, zarr.ErrNotFound) {
		t.Errorf("no group: %v", err)
	}
}
