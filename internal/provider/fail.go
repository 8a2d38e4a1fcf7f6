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

// Failure is a provider's error with a kind and a short message. The message does not contain the
// URL of the request, which may contain a secret. Unwrap returns the provider's own error.
type Failure struct {
	Kind  error
	Text  string
	After time.Duration // time to wait before a retry, from the server; 0 if unknown
	Alone bool          // the failure affects only the key, not other keys of the bucket
	ID    string        // the provider's ID of the request; may be ""
	Maybe bool          // with fault.Throttled: the server may have performed the request
	Err   error
}

func (f *Failure) Error() string {
	text := f.Kind.Error() + ": " + f.Text
	if !f.Alone { // else the time is that of one key
		text += Asks(f.After)
	}
	return text + WithRequest(f.ID)
}

// Asks returns a suffix that adds the wait that the server requested to an error message.
func Asks(after time.Duration) string {
	if after <= 0 {
		return ""
	}
	return "; the server asks to wait " + strconv.FormatFloat(after.Round(time.Millisecond).Seconds(), 'f', -1, 64) + "s"
}

// RequestID returns the provider's ID of the request.
func (f *Failure) RequestID() string { return f.ID }

// Unwrap returns the kind and the provider's error.
func (f *Failure) Unwrap() []error { return []error{f.Kind, f.Err} }

// RetryAfter returns the time that clients must wait before a retry, as requested by the server.
func (f *Failure) RetryAfter() time.Duration { return f.After }

// OneKey reports whether the failure affects only the key of the request. Package limit calls it.
func (f *Failure) OneKey() bool { return f.Alone }

// Uncertain reports whether the server may have performed the refused request. Package retry calls
// it.
func (f *Failure) Uncertain() bool { return f.Maybe }

// NoAnswer returns the Failure for a request that received no response. err is the error of the
// client.
func NoAnswer(err error) *Failure {
	return &Failure{Kind: noAnswerKind(err), Text: "no response: " + Cause(err).Error(), Err: err}
}

// noAnswerKind returns the kind of err, the error of a request that received no response. The kind
// is fault.Refused if a retry is useless, and fault.Unavailable otherwise. A retry is useless for a
// forbidden address or redirect, an untrusted certificate, a server that responds to https with
// http or another protocol, and a name that does not exist according to a name server. A name that
// does not exist usually means that the URL is wrong, and retries would delay the error for
// minutes.
func noAnswerKind(err error) error {
	var cert *tls.CertificateVerificationError
	var protocol tls.RecordHeaderError
	var dns *net.DNSError
	switch {
	case errors.As(err, &cert), errors.Is(err, fault.Refused), errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &protocol):
		return fault.Refused
	case errors.As(err, &dns) && dns.IsNotFound && !dns.IsTemporary && !dns.IsTimeout:
		return fault.Refused
	}
	return fault.Unavailable
}

// Cause returns the innermost error of a chain, because the messages of outer errors contain the
// URL of the request. Of joined errors, it follows the first.
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

// KindOf returns the kind of an HTTP status that is not a success (RFC 9110 section 15), for
// responses without an error code of the provider. A failed precondition is fault.Exists if
// ifAbsent is true, and fault.Conflict otherwise. The status 404 is fault.Unavailable. It does not
// prove that the key is absent, because an intermediary may have sent the response.
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

// Foreign returns the error for a response that has a success status but is not from the provider,
// such as the page of a captive portal or a proxy. The argument what is a clause about the
// response, such as "it has no ETag".
func Foreign(provider, what string) error {
	return fault.Newf(fault.Unavailable, "the response is not from %s: %s", provider, what)
}

// maxRetryAfter is the maximum result of RetryAfter. It is longer than the waits of retries.
const maxRetryAfter = 18 * time.Hour

// RetryAfter returns the time to wait from the header Retry-After (seconds or a date, RFC 9110
// section 10.2.3) or from Azure's headers in milliseconds. It returns 0 if the header is absent or
// malformed.
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
