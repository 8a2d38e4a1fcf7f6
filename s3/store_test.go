package s3

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"gocloud.dev/blob/s3blob"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

func TestStore(t *testing.T) { bothWays(t, testStore) }

func testStore(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	var n atomic.Int64
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, f.At(fmt.Sprintf("a b/run+%d", n.Add(1))), way)
	})
}

// TestStoreBare runs the conformance tests without the layers of Open.
func TestStoreBare(t *testing.T) { bothWays(t, testStoreBare) }

func testStoreBare(t *testing.T, way Option) {
	credentialsForTests(t)
	storetest.Run(t, func(t *testing.T) store.Store { return bare(t, NewFake(t).At(""), way) }, storetest.Keys(50), storetest.Rounds(4))
}

// TestStoreThroughFailures checks that the layers hide the failures of a server that throttles
// every seventh request and truncates every fifth value. Failures that leave the outcome of a
// conditional write unknown are not tested: the retry layer then compares the stored bytes, and the
// concurrent writers of the conformance tests write equal bytes.
func TestStoreThroughFailures(t *testing.T) { bothWays(t, testStoreThroughFailures) }

func testStoreThroughFailures(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	f.Flaky(fake.Page(503, "application/xml", document("SlowDown")), "If-None-Match")
	var run atomic.Int64
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, f.At(fmt.Sprintf("run%d", run.Add(1))), Retry(retry.Backoff(time.Millisecond, time.Millisecond)), MaxInFlight(32), way)
	}, storetest.Keys(50), storetest.Rounds(2))
}

// TestStorePortable runs the conformance tests on gocloud's s3blob without hooks.
func TestStorePortable(t *testing.T) {
	credentialsForTests(t)
	storetest.Run(t, func(t *testing.T) store.Store {
		client, err := parsed(t, NewFake(t).At("")).connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b, err := s3blob.OpenBucket(t.Context(), client, "zarr-test", nil)
		if err != nil {
			t.Fatal(err)
		}
		return blob.New(b)
	}, storetest.Without(storetest.Versions, storetest.AnyKey), storetest.Keys(50), storetest.Rounds(4))
}

func credentialsForTests(t testing.TB) {
	for _, kv := range [][2]string{
		{"AWS_ACCESS_KEY_ID", "zarrtest"}, {"AWS_SECRET_ACCESS_KEY", "zarrtest-secret"}, {"AWS_SESSION_TOKEN", ""},
		{"AWS_EC2_METADATA_DISABLED", "true"}, {"AWS_REGION", ""}, {"AWS_PROFILE", ""}, {"AWS_ENDPOINT_URL", ""},
		{"AWS_CONFIG_FILE", "/nonexistent"}, {"AWS_SHARED_CREDENTIALS_FILE", "/nonexistent"}, {"AWS_ENDPOINT_URL_S3", ""},
		{"AWS_CA_BUNDLE", ""}, {"AWS_MAX_ATTEMPTS", ""}, {"AWS_RETRY_MODE", ""},
	} {
		t.(interface{ Setenv(string, string) }).Setenv(kv[0], kv[1])
	}
}

func open(t testing.TB, url string, opts ...Option) store.Store {
	t.Helper()
	return fake.Opened(t)(Open(t.Context(), url, opts...))
}

func parsed(t testing.TB, url string, opts ...Option) *config {
	t.Helper()
	c := &config{}
	succeed(t, c.read(url, opts))
	return c
}

// bare opens the provider without the retry and limit layers.
func bare(t testing.TB, url string, opts ...Option) store.Store {
	t.Helper()
	return fake.Opened(t)(parsed(t, url, opts...).Connect(t.Context()))
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
