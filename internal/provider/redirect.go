package provider

import (
	"net/http"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Refusal is the error of a request that is not sent, or of a response that is discarded, for
// reasons of security. It matches fault.Refused.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Is reports whether target is fault.Refused.
func (r Refusal) Is(target error) bool { return target == error(fault.Refused) }

// NoRedirect is the CheckRedirect of clients that send credentials. S3, GCS and Azure do not
// redirect requests for objects in normal use. A client that followed a redirect would read values
// from another host than the host of the URL, or send credentials to the other host.
func NoRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// WithoutRedirects returns a Doer for a client of the caller. It copies an *http.Client and
// disables redirects in the copy. For other types of clients, [Send] refuses responses from another
// host.
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

// elsewhere returns a Refusal if the client followed a redirect to another host or scheme. It
// permits a transport that sends a request to another address without a redirect, for example
// through a gateway.
func elsewhere(asked *http.Request, resp *http.Response) error {
	if resp == nil || resp.Request == nil || resp.Request.URL == nil || resp.Request.Response == nil {
		return nil
	}
	from, to := asked.URL, resp.Request.URL
	if from.Scheme == to.Scheme && from.Host == to.Host {
		return nil
	}
	return Refusal("redirected to " + to.Scheme + "://" + to.Host + ", which differs from the host or scheme of the URL")
}

// maxRedirects is the maximum number of redirects. 10 is similar to the limit of browsers.
const maxRedirects = 10

// FollowRedirect returns a CheckRedirect for clients without credentials of a provider. It follows
// redirects, except from https to another scheme. own contains the headers of the caller.
// FollowRedirect removes these headers, and the header Referer, from requests to another host or
// scheme. Without FollowRedirect, net/http removes only a few headers, removes none for subdomains,
// and sends the previous URL with its parameters as Referer.
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
