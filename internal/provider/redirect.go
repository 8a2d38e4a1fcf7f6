package provider

import (
	"net/http"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Refusal is a request that is not made, or an answer that is not taken, for the caller's safety.
// It is fault.Refused.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Is makes it fault.Refused.
func (r Refusal) Is(target error) bool { return target == error(fault.Refused) }

// NoRedirect is the CheckRedirect of clients that send credentials. S3, GCS and Azure do not
// redirect requests for objects in normal use; to follow would take a value from, or bring
// credentials to, where the URL does not lead.
func NoRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// WithoutRedirects makes requests by a client that the caller gave. An *http.Client is copied with
// redirects off; answers that another kind of client took from elsewhere are refused by [Send].
func WithoutRedirects(client interface {
	Do(*http.Request) (*http.Response, error)
}) Doer {
	if h, ok := client.(*http.Client); ok {
		own := *h
		own.CheckRedirect = NoRedirect
		return own.Do
	}
	return client.Do
}

// elsewhere refuses an answer of another host, or of the same host without TLS, to which the client
// followed a redirect. A transport may change a request's address without one, as a gateway's does.
func elsewhere(asked *http.Request, resp *http.Response) error {
	if resp == nil || resp.Request == nil || resp.Request.URL == nil || resp.Request.Response == nil {
		return nil
	}
	from, to := asked.URL, resp.Request.URL
	if from.Scheme == to.Scheme && from.Host == to.Host {
		return nil
	}
	return Refusal("redirected to " + to.Scheme + "://" + to.Host + ", which is not what the URL names")
}

// maxRedirects is what browsers take, more or less.
const maxRedirects = 10

// FollowRedirect is a CheckRedirect for clients without a provider's credentials: it follows, but
// not from https to http, and keeps the headers that the caller gave for one host from another.
// net/http itself keeps back only a few headers, and not from subdomains, and says to the next
// server the address of the last one with its parameters.
func FollowRedirect(own http.Header) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		first := via[0].URL
		switch {
		case len(via) >= maxRedirects:
			return fault.Newf(fault.Unavailable, "redirected %d times", len(via))
		case via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https":
			return fault.Newf(fault.Refused, "redirected from https to %s", req.URL.Scheme)
		}
		req.Header.Del("Referer")
		if req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
			for name := range own {
				req.Header.Del(name)
			}
		}
		return nil
	}
}
