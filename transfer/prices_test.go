package transfer_test

import (
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// cloud returns a store with the RangeGap of a cloud store.
func cloud() store.Store {
	return store.Around(mem.New(), store.Hooks{Provide: func(target any) bool {
		t, ok := target.(*store.Tuning)
		if ok {
			*t = store.Tuning{RangeGap: 1 << 20}
		}
		return ok
	}})
}

// TestPrices checks the number of stages from 1 GiB of slices to columns within 200 MiB. If
// requests to the source are cheap, the tasks read rows in one stage. If they are expensive, the
// copy goes through an intermediate array.
func TestPrices(t *testing.T) {
	disk := func() store.Store { return dir.New(t.TempDir()) }
	unknown := func() store.Store { return nil }
	for _, c := range []struct {
		name     string
		src, dst func() store.Store
		stages   int
	}{
		{"disk to disk", disk, disk, 1},
		{"cloud to cloud", cloud, cloud, 2},
		{"cloud to disk", cloud, disk, 2},
		{"disk to cloud", disk, cloud, 1},
		{"disk to what is not known", disk, unknown, 1},
		{"cloud to what is not known", cloud, unknown, 2},
	} {
		a := must(zarr.Create(t.Context(), c.src(), "a", zarr.Spec{Shape: []int{256, 1024, 1024}, Chunks: []int{1, 1024, 1024}, DType: dtype.Float32, Codecs: []codec.Spec{}}))
		p, err := transfer.NewPlan(t.Context(), a, c.dst(), transfer.Options{Memory: 200 << 20, Grid: func(*zarr.Array) ([]int, []int, error) { return []int{256, 64, 64}, nil, nil }})
		check(t, err)
		if got := len(p.Stages) - 1; got != c.stages {
			t.Errorf("%s: %d stages, not %d", c.name, got, c.stages)
		}
	}
}

// TestERA5InClouds is [TestERA5] with the tuning of cloud stores.
func TestERA5InClouds(t *testing.T) {
	a := must(zarr.Create(t.Context(), cloud(), "t2m", zarr.Spec{Shape: []int{350640, 721, 1440}, Chunks: []int{1, 721, 1440}, DType: dtype.Float32}))
	for memory, stages := range map[int64]int{1 << 30: 3, 4 << 30: 2} {
		p, err := transfer.NewPlan(t.Context(), a, cloud(), transfer.Options{Memory: memory, Grid: func(*zarr.Array) ([]int, []int, error) { return []int{350640, 10, 10}, nil, nil }})
		check(t, err)
		if got := len(p.Stages) - 1; got != stages {
			t.Errorf("%d bytes: %d stages, not %d", memory, got, stages)
		}
	}
}
