package provider

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Failure is a provider's error in few words, with its kind; the provider's own error stays
// reachable. The words are without the request's URL, which may hold a secret.
type Failure struct {
	Kind  error
	Text  string
	After time.Duration // what the server asks to wait; 0 if it does not say
	Alone bool          // it is about the key, and says nothing of the bucket's other keys
	ID    string        // the provider's number of the request; "" where there is none
	Maybe bool          // of fault.Throttled: the request may have been done all the same
	Err   error
}

func (f *Failure) Error() string { return f.Kind.Error() + ": " + f.Text + WithRequest(f.ID) }

// RequestID is the provider's number of the request.
func (f *Failure) RequestID() string { return f.ID }

// Unwrap gives the kind and the provider's error.
func (f *Failure) Unwrap() []error { return []error{f.Kind, f.Err} }

// RetryAfter is how long the server asks to wait.
func (f *Failure) RetryAfter() time.Duration { return f.After }

// OneKey reports whether the failure says nothing of the bucket's other keys: package limit asks.
func (f *Failure) OneKey() bool { return f.Alone }

// Uncertain reports whether the request may have been done although it was refused: package retry
// asks.
func (f *Failure) Uncertain() bool { return f.Maybe }

// NoAnswer is the failure of a request that got no answer.
func NoAnswer(err error) *Failure {
	return &Failure{Kind: noAnswerKind(err), Text: "no answer: " + Cause(err).Error(), Err: err}
}

// noAnswerKind is fault.Unavailable, and fault.Refused where waiting changes nothing: a certificate
// that is not trusted stays so, and a name that does not exist, by the word of a name server and
// not for want of one, is a mistake in the URL far more often than an accident. Repeating those
// would hide the mistake for minutes.
func noAnswerKind(err error) error {
	var cert *tls.CertificateVerificationError
	var dns *net.DNSError
	switch {
	case errors.As(err, &cert), errors.Is(err, fault.Refused): // the latter of an address or a redirect that is not allowed
		return fault.Refused
	case errors.As(err, &dns) && dns.IsNotFound && !dns.IsTemporary && !dns.IsTimeout:
		return fault.Refused
	}
	return fault.Unavailable
}

// Cause is the innermost error of a chain, of joined ones the first's. The outer ones print the
// request's URL.
func Cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if joined, ok := err.(interface{ Unwrap() []error }); ok && len(joined.Unwrap()) > 0 {
			inner = joined.Unwrap()[0]
		}
		if inner == nil {
			return err
		}
		err = inner
	}
}

// KindOf is the kind of a status of RFC 9110 section 15 that is no success, where a provider has
// nothing else to go by. ifAbsent tells what a failed precondition means. A 404 proves nothing by
// itself: something in between may have sent it.
func KindOf(status int, ifAbsent bool) error {
	switch status {
	case http.StatusNotModified:
		return fault.Unchanged
	case http.StatusPreconditionFailed:
		if ifAbsent {
			return fault.Exists
		}
		return fault.Conflict
	case http.StatusRequestedRangeNotSatisfiable:
		return fault.Corrupt
	case http.StatusRequestEntityTooLarge:
		return fault.Limit
	case http.StatusTooManyRequests:
		return fault.Throttled
	case http.StatusNotImplemented:
		return errors.ErrUnsupported
	case http.StatusUnauthorized:
		return fault.Unauthenticated
	case http.StatusForbidden:
		return fault.Denied
	case http.StatusInsufficientStorage:
		return fault.Full
	case http.StatusNotFound, http.StatusRequestTimeout:
		return fault.Unavailable
	}
	if status >= 400 && status < 500 {
		return fault.Refused
	}
	return fault.Unavailable
}

// Foreign is for answers that look like success but are not the provider's: a captive portal, a
// proxy's page, an empty body.
func Foreign(provider, what string) error {
	return fault.Newf(fault.Unavailable, "the answer is not %s's: %s", provider, what)
}

// maxRetryAfter bounds what a server can ask for: longer than a retry waits at all.
const maxRetryAfter = 18 * time.Hour

// RetryAfter reads RFC 9110 section 10.2.3, seconds or a date, and Azure's headers in milliseconds.
// 0 is for none and for what cannot be read.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if n, err := strconv.ParseUint(strings.TrimSpace(h.Get(name)), 10, 26); err == nil {
			return min(time.Duration(n)*time.Millisecond, maxRetryAfter)
		}
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseUint(v, 10, 16); err == nil {
		return min(time.Duration(n)*time.Second, maxRetryAfter)
	}
	if at, err := http.ParseTime(v); err == nil {
		return min(max(0, at.Sub(now)), maxRetryAfter)
	}
	return 0
}
