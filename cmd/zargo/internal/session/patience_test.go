package session

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// down is a store that is unavailable until a point in time.
type down struct {
	store.Store
	until time.Time
}

func (d *down) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if time.Now().Before(d.until) {
		return store.Value{}, &fault.KeyError{Op: "get", Key: key, Kind: fault.Unavailable}
	}
	return d.Store.Get(ctx, key, o, buf)
}

func TestLate(t *testing.T) {
	for _, r := range []struct {
		name  string
		down  time.Duration
		lines int
	}{
		{"never down", 0, 0},
		{"a moment", 200 * time.Millisecond, 0},
		{"a while", 20 * time.Second, 1},
		{"for good", time.Hour, 1},
	} {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				l := &Late{out: &out}
				begin := time.Now()
				var said time.Duration // when the first line was written, to a tenth of a second
				st, err := retry.New(&down{mem.New(), begin.Add(r.down)}, retry.Notify(l.notify))
				if err != nil {
					t.Fatal(err)
				}
				done := make(chan struct{})
				go func() {
					defer close(done)
					_, _ = st.Get(t.Context(), "k", store.GetOptions{}, nil) // may fail, or return NotFound
					_, _ = st.Get(t.Context(), "k", store.GetOptions{}, nil)
				}()
				for said == 0 {
					synctest.Wait()
					l.mu.Lock()
					if out.Len() > 0 {
						said = time.Since(begin)
					}
					l.mu.Unlock()
					select {
					case <-done:
						said = max(said, 1)
					case <-time.After(100 * time.Millisecond):
					}
				}
				<-done
				l.End()
				if n := strings.Count(out.String(), "\n"); n != r.lines || n > 0 && said.Round(100*time.Millisecond) != patience {
					t.Errorf("%q after %v", &out, said)
				}
				if r.lines > 0 && !strings.Contains(out.String(), `get "k": unavailable`) {
					t.Errorf("%q", &out)
				}
			})
		})
	}
}

// TestLateEnds checks that nothing is written after the run.
func TestLateEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := &Late{out: &out}
		l.notify(store.Retry{Try: 3, Elapsed: time.Second, Wait: time.Hour, Err: fault.Throttled})
		l.End()
		time.Sleep(time.Minute)
		if out.Len() > 0 {
			t.Errorf("%q", &out)
		}
	})
}
