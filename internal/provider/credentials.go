package provider

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/zargo-io/zargo/zarr/fault"
)

// CredentialKind is the kind of the failure of a service that gives credentials: its HTTP status
// decides, 0 where there was no response. A service that cannot be reached, or is out of order, is
// fault.Unavailable, and asked again: that is about the network and not about who asks.
// fault.Unauthenticated is what it says about the credentials, and all else is fault.NoCredentials.
func CredentialKind(err error, status int) error {
	switch {
	case status == http.StatusTooManyRequests:
		return fault.Throttled
	case status == http.StatusRequestTimeout || status >= http.StatusInternalServerError:
		return fault.Unavailable
	case status != 0:
		return fault.Unauthenticated
	case unreached(err):
		return noAnswerKind(err)
	}
	return fault.NoCredentials
}

// unreached reports that a request failed on the way. A *url.Error is what net/http's client makes
// of any failure.
func unreached(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	var sent *url.Error
	var stall *StallError
	var temporary interface{ Temporary() bool }
	return errors.As(err, &op) || errors.As(err, &dns) || errors.As(err, &sent) || errors.As(err, &stall) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &temporary) && temporary.Temporary()
}
