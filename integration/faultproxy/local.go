package faultproxy

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
)

// local is a transport that serves each request with a handler.
type local struct{ http.Handler }

// RoundTrip returns the response of the handler, which it keeps in memory.
func (l local) RoundTrip(r *http.Request) (*http.Response, error) {
	w := &response{header: http.Header{}}
	l.ServeHTTP(w, r)
	w.WriteHeader(http.StatusOK)
	return &http.Response{
		StatusCode: w.status, Header: w.header, Request: r,
		Body: io.NopCloser(bytes.NewReader(w.body.Bytes())), ContentLength: w.length(),
	}, nil
}

// response is a [http.ResponseWriter] that keeps the response.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *response) Header() http.Header { return w.header }

func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		w.body.Grow(int(max(0, w.length())))
	}
}

func (w *response) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// length returns the value of the header Content-Length, or -1.
func (w *response) length() int64 {
	n, err := strconv.ParseInt(w.header.Get("Content-Length"), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// corrupted is a reader that changes one bit of the byte at offset at.
type corrupted struct {
	io.Reader
	at int64
}

func (c *corrupted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if c.at >= 0 && c.at < int64(n) {
		b[c.at] ^= 1
	}
	c.at -= int64(n)
	return n, err
}
