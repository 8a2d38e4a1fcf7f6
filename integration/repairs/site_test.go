package repairs

import (
	"encoding/json"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/internal/test/zarrtest"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// providers returns the providers on which repairs are tested.
func providers() []bucket.Provider { return bucket.All() }

// site creates a hierarchy: "sums" with checksums, "keys" and "plain" compressed, "long" with one
// shard of 6 MiB, and consolidated metadata.
func site(t *testing.T, st store.Store) {
	t.Helper()
	ctx := t.Context()
	g, err := zarr.CreateGroup(ctx, st, "", zarr.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	specs := map[string]zarr.Spec{
		"sums":  {Shape: []int{8}, Chunks: []int{2}, Codecs: []codec.Spec{codec.CRC32C()}},
		"keys":  {Shape: []int{8}, Chunks: []int{2}},
		"plain": {Shape: []int{8}, Chunks: []int{2}},
		"long":  {Shape: []int{6 << 20}, Shards: []int{6 << 20}, Chunks: []int{1 << 20}, Codecs: []codec.Spec{codec.CRC32C()}},
	}
	for path, spec := range specs {
		spec.DType = dtype.Uint8
		a, err := g.CreateArray(ctx, path, spec)
		if err != nil {
			t.Fatal(err)
		}
		fill(t, a)
	}
	if _, err := g.Consolidate(ctx); err != nil {
		t.Fatal(err)
	}
}

// undefined creates a v2 array with a null fill value.
func undefined(t *testing.T, st store.Store) {
	t.Helper()
	a, err := zarr.Create(t.Context(), st, "", zarr.Spec{Format: 2, Shape: []int{8}, Chunks: []int{2}, DType: dtype.Uint8, Fill: zarr.NoFill})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, a)
}

func fill(t *testing.T, a *zarr.Array) {
	t.Helper()
	values := make([]byte, a.Len())
	for i := range values {
		values[i] = byte(i*i>>7^i) | 1
	}
	if err := zarr.Write(t.Context(), a, values); err != nil {
		t.Fatal(err)
	}
}

var get = zarrtest.Bytes

func put(t *testing.T, st store.Store, key string, value []byte) {
	t.Helper()
	if _, err := st.Put(t.Context(), key, value, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, st store.Store, key string) {
	t.Helper()
	if err := st.Delete(t.Context(), key, store.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// flip flips a bit of a byte of an object.
func flip(t *testing.T, st store.Store, key string, at int) {
	t.Helper()
	b := get(t, st, key)
	b[at] ^= 4
	put(t, st, key, b)
}

// set changes the value of a member of a document.
func set(t *testing.T, st store.Store, key, member, value string) {
	t.Helper()
	doc, err := meta.Edit(key, get(t, st, key), map[string]json.RawMessage{member: json.RawMessage(value)})
	if err != nil {
		t.Fatal(err)
	}
	put(t, st, key, doc)
}

// contents returns all objects of a store.
func contents(t *testing.T, st store.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for e, err := range store.ListAll(t.Context(), st, "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		all[e.Key] = string(get(t, st, e.Key))
	}
	return all
}

const claim = `{"zargo_claim":{"id":"0123456789abcdef0123456789abcdef","what":"append","axis":0,"from":8,"to":10,"since":"2020-11-23T10:00:00Z"}}`
