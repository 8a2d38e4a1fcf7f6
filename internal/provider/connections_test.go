package provider

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// TestConnectionsOverTLS checks that concurrent requests to a server with HTTP/2 use one HTTP/1.1
// connection each, and that later connections resume TLS sessions.
func TestConnectionsOverTLS(t *testing.T) {
	const n = 16
	var arrived sync.WaitGroup
	arrived.Add(n)
	var mu sync.Mutex
	conns, resumed := map[string]bool{}, 0
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		conns[r.RemoteAddr] = true
		if r.TLS.DidResume {
			resumed++
		}
		mu.Unlock()
		if r.URL.Path == "/together" {
			arrived.Done()
			arrived.Wait()
		}
		_, _ = io.WriteString(w, r.Proto)
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()

	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: x509.NewCertPool(), NextProtos: []string{"h2", "http/1.1"}}, ForceAttemptHTTP2: true}
	tr.TLSClientConfig.RootCAs.AddCert(srv.Certificate())
	Connections(tr, n)
	defer tr.CloseIdleConnections()
	ask := func(path string) {
		resp, err := (&http.Client{Transport: tr}).Get(srv.URL + path)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = resp.Body.Close() }()
		if b, err := io.ReadAll(resp.Body); string(b) != "HTTP/1.1" || err != nil {
			t.Errorf("answered by %q, %v", b, err)
		}
	}
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { ask("/together") })
	}
	wg.Wait()
	if len(conns) != n {
		t.Errorf("%d connections for %d requests at once", len(conns), n)
	}
	tr.CloseIdleConnections()
	resumed = 0
	for range 3 {
		ask("/")
		tr.CloseIdleConnections()
	}
	if resumed != 3 {
		t.Errorf("%d of 3 connections resumed a session", resumed)
	}
}
