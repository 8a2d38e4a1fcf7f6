package gcs

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	gcsapi "cloud.google.com/go/storage"
	"golang.org/x/oauth2"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestConnections checks that there are as many connections as requests in flight.
func TestConnections(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	f.Set("k", object{value: make([]byte, 1000)})
	fake.Connections(t, f.Server, open(t, f.At(""), MaxInFlight(fake.InFlight)))
}

func TestTransport(t *testing.T) {
	tr := transport(16)
	if tr.MaxConnsPerHost != 16 || !tr.DisableCompression || tr.ForceAttemptHTTP2 || tr.TLSNextProto == nil || len(tr.TLSNextProto) != 0 || tr.Proxy == nil {
		t.Errorf("got %+v", tr)
	}
}

// TestTLS checks that a TLS server that prefers HTTP/2 is used over HTTP/1.1, and that an untrusted
// certificate is fault.Refused.
func TestTLS(t *testing.T) {
	noEnvironment(t)
	f := newFake()
	var proto string
	f.Answer(func(_ http.ResponseWriter, r *http.Request) bool { proto = r.Proto; return false })
	f.Set("k", object{value: []byte("v")})
	srv := httptest.NewUnstartedServer(f)
	srv.EnableHTTP2 = true
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // logs aborted handshakes
	srv.StartTLS()
	t.Cleanup(srv.Close)
	f.URL = srv.URL
	_, err := bare(t, f.At(""), Anonymous()).Get(t.Context(), "k", store.GetOptions{}, nil)
	wantKind(t, err, fault.Refused)

	tr := transport(1)
	tr.TLSClientConfig = srv.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	tr.TLSClientConfig.NextProtos = nil
	if v, err := bare(t, f.At(""), HTTPClient(&http.Client{Transport: tr})).Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || string(v.Bytes) != "v" {
		t.Errorf("got %q, %v", v.Bytes, err)
	}
	if proto != "HTTP/1.1" {
		t.Errorf("spoke %s", proto)
	}
}

type noToken struct{ err error }

func (n noToken) Token() (*oauth2.Token, error) { return nil, n.err }

func TestTokens(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Open(ctx, f.At(""), TokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "hush"})))
	if err != nil {
		t.Fatal(err)
	}
	cancel() // the context of Open, not of the store
	_, err = s.Get(t.Context(), "k", store.GetOptions{}, nil)
	wantKind(t, err, fault.NotFound)
	if got := f.Header().Get("Authorization"); got != "Bearer hush" {
		t.Errorf("authorization %q", got)
	}
	for verb, err := range fake.Verbs(t.Context(), bare(t, f.At(""), TokenSource(noToken{errors.New("revoked")})), "5") {
		t.Run(verb, func(t *testing.T) { wantKind(t, err, fault.Refused) })
	}
	f.Requests()
	_, _ = bare(t, f.At("")).Get(t.Context(), "k", store.GetOptions{}, nil)
	if got := f.Header().Get("Authorization"); got != "" {
		t.Errorf("credentials over plain HTTP that nobody asked for: %q", got)
	}
}

// TestStallOfTheSDKClient checks that the SDK's client, found by store.As, also has the stall
// timeout.
func TestStallOfTheSDKClient(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	over := make(chan struct{})
	defer close(over)
	f.Answer(func(http.ResponseWriter, *http.Request) bool { <-over; return true })
	s := open(t, f.At(""), Anonymous(), StallTimeout(50*time.Millisecond))
	var client *gcsapi.Client
	if !store.As(s, &client) {
		t.Fatal("there is no client")
	}
	object := client.Bucket("zarr-test").Object("k")
	_, err := object.NewReader(context.Background())
	w := object.NewWriter(context.Background())
	w.ChunkSize = 0
	_, _ = w.Write([]byte("value"))
	for what, err := range map[string]error{"read": err, "write": w.Close()} {
		var stall *provider.StallError
		if !errors.As(err, &stall) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
