package provider

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// partitioned is a store that refuses all Gets below hot/. One in a hundred of the others takes ten
// times as long.
type partitioned struct {
	*mem.Store
	mu        sync.Mutex
	hot, cold int // number of Gets
}

func (p *partitioned) Get(ctx context.Context, key string, _ store.GetOptions, buf []byte) (store.Value, error) {
	hot, after, status := strings.HasPrefix(key, "hot/"), 30*time.Millisecond, 200
	p.mu.Lock()
	if hot {
		p.hot++
		status = 503
	} else if p.cold++; p.cold%100 == 0 {
		after *= 10
	}
	p.mu.Unlock()
	if concurrency.Sleep(ctx, after) != nil {
		return store.Value{}, ctx.Err()
	}
	if t := store.TraceOf(ctx); t != nil && t.FirstByte != nil {
		t.FirstByte(ctx, store.FirstByte{Op: store.OpGet, Key: key, Status: status, After: after})
	}
	if hot {
		return store.Value{}, &fault.KeyError{Op: "get", Key: key, Kind: fault.Throttled}
	}
	return store.Value{Bytes: append(buf, "value"...), Size: 5, Version: "1"}, nil
}

// TestPrefixHedges checks that a prefix that is refused always does not end the hedges of another
// prefix, and is not hedged itself.
func TestPrefixHedges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &partitioned{Store: mem.New()}
		stack := Stack{Hedge: true, Limits: &concurrency.Limits{Bytes: concurrency.NewBudget(1 << 20)}}
		st, err := stack.Build(p, Bucket{Name: "a", BucketOptions: limit.BucketOptions{Reads: 128, Writes: 128}})
		if err != nil {
			t.Fatal(err)
		}
		var hedges int
		ctx, cancel := context.WithCancel(store.WithTrace(t.Context(), &store.Trace{Hedge: func(_ context.Context, h store.Hedge) {
			if strings.HasPrefix(h.Key, "hot/") {
				hedges++
			}
		}}))
		defer cancel()
		var hot sync.WaitGroup
		for i := range 1000 {
			hot.Go(func() {
				_ = concurrency.Sleep(ctx, time.Second)
				for ctx.Err() == nil {
					_, _ = st.Get(ctx, "hot/"+strconv.Itoa(i), store.GetOptions{Max: 10}, nil)
				}
			})
		}
		const n = 10_000
		if err := concurrency.EachN(t.Context(), 8, n, func(ctx context.Context, i int) error {
			time.Sleep(20 * time.Millisecond)
			_, err := st.Get(ctx, "cold/"+strconv.Itoa(i), store.GetOptions{Max: 10}, nil)
			return err
		}); err != nil {
			t.Error(err)
		}
		cancel()
		hot.Wait()
		t.Logf("%d requests of the hot prefix, %d hedged; %d of the cold prefix", p.hot, hedges, p.cold)
		if p.cold < n*1005/1000 || hedges > 0 {
			t.Errorf("%d of %d requests were sent twice, of which 1 %% are slow, and %d of the hot prefix", p.cold-n, n, hedges)
		}
	})
}
