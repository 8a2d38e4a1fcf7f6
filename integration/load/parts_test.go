package load

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// TestFaultyParts writes shards in parts through faults, by [zarr.Array.OpenShard] from several
// goroutines and by [zarr.Writer]. Acknowledged data must be stored as written, and a fault may
// cost only a few additional requests.
func TestFaultyParts(t *testing.T) { each(t, faultyParts) }

func faultyParts(t *testing.T, b bucket.Provider) {
	t.Parallel()
	const slow, reset, cut, lost = faultproxy.SlowDown, faultproxy.Reset, faultproxy.Truncate, faultproxy.Lost
	clean, parts := sendShards(t, b)
	if parts < 4 {
		t.Fatalf("%d parts: the test shows nothing", parts)
	}
	for name, kinds := range map[string][]faultproxy.Kind{
		"503": {slow}, "reset": {reset}, "lost": {lost}, "all": {slow, reset, cut, lost},
	} {
		t.Run(name, func(t *testing.T) {
			stats, _ := sendShards(t, b, kinds...)
			faults := int64(0)
			for _, n := range stats.Faults {
				faults += n
			}
			for _, k := range kinds {
				if stats.Faults[k] == 0 {
					t.Errorf("no request met %q: the test shows nothing", k)
				}
			}
			// A put whose response was lost reads the stored version before it is retried.
			if most := clean.Requests + 3*faults; stats.Requests > most {
				t.Errorf("%d requests with %d faults, %d without one", stats.Requests, faults, clean.Requests)
			}
			t.Logf("%d requests, %d without faults; %v", stats.Requests, clean.Requests, stats.Faults)
		})
	}
}

// sendShards writes an array of two rows of two shards of 6 MiB: the first row piece by piece, the
// second by a Writer. Then it reads the array from a store without faults. Every fourth request has
// a fault, with the kinds in rotation.
func sendShards(t *testing.T, b bucket.Provider, kinds ...faultproxy.Kind) (faultproxy.Stats, int64) {
	t.Helper()
	const rows, width, inner = 96, 2 << 16, 8
	direct := b.URL(t)
	p := faultproxy.Start(t, bucket.Endpoint(t, direct), faultproxy.Config{RewriteHost: b.OwnHost, Script: fourth(kinds)})
	u := bucket.Through(t, direct, p.Addr())
	var parts atomic.Int64
	st := store.Around(open(t, b, u, inFlight, retry.Tries(30)), store.Hooks{After: func(_ context.Context, c store.Call, r store.Result) {
		if c.Op == store.OpPart && r.Err == nil {
			parts.Add(1)
		}
	}})
	limits := zarr.Limit(zarr.Limits{Shared: &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(16 << 20)}})
	a, err := zarr.Create(t.Context(), st, "x", zarr.Spec{
		Shape: []int{rows, width}, Chunks: []int{inner, width / 8}, Shards: []int{rows, width / 2}, DType: dtype.Uint8, Codecs: []codec.Spec{},
	}, limits)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]uint8, 2*rows*width)
	if _, err := rand.NewChaCha8([32]byte{3}).Read(all); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		succeed(t, sendPieces(t.Context(), a, all, i, inner))
	}
	w, err := zarr.NewWriter[uint8](t.Context(), a, 0, zarr.AppendOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for at := rows; at < 2*rows; at += 12 {
		succeed(t, w.Write(t.Context(), all[at*width:(at+12)*width]))
	}
	if _, err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	stats := p.Stats()

	stored, err := zarr.OpenArray(t.Context(), open(t, b, direct, inFlight), "x")
	if err != nil {
		t.Fatal(err)
	}
	got, err := zarr.Read[uint8](t.Context(), stored)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, all) {
		t.Error("other values are stored than were written")
	}
	return stats, parts.Load()
}

// sendPieces writes the shard of the first row at a column, inner chunk by inner chunk, with two
// goroutines.
func sendPieces(ctx context.Context, a *zarr.Array, all []uint8, column, inner int) error {
	w, err := a.OpenShard(ctx, 0, column)
	if err != nil {
		return err
	}
	rows, width := a.Shape()[0], a.Shape()[1]
	half := width / 2
	err = concurrency.EachN(ctx, 2, rows/inner, func(ctx context.Context, i int) error {
		var piece []uint8
		for r := i * inner; r < (i+1)*inner; r++ {
			piece = append(piece, all[r*width+column*half:][:half]...)
		}
		return zarr.WriteShard(ctx, w, piece, zarr.Range(i*inner, (i+1)*inner), zarr.Range(column*half, (column+1)*half))
	})
	if err != nil {
		return err
	}
	return w.Commit(ctx)
}

// fourth returns a script that applies the faults in rotation to every fourth request.
func fourth(kinds []faultproxy.Kind) func(*http.Request) faultproxy.Fault {
	var count atomic.Int64
	return func(*http.Request) faultproxy.Fault {
		i := count.Add(1)
		if len(kinds) == 0 || i%4 != 0 {
			return faultproxy.Fault{}
		}
		return faultproxy.Fault{Kind: kinds[int(i/4)%len(kinds)]}
	}
}
