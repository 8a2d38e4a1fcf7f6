package load

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// TestCounters lets goroutines count, each in its own element of one chunk, from the stored value
// and not from memory, so that a lost update is never repaired. Half of them write through their
// own store, like another process.
func TestCounters(t *testing.T) {
	const n, turns = 24, 6
	each(t, func(t *testing.T, b bucket.Provider) {
		u := b.URL(t)
		r, err := count(t, open(t, b, u, inFlight), open(t, b, u, inFlight), n, turns)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(r)
	})
	t.Run("dir", func(t *testing.T) {
		root := t.TempDir()
		r, err := count(t, dir.New(root), dir.New(root), n, turns)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(r)
	})
}

// count lets n goroutines count to turns. The even ones share one array. Each odd one opens its own
// array from the store other.
func count(t *testing.T, st, other store.Store, n, turns int) (*zarr.Report, error) {
	t.Helper()
	ctx := t.Context()
	plain := create(t, st, "counters", zarr.Spec{Shape: []int{n}, DType: dtype.Int64, Fill: -1, Codecs: []codec.Spec{codec.CRC32C()}})
	if err := zarr.Write(ctx, plain, make([]int64, n)); err != nil {
		return nil, err
	}
	report := new(zarr.Report)
	all := &meeting{missing: n/2 + 1, open: make(chan struct{})}
	writer := func(st store.Store) (*zarr.Array, error) {
		return zarr.OpenArray(ctx, &guest{Store: st, key: plain.ChunkKey(0), all: all}, "counters", zarr.WithReport(report))
	}
	shared, err := writer(st)
	if err != nil {
		return nil, err
	}
	err = concurrency.EachN(ctx, n, n, func(ctx context.Context, i int) error {
		a := shared
		if i%2 == 1 {
			var err error
			if a, err = writer(other); err != nil {
				return err
			}
		}
		for turn := range turns {
			got, err := zarr.Read[int64](ctx, plain, zarr.At(i))
			if err != nil {
				return err
			}
			if got[0] != int64(turn) {
				return fmt.Errorf("counter %d is at %d after %d", i, got[0], turn)
			}
			got[0]++
			if err := zarr.Write(ctx, a, got, zarr.At(i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	got, err := zarr.Read[int64](ctx, plain)
	if err != nil {
		return nil, err
	}
	for i, v := range got {
		if v != int64(turns) {
			return nil, fmt.Errorf("counter %d is at %d in the end, want %d", i, v, turns)
		}
	}
	// All goroutines that met had read the same version, and only one of them can have replaced it.
	if c := report.Conflicts.Load(); c < int64(n/2) {
		return nil, fmt.Errorf("%d conflicts, want at least %d", c, n/2)
	}
	return report, nil
}

// meeting blocks guests until all have arrived.
type meeting struct {
	mu      sync.Mutex
	missing int
	open    chan struct{} // closed when all have arrived
}

func (m *meeting) wait(ctx context.Context) error {
	m.mu.Lock()
	if m.missing--; m.missing == 0 {
		close(m.open)
	}
	m.mu.Unlock()
	select {
	case <-m.open:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// guest is a store that blocks after its first read of the key until the other guests have also
// read it.
type guest struct {
	store.Store
	key  string
	all  *meeting
	once sync.Once
}

func (g *guest) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := g.Store.Get(ctx, key, o, buf)
	if key == g.key && err == nil {
		g.once.Do(func() { err = g.all.wait(ctx) })
	}
	return v, err
}
