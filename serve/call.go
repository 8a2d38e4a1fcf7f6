package serve

import (
	"context"
	"net/http"

	"github.com/zargo-io/zargo/dataset"
)

// call is one request and its response, as an endpoint gets it.
type call struct {
	*http.Request // its context has the deadline, the trace, and the account of the request
	w             *response
	o             *Options // with defaults
	src           *source  // nil for endpoints that belong to no dataset
}

// endpoint responds to a request. It sends a response, or returns an error that is sent.
type endpoint func(c *call) error

func (c *call) ctx() context.Context { return c.Context() }

// reads returns an error for a method that does not read. An endpoint calls it first.
func (c *call) reads() error {
	if c.Method == http.MethodGet || c.Method == http.MethodHead {
		return nil
	}
	return notAllowed(http.MethodGet, http.MethodHead, http.MethodOptions)
}

// dataset returns the opened dataset of a request that reads.
func (c *call) dataset() (*dataset.Dataset, error) {
	if err := c.reads(); err != nil {
		return nil, err
	}
	c.w.Header().Set("Cache-Control", "no-cache")
	return c.src.open(c.ctx())
}

// sendJSON responds with a value as JSON.
func (c *call) sendJSON(v any) error { return sendJSON(c.w, c.Request, http.StatusOK, v) }

// send responds with a body.
func (c *call) send(contentType string, body []byte) error {
	return send(c.w, c.Request, http.StatusOK, contentType, body)
}
