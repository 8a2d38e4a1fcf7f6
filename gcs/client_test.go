package gcs

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	gcsapi "cloud.google.com/go/storage"
	apioption "google.golang.org/api/option"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// clientOf returns a client of a program that does not use this package.
func clientOf(t *testing.T, f *Fake) *gcsapi.Client {
	t.Helper()
	c, err := gcsapi.NewClient(t.Context(), apioption.WithEndpoint(f.URL+"/storage/v1/"), apioption.WithHTTPClient(&http.Client{Transport: &http.Transport{}}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestClientStore(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	c := clientOf(t, f)
	var n atomic.Int64
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, fmt.Sprintf("gs://zarr-test/run%d", n.Add(1)), Client(c))
	}, storetest.Keys(50), storetest.Rounds(2))
}

// TestClient checks that with a caller's client conditions, versions and requests are the same,
// except that an absent key costs a second request.
func TestClient(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	c := clientOf(t, f)
	s := open(t, "gs://zarr-test/p", Client(c), Retry(retry.Tries(1)))
	v, err := s.Put(t.Context(), "k", []byte("value"), store.PutOptions{IfAbsent: true})
	if err != nil || v == "" {
		t.Fatal(v, err)
	}
	for name, c := range map[string]struct {
		do   func() error
		kind error
	}{
		"exists":    {func() error { _, err := s.Put(t.Context(), "k", nil, store.PutOptions{IfAbsent: true}); return err }, fault.Exists},
		"conflict":  {func() error { _, err := s.Put(t.Context(), "k", nil, store.PutOptions{IfVersion: "1"}); return err }, fault.Conflict},
		"pinned":    {func() error { _, err := s.Get(t.Context(), "k", store.GetOptions{IfVersion: "1"}, nil); return err }, fault.Conflict},
		"unchanged": {func() error { _, err := s.Get(t.Context(), "k", store.GetOptions{IfNotVersion: v}, nil); return err }, fault.Unchanged},
		"short": {func() error {
			_, err := s.Get(t.Context(), "k", store.GetOptions{Range: store.From(9)}, nil)
			return err
		}, fault.Corrupt},
	} {
		if err := c.do(); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.Requests()
	got, err := s.Get(t.Context(), "k", store.GetOptions{Range: store.Suffix(3), IfVersion: v}, nil)
	if err != nil || string(got.Bytes) != "lue" || got.Size != 5 || got.Version != v {
		t.Errorf("%q of %d, %v", got.Bytes, got.Size, err)
	}
	if _, err := s.Get(t.Context(), "absent", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
	want := []string{"GET /zarr-test/p/k bytes=-3", "GET /zarr-test/p/absent", "GET /storage/v1/b/zarr-test/o"}
	if lines := f.Requests(); !slices.Equal(lines, want) {
		t.Errorf("requests %q, want %q", lines, want)
	}
	// Close does not close the client and does not disable its retries.
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	var busy atomic.Int64
	f.Answer(func(w http.ResponseWriter, r *http.Request) bool {
		if busy.Add(1) == 1 {
			return fake.Page(503, "", "")(w, r)
		}
		return fake.Page(403, "", "")(w, r)
	})
	if _, err := c.Bucket("zarr-test").Object("p/k").Attrs(t.Context()); err == nil || busy.Load() != 2 {
		t.Errorf("%d requests, %v", busy.Load(), err)
	}
}

// TestClientFailures checks that errors have the same kinds as with the store's own client, and
// that a missing bucket is not an absent key.
func TestClientFailures(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	c := clientOf(t, f)
	for _, x := range []struct {
		name   string
		answer fake.Answer
		kind   error
	}{
		{"401", fake.Page(401, "application/xml", xmlError("AuthenticationRequired", "m")), fault.Refused},
		{"403", fake.Page(403, "application/xml", xmlError("AccessDenied", "m")), fault.Refused},
		{"no bucket", fake.Page(404, "application/json", jsonError(404, "notFound", "The specified bucket does not exist.")), fault.Refused},
		{"a page", fake.Page(404, "text/html", fake.HTML), fault.Unavailable},
		{"429", fake.Page(429, "application/xml", xmlError("SlowDown", "m")), fault.Throttled},
		{"503", fake.Page(503, "", ""), fault.Unavailable},
		{"hangs up", func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }, fault.Unavailable},
	} {
		t.Run(x.name, func(t *testing.T) {
			f.Answer(x.answer)
			s := open(t, "gs://zarr-test", Client(c), Retry(retry.Tries(1)))
			for verb, err := range fake.Verbs(t.Context(), s, "5") {
				t.Run(verb, func(t *testing.T) { wantKind(t, err, x.kind) })
			}
		})
	}
}

func TestClientContradicts(t *testing.T) {
	noEnvironment(t)
	c := clientOf(t, NewFake(t))
	fake.ClientContradicts(t, opening(), "gs://b", "gcs.Client", Client(c), map[string]Option{
		"anonymous": Anonymous(), "token": TokenSource(static("t")), "file": CredentialsFile("f"), "endpoint": Endpoint("https://h"),
		"universe": UniverseDomain("u"), "http client": HTTPClient(http.DefaultClient), "trust": TrustHost("h"), "stall": StallTimeout(time.Second),
	})
}
