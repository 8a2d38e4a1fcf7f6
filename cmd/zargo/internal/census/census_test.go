package census_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/census"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func create(t *testing.T, st store.Store, spec zarr.Spec) *zarr.Array {
	t.Helper()
	spec.DType = dtype.Int32
	a, err := zarr.Create(t.Context(), st, "a", spec)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func fill(t *testing.T, a *zarr.Array, n int, sel ...zarr.Selection) {
	t.Helper()
	values := make([]int32, n)
	for i := range values {
		values[i] = int32(i + 1)
	}
	if err := zarr.Write(t.Context(), a, values, sel...); err != nil {
		t.Fatal(err)
	}
}

func damage(t *testing.T, st store.Store, key string, do func([]byte) []byte) {
	t.Helper()
	v, err := st.Get(t.Context(), key, store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Put(t.Context(), key, do(v.Bytes), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func take(t *testing.T, a *zarr.Array, o census.Options) *census.Counts {
	t.Helper()
	c, err := census.Array(t.Context(), a, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func want(t *testing.T, what string, got, want int64) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d, want %d", what, got, want)
	}
}

func TestChunks(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			st := mem.New()
			a := create(t, st, zarr.Spec{Format: format, Shape: []int{10, 10}, Chunks: []int{4, 4}, Codecs: []codec.Spec{codec.Zstd(1)}})
			fill(t, a, 40, zarr.Range(0, 4))
			// These are chunks outside the array, and keys of other objects.
			for _, key := range []string{a.ChunkKey(3, 0), a.ChunkKey(0, 7), "a/notes.txt", "a/c/x"} {
				if _, err := st.Put(t.Context(), key, []byte("12345"), store.PutOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			damage(t, st, a.ChunkKey(0, 1), func(b []byte) []byte { return b[:len(b)-2] })
			c := take(t, a, census.Options{})
			want(t, "chunks", c.Chunks, 9)
			want(t, "present", c.Present, 3)
			want(t, "absent", c.Absent, 6)
			want(t, "orphans", c.Orphans, 2)
			want(t, "bytes of orphans", c.OrphanBytes, 10)
			want(t, "corrupt", c.Corrupt, 0)
			want(t, "decoded", c.Decoded, 400)
			if c.Stored == 0 || c.Ratio() <= 0 || c.Sharded || c.Asked {
				t.Errorf("%+v", c)
			}
			c = take(t, a, census.Options{Data: true})
			want(t, "corrupt with data", c.Corrupt, 1)
			if len(c.Problems) != 1 || c.Problems[0].Key != a.ChunkKey(0, 1) {
				t.Errorf("%+v", c.Problems)
			}
		})
	}
}

func TestShards(t *testing.T) {
	st := mem.New()
	a := create(t, st, zarr.Spec{Shape: []int{20}, Chunks: []int{2}, Shards: []int{8}})
	fill(t, a, 3, zarr.Range(3, 6))   // 2 of 4 inner chunks of the first shard
	fill(t, a, 4, zarr.Range(16, 20)) // 2 of the 4 inner chunks of the last shard; the others are beyond the array
	c := take(t, a, census.Options{})
	want(t, "shards", c.Chunks, 3)
	want(t, "present", c.Present, 2)
	want(t, "inner chunks", c.InnerPresent, 4)
	want(t, "absent inner chunks", c.InnerAbsent, 4)
	want(t, "corrupt", c.Corrupt, 0)
	if n, room, err := a.CountStored(t.Context(), 0); n != 2 || room != 4 || err != nil {
		t.Errorf("%d of %d, %v", n, room, err)
	}
	if _, _, err := a.CountStored(t.Context(), 1); !errors.Is(err, fault.NotFound) {
		t.Errorf("a missing shard: %v", err)
	}
	for _, coord := range [][]int{{3}, {-1}, {0, 0}, {}} {
		if _, _, err := a.CountStored(t.Context(), coord...); !errors.Is(err, fault.Selection) {
			t.Errorf("%v: %v", coord, err)
		}
	}
	damage(t, st, a.ChunkKey(0), func(b []byte) []byte { b[len(b)-1] ^= 1; return b }) // the checksum of the index
	damage(t, st, a.ChunkKey(2), func(b []byte) []byte { return nil })
	c = take(t, a, census.Options{})
	want(t, "corrupt", c.Corrupt, 2)
	want(t, "present", c.Present, 2)
}

// TestRefused checks that keys are requested individually if listing is denied, up to a limit. Any
// other failure is an error, and no chunk is then counted as absent.
func TestRefused(t *testing.T) {
	st := mem.New()
	a := create(t, st, zarr.Spec{Shape: []int{10}, Chunks: []int{2}})
	fill(t, a, 4, zarr.Range(0, 4))
	on := func(list, get error) *zarr.Array {
		b, err := zarr.OpenArray(t.Context(), st, "a")
		if err != nil {
			t.Fatal(err)
		}
		b, err = zarr.OpenArray(t.Context(), &failing{st, list, get}, "a", zarr.Documents(must(b.Documents())))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, refusal := range []error{fault.Refused, errors.ErrUnsupported} {
		c := take(t, on(refusal, nil), census.Options{})
		want(t, "present", c.Present, 2)
		want(t, "absent", c.Absent, 3)
		want(t, "stored", c.Stored, take(t, a, census.Options{}).Stored)
		if !c.Asked {
			t.Error("it does not say that keys were asked for")
		}
	}
	if _, err := census.Array(t.Context(), on(fault.Refused, nil), census.Options{Ask: 4}); !errors.Is(err, fault.Refused) {
		t.Errorf("too many keys: %v", err)
	}
	for _, kind := range []error{fault.Unavailable, fault.Throttled} {
		if _, err := census.Array(t.Context(), on(kind, nil), census.Options{}); !errors.Is(err, kind) {
			t.Errorf("listing: %v", err)
		}
		if _, err := census.Array(t.Context(), on(fault.Refused, kind), census.Options{}); !errors.Is(err, kind) {
			t.Errorf("get: %v", err)
		}
	}
}

func must(docs map[string][]byte, err error) map[string][]byte {
	if err != nil {
		panic(err)
	}
	return docs
}

// failing denies listings and reads of chunks.
type failing struct {
	store.Store
	list, get error
}

func (f *failing) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, f.list) }
}

func (f *failing) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if f.get != nil && strings.Contains(key, "/c/") {
		return store.Value{}, f.get
	}
	return f.Store.Get(ctx, key, o, buf)
}

func ExampleArray() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "a", zarr.Spec{Shape: []int{100}, Chunks: []int{10}, Shards: []int{50}, DType: dtype.Int64, Codecs: []codec.Spec{}})
	if err != nil {
		panic(err)
	}
	if err := zarr.Write(ctx, a, []int64{1, 2, 3}, zarr.Range(8, 11)); err != nil {
		panic(err)
	}
	c, err := census.Array(ctx, a, census.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Present, "of", c.Chunks, "shards;", c.InnerPresent, "inner chunks;", c.Stored, "bytes for", c.Decoded)
	// Output: 1 of 2 shards; 2 inner chunks; 244 bytes for 800
}
