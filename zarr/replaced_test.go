package zarr_test

import (
	"context"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// restless is a store whose values are put again, as they are, before a part of the version that somebody knows is read.
type restless struct {
	store.Store
	gets, whole int
}

func (s *restless) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	s.gets++
	switch {
	case o.IfVersion != "":
		v, err := s.Store.Get(ctx, key, store.GetOptions{}, nil)
		if err != nil {
			return v, err
		}
		if _, err := s.Put(ctx, key, v.Bytes, store.PutOptions{}); err != nil {
			return v, err
		}
	case o.Range == (store.Range{}):
		s.whole++
	}
	return s.Store.Get(ctx, key, o, buf)
}

// TestShardReplacedAllTheTime: a shard whose writers leave no time for its index and a part of the same version is read as a whole in the end.
func TestShardReplacedAllTheTime(t *testing.T) {
	const n = 1 << 18
	for _, opts := range [][]zarr.Option{nil, {zarr.Cache(cache.New(1<<20, cache.Immutable()))}} {
		st := &restless{Store: mem.New()}
		a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{n}, Chunks: []int{n / 64}, Shards: []int{n}, DType: dtype.Float32})
		if err := zarr.Write(t.Context(), a, count(n)); err != nil {
			t.Fatal(err)
		}
		b, err := zarr.OpenArray(t.Context(), st, "x", opts...)
		if err != nil {
			t.Fatal(err)
		}
		st.gets, st.whole = 0, 0
		got, err := zarr.Read[float32](t.Context(), b, zarr.Range(5, 50))
		if err != nil || !slices.Equal(got, count(50)[5:]) {
			t.Errorf("%v, %v", got, err)
		}
		if st.whole != 1 || st.gets > 500 {
			t.Errorf("%d requests, %d of them for all of the shard", st.gets, st.whole)
		}
	}
}
