package faultproxy

import (
	"fmt"
	"net/http"
)

// Kind is a kind of fault.
type Kind string

const (
	// None forwards the request and its response.
	None Kind = ""
	// SlowDown responds with status 503 and S3's error SlowDown, without forwarding the request.
	SlowDown Kind = "slow_down"
	// InternalError responds with status 500 and S3's error InternalError, without forwarding the
	// request.
	InternalError Kind = "internal_error"
	// Reset resets the connection without forwarding the request. Go's http.Transport retries a GET
	// once after a reset of a reused connection.
	Reset Kind = "reset"
	// Truncate forwards the request, declares the whole length and closes the connection in the
	// middle of the body. A response without a body is not changed.
	Truncate Kind = "truncate"
	// Hang neither forwards nor responds. It resets the connection when the client gives up or
	// after HangMS.
	Hang Kind = "hang"
	// Lost forwards the request, discards the response and resets the connection: the server has
	// executed the request, but the client does not know.
	Lost Kind = "lost"
	// Corrupt forwards the request and changes one bit in the middle of the body.
	Corrupt Kind = "corrupt"
	// Answer responds with the status and the body in the Fault, without forwarding the request.
	Answer Kind = "answer"
)

// Fault is the treatment of one request. The zero Fault forwards it.
type Fault struct {
	Kind Kind `json:"kind"`

	Status      int    `json:"status,omitempty"`       // status of an Answer; 0 means 200
	ContentType string `json:"content_type,omitempty"` // content type of an Answer; if empty, none is sent
	Body        string `json:"body,omitempty"`         // body of an Answer

	// After is the number of bytes of the body that Truncate sends. 0 means half of the body, and a
	// negative number means no bytes.
	After int64 `json:"after,omitempty"`
	// HangMS is the duration of a Hang in milliseconds. 0 means until the client gives up.
	HangMS float64 `json:"hang_ms,omitempty"`
}

// Page returns an Answer with status 200 and an HTML page, like those of captive portals and
// gateways.
func Page() Fault {
	return Fault{Kind: Answer, Status: http.StatusOK, ContentType: "text/html; charset=utf-8",
		Body: "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n"}
}

// S3Error returns an Answer with an error in S3's form, such as S3Error(403, "AccessDenied").
func S3Error(status int, code string) Fault {
	return Fault{Kind: Answer, Status: status, ContentType: "application/xml", Body: s3Error(code)}
}

func s3Error(code string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n<Error><Code>" + code +
		"</Code><Message>made by faultproxy</Message><RequestId>faultproxy</RequestId></Error>"
}

func (f Fault) check() error {
	switch f.Kind {
	case None, SlowDown, InternalError, Reset, Truncate, Hang, Lost, Corrupt:
	case Answer:
		if f.Status != 0 && (f.Status < 200 || f.Status > 599) {
			return fmt.Errorf("faultproxy: the status of an answer must be from 200 to 599, is %d", f.Status)
		}
	default:
		return fmt.Errorf("faultproxy: unknown kind of fault %q", f.Kind)
	}
	if f.HangMS < 0 {
		return fmt.Errorf("faultproxy: hang_ms must be at least 0, is %v", f.HangMS)
	}
	return nil
}
