package transfers

import (
	"context"
	"errors"
	"flag"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// number is the number of chunks that are copied. With -objects 10000 the test takes four minutes,
// most of which are retry delays after 503s.
var number = flag.Int("objects", 2000, "how many objects TestS3ToGCS copies")

// repeated is the maximum number of requests that two interruptions repeat. Each interrupts two
// running tasks of 48 objects, which are read from the source and written. A write reads the object
// in the target and compares it.
const repeated = 2 * 2 * 48 * 3

// TestS3ToGCS copies objects while one request in twenty gets a 503 or a reset. The copy is
// interrupted twice and continued. The result must be equal. The requests must be the planned ones,
// plus those that failed or were interrupted. For ten thousand objects these are less than a
// twentieth.
func TestS3ToGCS(t *testing.T) {
	objects := *number
	from, to := bucket.S3(), bucket.GCS()
	fromURL, toURL := from.URL(t), to.URL(t)
	src := bucket.Open(t, fromURL)
	a, err := zarr.Create(t.Context(), src, "a", zarr.Spec{Shape: []int{objects * 16}, Chunks: []int{16}, DType: dtype.Int32, Codecs: []codec.Spec{codec.CRC32C()}})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]int32, objects*16)
	for i := range values {
		values[i] = int32(i + 1)
	}
	succeed(t, zarr.Write(t.Context(), a, values))
	p, err := transfer.NewPlan(t.Context(), a, bucket.Open(t, toURL), transfer.Options{Source: transfer.Place{Store: "from"}, Target: transfer.Place{Store: "to", Path: "a"}})
	if err != nil {
		t.Fatal(err)
	}
	costs, err := p.Costs()
	if err != nil {
		t.Fatal(err)
	}
	planned := int64(0)
	for _, c := range costs {
		planned += c.Reads + c.Writes + 2*int64(c.Tasks) // a marker, and a read of the claim
	}

	rates := faultproxy.Rates{SlowDown: 0.025, Reset: 0.025}
	in := faultproxy.Start(t, bucket.Endpoint(t, fromURL), faultproxy.Config{Seed: 1, Rates: rates, RewriteHost: from.OwnHost})
	out := faultproxy.Start(t, bucket.Endpoint(t, toURL), faultproxy.Config{Seed: 2, Rates: rates, RewriteHost: to.OwnHost})
	open := func(ctx context.Context, name string) (store.Store, error) {
		again := []retry.Option{retry.Backoff(time.Millisecond, 20*time.Millisecond), retry.Tries(30)}
		if name == "from" {
			return from.Open(ctx, bucket.Through(t, fromURL, in.Addr()), 0, again...)
		}
		return to.Open(ctx, bucket.Through(t, toURL, out.Addr()), 0, again...)
	}
	for _, until := range []int{p.Tasks() / 3, p.Tasks() * 2 / 3} {
		ctx, interrupt := context.WithCancel(t.Context())
		err := transfer.Run(ctx, p, open, transfer.RunOptions{Parallel: 2, Progress: func(x transfer.Progress) {
			if x.Done >= until {
				interrupt()
			}
		}})
		interrupt()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted: %v", err)
		}
	}
	if missing, err := transfer.Verify(t.Context(), p, open); err != nil || len(missing) == 0 || len(missing) > p.Tasks()/2 {
		t.Fatalf("after two interruptions %d of %d tasks are missing, %v", len(missing), p.Tasks(), err)
	}
	succeed(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{}))
	sum, faults := int64(0), int64(0)
	for _, proxy := range []*faultproxy.Proxy{in, out} {
		s := proxy.Stats()
		sum += s.Requests
		for _, n := range s.Faults {
			faults += n
		}
	}
	t.Logf("%d requests for %d planned, %d faults", sum, planned, faults)
	most := planned + repeated + 50 + faults
	if objects >= 8000 {
		most = planned + planned/20 + faults
	}
	if sum > most || faults < planned/50 {
		t.Errorf("%d requests with %d faults, and %d were planned", sum, faults, planned)
	}
	b, err := zarr.OpenArray(t.Context(), bucket.Open(t, toURL), "a")
	if err != nil {
		t.Fatal(err)
	}
	got, err := zarr.Read[int32](t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if v != values[i] {
			t.Fatalf("element %d is %d", i, v)
		}
	}
	succeed(t, transfer.Clean(t.Context(), p, open))
	n := 0
	for _, err := range store.ListAll(t.Context(), bucket.Open(t, toURL), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != objects+2 { // two are the documents of the array and of its parent group
		t.Errorf("%d objects are stored", n)
	}
}
