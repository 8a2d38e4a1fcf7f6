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

// CredentialKind returns the kind of a failure to obtain credentials from a service. status is the
// HTTP status of the response, or 0 without a response.
//
// A failure of the network has the kind of [NoAnswer]. A timeout or failure of the service is
// fault.Unavailable, and throttling is fault.Throttled. In these cases the credentials are not the
// cause, and the request may be retried. Responses with another status are fault.Unauthenticated.
// All other errors are fault.NoCredentials.
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

// unreached reports whether err is a failure of the network. The client of net/http returns all
// failures as *url.Error.
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
