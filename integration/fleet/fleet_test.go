package fleet_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/child"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/store"
)

// order has the task of a process.
type order struct {
	URL   string
	Name  int
	Reads int
	Fleet int // number of processes if they know it, else 0
}

func TestMain(m *testing.M) { child.Main(m, read) }

// read reads values with the concurrency of a call of the engine. It continues after a failure, so
// that all failures are counted.
func read(o order) error {
	ctx := context.Background()
	st, err := s3.Open(ctx, "s3://bucket", s3.Endpoint(o.URL), s3.PathStyle(), s3.Anonymous(), s3.Limits(concurrency.Default().Share(o.Fleet)))
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var bad error
	failed := int64(0)
	err = concurrency.EachN(ctx, 130, o.Reads, func(ctx context.Context, i int) error {
		v, err := st.Get(ctx, fmt.Sprintf("%d/%d", o.Name, i), store.GetOptions{}, nil)
		if err == nil && len(v.Bytes) != valueSize {
			err = fmt.Errorf("%d bytes", len(v.Bytes))
		}
		if err != nil {
			mu.Lock()
			defer mu.Unlock()
			bad = err
			failed++
		}
		return nil
	})
	if err == nil {
		err = st.Close()
	}
	if err == nil && bad != nil {
		err = fmt.Errorf("%d of %d reads failed, one of them so: %w", failed, o.Reads, bad)
	}
	child.Say("done", int64(o.Reads)-failed)
	return err
}

const valueSize = 8 << 10

// TestFullServer lets twenty processes read from a server that accepts 500 requests per second. No
// read may fail, and few requests may be refused.
func TestFullServer(t *testing.T) {
	const processes = 20
	for _, c := range []struct{ told, reads int }{{0, 400}, {processes, 200}} { // if the processes do not know their number, the first 130 requests of each are partly refused
		t.Run("told "+strconv.Itoa(c.told), func(t *testing.T) {
			reads := c.reads
			s := &server{latency: 30 * time.Millisecond, rate: 500, burst: 50, value: make([]byte, valueSize)}
			url := s.start(t)
			start := time.Now()
			var wg sync.WaitGroup
			var mu sync.Mutex
			done := 0
			for i := range processes {
				c := child.Start(t, order{url, i, reads, c.told})
				wg.Go(func() {
					err := c.Read(func(_ string, n int64) {
						mu.Lock()
						done += int(n)
						mu.Unlock()
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			s.mu.Lock()
			defer s.mu.Unlock()
			asked := float64(s.requests) / float64(processes*reads)
			t.Logf("%d reads in %v, with the optimum at %v; %.2f requests for each, %d refused", done, time.Since(start).Round(time.Millisecond),
				time.Duration(float64(processes*reads)/s.rate*float64(time.Second)), asked, s.refused)
			if done != processes*reads || asked > 2.5 || s.refused == 0 {
				t.Errorf("%d of %d reads were done, with %.2f requests for each", done, processes*reads, asked)
			}
		})
	}
}
