package view_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/test/zarrtest"
	"github.com/zargo-io/zargo/view"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// cube creates an array of 60 × 60 × 60 numbers. Those with x < 20 are the fill value.
func cube(t *testing.T, st store.Store, typ dtype.Type) *zarr.Array {
	t.Helper()
	a := must(zarr.Create(t.Context(), st, "a", zarr.Spec{Shape: []int{60, 60, 60}, Chunks: []int{10, 60, 60}, DType: typ, Dims: []string{"z", "y", "x"}}))
	n := 60 * 60 * 40
	if typ == dtype.String {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = strings.Repeat("x", i%5)
		}
		succeed(t, zarr.Write(t.Context(), a, texts, zarr.All, zarr.All, zarr.Range(20, 60)))
		return a
	}
	values := make([]int16, n)
	for i := range values {
		values[i] = int16(i*i%1000 + 1)
	}
	succeed(t, zarr.Write(t.Context(), a, values, zarr.All, zarr.All, zarr.Range(20, 60)))
	return a
}

// TestLargeShards compares shards that are computed by their inner chunks with those that are
// computed whole: the whole shards, and ranges of them.
func TestLargeShards(t *testing.T) {
	for _, typ := range []dtype.Type{dtype.Int16, dtype.String} {
		for _, codecs := range [][]codec.Spec{{}, {codec.Transpose(2, 0, 1), codec.Zstd(1), codec.CRC32C()}} {
			st := mem.New()
			cube(t, st, typ)
			ds := must(dataset.Open(t.Context(), st, "", dataset.Options{}))
			o := view.Options{Chunks: map[string]int{"z": 8, "y": 10, "x": 12}, Shards: map[string]int{"z": 64, "y": 40, "x": 36}, Codecs: codecs, Fresh: time.Hour}
			whole := must(view.New(t.Context(), ds, o))
			o.Cache = 60_000
			large := must(view.New(t.Context(), ds, o))
			same(t, open(t.Context(), large, true), ds, "a")
			r := rand.New(rand.NewPCG(1, 2))
			for _, key := range keys(t, whole, "a", store.ListOptions{}) {
				want := must(whole.Get(t.Context(), key, store.GetOptions{}, nil))
				for range 20 {
					n := 1 + r.Int64N(want.Size)
					off := r.Int64N(want.Size - n + 1)
					rg := []store.Range{{}, store.Within(off, n), store.From(off), store.Suffix(n)}[r.IntN(4)]
					off, n, err := rg.Resolve(want.Size)
					succeed(t, err)
					got, err := large.Get(t.Context(), key, store.GetOptions{Range: rg}, []byte("before"))
					if err != nil || got.Size != want.Size || !bytes.Equal(got.Bytes, append([]byte("before"), want.Bytes[off:off+n]...)) {
						t.Fatalf("%v %v: %s %v differs: %v", typ, codecs, key, rg, err)
					}
				}
			}
			v := must(large.Get(t.Context(), "a/c/0/0/0", store.GetOptions{Range: store.Suffix(4)}, nil))
			if _, err := large.Get(t.Context(), "a/c/0/0/0", store.GetOptions{IfNotVersion: v.Version}, nil); !errors.Is(err, fault.Unchanged) {
				t.Errorf("not the version: %v", err)
			}
		}
	}
}

// TestLargeShardRequests records the requests for a shard that is not in the cache, and changes the
// source.
func TestLargeShardRequests(t *testing.T) {
	st, tr := mem.New(), &zarrtest.Transcript{}
	a := cube(t, st, dtype.Int16)
	ds := must(dataset.Open(t.Context(), store.Observe(st, tr.Record), "", dataset.Options{}))
	o := view.Options{Chunks: map[string]int{"z": 10, "y": 60, "x": 60}, Shards: map[string]int{"z": 60, "y": 60, "x": 60}, Codecs: []codec.Spec{}, Cache: 80_000, Fresh: time.Hour}
	v := must(view.New(t.Context(), ds, o))
	tr.Requests()
	all := make([]string, 6)
	for i := range all {
		all[i] = fmt.Sprintf("get a/c/%d/0/0", i)
	}
	const each = 2 * 10 * 60 * 60
	get := func(i int64) store.Value {
		return must(v.Get(t.Context(), "a/c/0/0/0", store.GetOptions{Range: store.Within(i*each, each)}, nil))
	}
	for _, r := range []struct {
		i    int64
		want string
	}{
		{0, strings.Join(all, ", ") + ", get a/c/0/0/0, get a/zarr.json"}, // for the index, and the first inner chunk again
		{0, ""},
		{3, "get a/c/3/0/0"},
	} {
		get(r.i)
		want := strings.Split(r.want, ", ")
		slices.Sort(want)
		if got := tr.Requests(); got != strings.Join(want, ", ") {
			t.Errorf("inner chunk %d: %s\nwant %s", r.i, got, want)
		}
	}
	before := get(1)
	succeed(t, zarr.Write(t.Context(), a, []int16{7}, zarr.At(5), zarr.At(0), zarr.At(30)))
	get(2) // evicts the first inner chunk from the cache
	after := get(0)
	if after.Version == before.Version {
		t.Error("the source has changed, and the shard has not")
	}
}
