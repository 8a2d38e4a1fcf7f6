package provider

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// Send makes a request by do. The error of a write whose connection could not be made, so that
// nothing of it was sent, is an *UnsentError: the retry layer need not read back what became
// of it. An answer from another host is a Refusal.
func Send(r *http.Request, do Doer) (*http.Response, error) {
	resp, err := send(r, do)
	if err == nil {
		if err = elsewhere(r, resp); err != nil {
			_ = resp.Body.Close()
			return nil, err
		}
	}
	return resp, err
}

// UnsentError says of a write that failed that it was not even sent: its connection could not be
// made, or a look before it failed. So nothing happened, and the retry layer need not read back what
// became of it.
type UnsentError struct{ Err error }

func (e *UnsentError) Error() string { return e.Err.Error() }

// Unwrap returns the cause, which has the kind.
func (e *UnsentError) Unwrap() error { return e.Err }

// Unsent is true: package retry asks.
func (e *UnsentError) Unsent() bool { return true }

func send(r *http.Request, do Doer) (*http.Response, error) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return do(r)
	}
	var c connecting
	resp, err := do(r.WithContext(httptrace.WithClientTrace(r.Context(), c.trace())))
	if err != nil && (neverDialed(err) || c.failed()) {
		err = &UnsentError{Err: err}
	}
	return resp, err
}

// neverDialed tells from an error itself that there was no connection. net/http does not repeat a
// write of which it has sent something, so this is about the only attempt.
func neverDialed(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	return errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") || errors.As(err, &dns) || errors.As(err, &cert)
}

// connecting watches a request get its connection, for TLS handshakes that fail with errors that
// also occur later.
type connecting struct{ got, broken atomic.Bool }

func (c *connecting) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { c.got.Store(true) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			if err != nil {
				c.broken.Store(true)
			}
		},
	}
}

// failed needs the broken handshake as evidence: a transport that does not trace reports no
// connection either.
func (c *connecting) failed() bool { return c.broken.Load() && !c.got.Load() }

// Bounded is a body of which at most n bytes are read, for documents that an SDK reads into memory
// whole.
func Bounded(body io.ReadCloser, n int64) io.ReadCloser {
	return Plain{io.LimitReader(body, n), body}
}

// Plain hides every method but these.
type Plain struct {
	io.Reader
	io.Closer
}
