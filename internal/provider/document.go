package provider

import "net/http"

// MaxError bounds an error document, which has some hundred bytes.
const MaxError = 1 << 20

// Documents bounds what an SDK reads into memory whole on a server's word: error documents, and
// the answers to all requests but those for a value.
type Documents struct {
	Do      Doer
	Most    int64                    // bytes of a document
	Listing func(*http.Request) bool // a GET is for a document and not for a value
}

// Send is [Send] with a bounded answer.
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
