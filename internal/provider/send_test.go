package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestUnsent checks that a failed write is an UnsentError only if it had no connection.
func TestUnsent(t *testing.T) {
	quiet := log.New(io.Discard, "", 0)
	const gone = "http://127.0.0.1:1" // a reserved port; any other port may be in use by another test
	untrusted := httptest.NewUnstartedServer(nil)
	untrusted.Config.ErrorLog = quiet
	untrusted.StartTLS()
	defer untrusted.Close()
	hangsUp := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer hangsUp.Close()
	for _, c := range []struct {
		name   string
		url    string
		dial   error // error of a dialer that always fails
		kind   error
		unsent bool
	}{
		{"refused", gone, nil, fault.Unavailable, true},
		{"no such host", "http://h", &net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}, fault.Refused, true},
		{"name server fails", "http://h", &net.DNSError{Err: "server misbehaving", Name: "h", IsTemporary: true}, fault.Unavailable, true},
		{"name server is late", "http://h", &net.DNSError{Err: "i/o timeout", Name: "h", IsTimeout: true, IsNotFound: true}, fault.Unavailable, true},
		{"certificate not trusted", untrusted.URL, nil, fault.Refused, true},
		{"handshake broken off", "https://" + fake.ClosesAtOnce(t), nil, fault.Unavailable, true},
		{"connection cut after the request", hangsUp.URL, nil, fault.Unavailable, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := &http.Transport{}
			defer tr.CloseIdleConnections()
			if c.dial != nil {
				tr.DialContext = func(_ context.Context, network, _ string) (net.Conn, error) {
					return nil, &net.OpError{Op: "dial", Net: network, Err: c.dial}
				}
			}
			for _, method := range []string{"PUT", "DELETE", "GET"} {
				r, err := http.NewRequestWithContext(t.Context(), method, c.url, strings.NewReader("v"))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := Send(r, (&http.Client{Transport: tr}).Do)
				if err == nil {
					_ = resp.Body.Close()
				}
				var unsent *UnsentError
				if got := errors.As(err, &unsent); err == nil || got != (c.unsent && method != "GET") {
					t.Errorf("%s: unsent is %v: %v", method, got, err)
				}
				f := NoAnswer(err)
				if f.Kind != c.kind || !errors.Is(f, c.kind) || !errors.Is(f, err) {
					t.Errorf("%s: %v, want %v", method, f, c.kind)
				}
			}
		})
	}
}

// TestBrokenHandshakeIsNotEnough checks that a failed handshake does not count if the request was
// sent over another connection.
func TestBrokenHandshakeIsNotEnough(t *testing.T) {
	var c connecting
	c.trace().TLSHandshakeDone(tls.ConnectionState{}, io.EOF)
	if !c.failed() {
		t.Error("a broken handshake without a connection")
	}
	c.broken.Store(true)
	c.got.Store(true)
	if c.failed() {
		t.Error("a request that was sent")
	}
}

// TestNoAnswerKeepsSecrets checks that the message of a failure does not contain the URL of the
// request, which may contain a token.
func TestNoAnswerKeepsSecrets(t *testing.T) {
	f := NoAnswer(&url.Error{Op: "Get", URL: "https://h/k?sig=hush", Err: &net.OpError{Op: "read", Err: io.ErrUnexpectedEOF}})
	if strings.Contains(fmt.Sprint(f), "hush") || !errors.Is(f, io.ErrUnexpectedEOF) {
		t.Error(f)
	}
}

func TestConnections(t *testing.T) {
	for _, c := range []struct{ requests, idle int }{{16, 128}, {500, 500}} {
		var tr http.Transport
		Connections(&tr, c.requests)
		if tr.MaxConnsPerHost != c.requests || tr.MaxIdleConnsPerHost != c.requests || tr.MaxIdleConns != c.idle || !tr.DisableCompression {
			t.Errorf("%d requests: %+v", c.requests, &tr)
		}
	}
}
