package load

import (
	"runtime"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// each runs a test on every provider.
func each(t *testing.T, test func(t *testing.T, p bucket.Provider)) {
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) { test(t, p) })
	}
}

// through starts a proxy of a provider's bucket and returns the URL of the bucket through the
// proxy.
func through(t *testing.T, b bucket.Provider, cfg faultproxy.Config) (*faultproxy.Proxy, string) {
	t.Helper()
	u := b.URL(t)
	cfg.RewriteHost = b.OwnHost
	p := faultproxy.Start(t, bucket.Endpoint(t, u), cfg)
	return p, bucket.Through(t, u, p.Addr())
}

// open opens a store that is closed at the end of the test. Retry delays are short, because no
// server is overloaded.
func open(t *testing.T, b bucket.Provider, url string, inFlight int, retries ...retry.Option) store.Store {
	t.Helper()
	retries = append([]retry.Option{retry.Backoff(time.Millisecond, 20*time.Millisecond)}, retries...)
	st, err := b.Open(t.Context(), url, inFlight, retries...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

// settle waits until no more goroutines run than before. If they do not end, it reports the
// remaining goroutines.
func settle(t *testing.T, before int) {
	t.Helper()
	for range 3000 { // half a minute; a leaked goroutine never ends
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}
