package gcs

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"golang.org/x/oauth2"
)

// As many connections as requests at once, and the same ones again.
func TestConnectionsAreReused(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := open(t, f.At(""))
	if _, err := s.Put(t.Context(), "k", make([]byte, 1000), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	round := func() {
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				for i := range 6 {
					o := store.GetOptions{Range: store.Last(int64(i + 1))}
					if _, err := s.Get(t.Context(), "k", o, nil); err != nil {
						t.Error(err)
					}
					if i%3 == 0 {
						_, _ = s.Get(t.Context(), "absent", o, nil)
					}
				}
			})
		}
		wg.Wait()
	}
	round()
	first := f.Conns()
	round()
	if n := f.Conns() - first; first > 128 || n > 6 {
		t.Errorf("64 workers opened %d connections, and %d more for the same again", first, n)
	}
}

func TestTransport(t *testing.T) {
	for _, c := range []struct {
		name           string
		requests, want int
	}{{"few", 16, 128}, {"many", 500, 500}} {
		t.Run(c.name, func(t *testing.T) {
			tr := transport(c.requests)
			if tr.MaxIdleConns != c.want || tr.MaxIdleConnsPerHost != c.want || !tr.DisableCompression || tr.ForceAttemptHTTP2 ||
				tr.TLSNextProto == nil || len(tr.TLSNextProto) != 0 || tr.Proxy == nil {
				t.Errorf("got %+v", tr)
			}
		})
	}
}

// Over TLS, to a server that would rather speak HTTP/2: HTTP/1.1, and a certificate nobody knows is Unavailable.
func TestTLS(t *testing.T) {
	noEnvironment(t)
	f := newFake()
	var proto string
	f.Answer(func(_ http.ResponseWriter, r *http.Request) bool { proto = r.Proto; return false })
	f.Set("k", object{value: []byte("v")})
	srv := httptest.NewUnstartedServer(f)
	srv.EnableHTTP2 = true
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of the client that does not trust it
	srv.StartTLS()
	t.Cleanup(srv.Close)
	f.URL = srv.URL
	_, err := bare(t, f.At(""), Anonymous()).Get(t.Context(), "k", store.GetOptions{}, nil)
	wantKind(t, err, fault.Unavailable)

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
	cancel() // of the opening, not of the store
	_, err = s.Get(t.Context(), "k", store.GetOptions{}, nil)
	wantKind(t, err, fault.NotFound)
	if got := f.Header().Get("Authorization"); got != "Bearer hush" {
		t.Errorf("authorization %q", got)
	}
	for verb, err := range everyVerb(t.Context(), bare(t, f.At(""), TokenSource(noToken{errors.New("revoked")}))) {
		t.Run(verb, func(t *testing.T) { wantKind(t, err, fault.Refused) })
	}
	f.Requests()
	_, _ = bare(t, f.At("")).Get(t.Context(), "k", store.GetOptions{}, nil)
	if got := f.Header().Get("Authorization"); got != "" {
		t.Errorf("credentials over plain HTTP that nobody asked for: %q", got)
	}
}
