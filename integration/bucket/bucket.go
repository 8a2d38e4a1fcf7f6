package bucket

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Provider is a kind of bucket for tests, with the functions that open it.
type Provider struct {
	Name string
	// Env is the environment variable with the URL of a bucket for tests, including the parameters
	// for Open.
	Env string
	// Open opens a URL. If inFlight is 0, the store uses its default.
	Open func(ctx context.Context, url string, inFlight int, retries ...retry.Option) (store.Store, error)

	// Impatient is Open with another stall timeout.
	Impatient func(ctx context.Context, url string, stall time.Duration, retries ...retry.Option) (store.Store, error)

	// AnyKey means that every key that store.CheckKey accepts can be stored.
	AnyKey bool

	// Asked means that "make test" does not start a server for the provider. If Env is not set, the
	// tests of the provider are skipped, also in CI, unless ZARR_TEST_SERVERS names the provider.
	Asked bool

	// OwnHost means that the test server responds only to requests with its own host name, so that
	// a proxy must rewrite Host.
	OwnHost bool
}

// S3 returns the provider of Amazon S3 or a server with a compatible API.
func S3() Provider {
	return Provider{Name: "s3", Env: "ZARR_TEST_S3_URL", AnyKey: true, Open: func(ctx context.Context, url string, inFlight int, retries ...retry.Option) (store.Store, error) {
		opts := []s3.Option{s3.Retry(retries...)}
		if inFlight > 0 {
			opts = append(opts, s3.MaxInFlight(inFlight))
		}
		return s3.Open(ctx, url, opts...)
	}, Impatient: func(ctx context.Context, url string, stall time.Duration, retries ...retry.Option) (store.Store, error) {
		return s3.Open(ctx, url, s3.Retry(retries...), s3.StallTimeout(stall))
	}}
}

// MinIO returns the provider of S3 served by MinIO.
func MinIO() Provider {
	p := S3()
	p.Name, p.Env, p.Asked = "minio", "ZARR_TEST_MINIO_URL", true
	return p
}

// GCS returns the provider of Google Cloud Storage.
func GCS() Provider {
	return Provider{Name: "gcs", Env: "ZARR_TEST_GCS_URL", AnyKey: true, OwnHost: true, Open: func(ctx context.Context, url string, inFlight int, retries ...retry.Option) (store.Store, error) {
		opts := []gcs.Option{gcs.Retry(retries...)}
		if inFlight > 0 {
			opts = append(opts, gcs.MaxInFlight(inFlight))
		}
		return gcs.Open(ctx, url, opts...)
	}, Impatient: func(ctx context.Context, url string, stall time.Duration, retries ...retry.Option) (store.Store, error) {
		return gcs.Open(ctx, url, gcs.Retry(retries...), gcs.StallTimeout(stall))
	}}
}

// Azure returns the provider of Azure Blob Storage, which drops a dot at the end of a segment.
func Azure() Provider {
	return Provider{Name: "azure", Env: "ZARR_TEST_AZURE_URL", Open: func(ctx context.Context, url string, inFlight int, retries ...retry.Option) (store.Store, error) {
		opts := []azure.Option{azure.Retry(retries...)}
		if inFlight > 0 {
			opts = append(opts, azure.MaxInFlight(inFlight))
		}
		return azure.Open(ctx, url, opts...)
	}, Impatient: func(ctx context.Context, url string, stall time.Duration, retries ...retry.Option) (store.Store, error) {
		return azure.Open(ctx, url, azure.Retry(retries...), azure.StallTimeout(stall))
	}}
}

// All returns all providers.
func All() []Provider { return []Provider{S3(), MinIO(), GCS(), Azure()} }

// Of returns the provider of a URL, by its scheme.
func Of(t testing.TB, raw string) Provider {
	t.Helper()
	scheme, _, _ := strings.Cut(raw, "://")
	switch scheme {
	case "s3":
		return S3()
	case "gs":
		return GCS()
	case "azblob":
		return Azure()
	}
	t.Fatalf("%s is not in a bucket of a known provider", raw)
	return Provider{}
}

// URL returns an unused prefix of the bucket. Its contents are deleted at the end of the test.
func (p Provider) URL(t testing.TB) string {
	t.Helper()
	base := os.Getenv(p.Env)
	if base == "" && p.Asked && !slices.Contains(strings.Fields(os.Getenv("ZARR_TEST_SERVERS")), p.Name) {
		t.Skipf("SKIPPED: %s was not asked for; make %[1]s does", p.Name)
	}
	if base == "" {
		Lack(t, p.Env+" does not name a bucket")
	}
	u, err := url.Parse(base)
	if err != nil {
		t.Fatalf("%s: %v", p.Env, err)
	}
	u.Path = "/test-" + rand.Text()[:12]
	t.Cleanup(func() {
		// The timeout allows for a thousand keys on a loaded machine.
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := p.empty(ctx, u.String()); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	})
	return u.String()
}

// URL calls Provider.URL of S3.
func URL(t testing.TB) string { t.Helper(); return S3().URL(t) }

// Open opens the store at a URL and closes it at the end of the test.
func Open(t testing.TB, raw string) store.Store {
	t.Helper()
	st, err := Of(t, raw).Open(context.Background(), raw, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// Lack ends a test whose requirements are missing. If CI=true the test fails, and otherwise it is
// skipped.
func Lack(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s, and CI=true", what)
	}
	t.Skipf("SKIPPED: %s", what)
}

func (p Provider) empty(ctx context.Context, raw string) error {
	st, err := p.Open(ctx, raw, 0)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	return store.DeleteBelow(ctx, st, "")
}
