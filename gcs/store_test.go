package gcs

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

func TestStore(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	var n atomic.Int64
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, f.At(fmt.Sprintf("a b/run+%d", n.Add(1))))
	})
}

// TestStoreBare runs the conformance tests without the layers of Open.
func TestStoreBare(t *testing.T) {
	noEnvironment(t)
	var f *Fake
	storetest.Run(t, func(t *testing.T) store.Store {
		f = NewFake(t)
		return bare(t, f.At(""))
	}, storetest.Keys(50), storetest.Rounds(4), storetest.RemovePart(func(_ store.Store, _ string, n int) error { return f.removePart(n) }))
}

// removePart removes the object of a part, as a lifecycle rule does.
func (f *Fake) removePart(n int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.objects {
		if last := name[strings.LastIndexByte(name, '/')+1:]; strings.HasPrefix(last, fmt.Sprintf("%05d", n)) && strings.HasSuffix(last, partSuffix) {
			delete(f.objects, name)
			return nil
		}
	}
	return fmt.Errorf("the part %d is not stored", n)
}

// TestStoreThroughFailures checks that the layers hide the failures of a server that throttles
// every seventh request and truncates every fifth value.
func TestStoreThroughFailures(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	f.Flaky(fake.Page(503, "application/xml", xmlError("SlowDown", "m")), "X-Goog-If-Generation-Not-Match")
	var run atomic.Int64
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, f.At(fmt.Sprintf("run%d", run.Add(1))), Retry(retry.Backoff(time.Millisecond, time.Millisecond)), MaxInFlight(32))
	}, storetest.Keys(50), storetest.Rounds(2))
}

// TestRealServer runs against a real server, such as fake-gcs-server, at ZARGO_TEST_GCS_ENDPOINT
// (for example http://127.0.0.1:4443), with the bucket ZARGO_TEST_GCS_BUCKET, by default
// "zarr-test".
func TestRealServer(t *testing.T) {
	at := os.Getenv("ZARGO_TEST_GCS_ENDPOINT")
	if at == "" {
		t.Skip("ZARGO_TEST_GCS_ENDPOINT is not set")
	}
	name := os.Getenv("ZARGO_TEST_GCS_BUCKET")
	if name == "" {
		name = "zarr-test"
	}
	noEnvironment(t)
	began := time.Now().UnixNano()
	var n atomic.Int64
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, fmt.Sprintf("gs://%s/run%d/a b+%d?endpoint=%s", name, began, n.Add(1), at))
	})
}

func noEnvironment(t testing.TB) {
	for _, name := range []string{"STORAGE_EMULATOR_HOST", "STORAGE_EMULATOR_HOST_GRPC", "GOOGLE_CLOUD_QUOTA_PROJECT", "GOOGLE_CLOUD_UNIVERSE_DOMAIN", provider.TrustVariable} {
		t.(interface{ Setenv(string, string) }).Setenv(name, "")
	}
	t.(interface{ Setenv(string, string) }).Setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nonexistent")
}

func open(t testing.TB, url string, opts ...Option) store.Store {
	t.Helper()
	return fake.Opened(t)(Open(t.Context(), url, opts...))
}

// bare opens the provider without the retry and limit layers.
func bare(t testing.TB, url string, opts ...Option) store.Store {
	t.Helper()
	c := &config{}
	if err := c.read(url, opts); err != nil {
		t.Fatal(err)
	}
	return fake.Opened(t)(c.Connect(t.Context()))
}
