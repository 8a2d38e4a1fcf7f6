package provider

import "net/http"

// MaxError is the maximum size of an error document in bytes. Error documents usually have some
// hundred bytes.
const MaxError = 1 << 20

// Documents sends requests, and limits the size of responses that an SDK reads into memory as a
// whole. These are error documents, and all other responses except values.
type Documents struct {
	Do      Doer
	Most    int64                    // maximum size of a document in bytes
	Listing func(*http.Request) bool // reports whether a GET requests a document and not a value
}

// Send is like the function [Send], but truncates the bodies of such responses at the limit.
func (d Documents) Send(r *http.Request) (*http.Response, error) {
	resp, err := Send(r, d.Do)
	if err != nil || resp == nil || resp.Body == nil {
		return resp, err
	}
	switch {
	case resp.StatusCode >= 300:
		resp.Body = Bounded(resp.Body, MaxError)
	case r.Method != http.MethodGet || d.Listing(r):
		resp.Body = Bounded(resp.Body, d.Most)
	}
	return resp, nil
}
