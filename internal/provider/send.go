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

// Send sends a request with do. If a write gets no connection, the error is an *UnsentError. If a
// redirect led to a response from another host, the error is a [Refusal].
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

// UnsentError is the error of a write that was not sent, because the connection or a check before
// the write failed. After this error, the retry layer need not read the value to find out whether
// the write took place.
type UnsentError struct{ Err error }

func (e *UnsentError) Error() string { return e.Err.Error() }

// Unwrap returns the cause, which has the kind of the error.
func (e *UnsentError) Unwrap() error { return e.Err }

// Unsent returns true: the write was not sent. Package retry calls it.
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

// neverDialed reports whether err proves that no connection was made. net/http does not retry a
// write after it has sent a part of it, so err is the error of the only attempt.
func neverDialed(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	return errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") || errors.As(err, &dns) || errors.As(err, &cert)
}

// connecting records whether a request got a connection, and whether a TLS handshake failed. The
// error of the request does not suffice, because the same errors may occur after a handshake.
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

// failed reports whether the TLS handshake failed and no connection was made. The absence of a
// connection alone proves nothing, because a transport without tracing never reports a connection.
func (c *connecting) failed() bool { return c.broken.Load() && !c.got.Load() }

// Bounded returns a body that ends after n bytes. It is used for documents that an SDK reads
// completely into memory.
func Bounded(body io.ReadCloser, n int64) io.ReadCloser {
	return Plain{io.LimitReader(body, n), body}
}

// Plain is a body that has only the methods Read and Close.
type Plain struct {
	io.Reader
	io.Closer
}
