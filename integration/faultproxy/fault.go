package faultproxy

import (
	"fmt"
	"net/http"
)

// Kind is a kind of misbehaviour.
type Kind string

const (
	// None forwards the request and its answer.
	None Kind = ""
	// SlowDown answers 503 with S3's SlowDown error and forwards nothing.
	SlowDown Kind = "slow_down"
	// Reset resets the connection and forwards nothing. (Go's http.Transport repeats a GET by
	// itself, once, when that happens on a connection which it used before.)
	Reset Kind = "reset"
	// Truncate forwards the request, announces the whole length and ends the connection in
	// mid-body. An answer without a body passes as it is.
	Truncate Kind = "truncate"
	// Hang forwards nothing and answers nothing until the client gives up or the time is over; then
	// it resets.
	Hang Kind = "hang"
	// Lost forwards the request, throws the answer away and resets the connection: the server has
	// done it, the client does not know.
	Lost Kind = "lost"
	// Answer forwards nothing and answers with the Fault's own status and body.
	Answer Kind = "answer"
)

// Fault is what happens to one request. The zero Fault forwards it.
type Fault struct {
	Kind Kind `json:"kind"`

	Status      int    `json:"status,omitempty"`       // of an Answer; 0 is 200
	ContentType string `json:"content_type,omitempty"` // of an Answer; empty sends none
	Body        string `json:"body,omitempty"`         // of an Answer

	After  int64   `json:"after,omitempty"`   // bytes that Truncate lets through; 0 is half of them, negative is none
	HangMS float64 `json:"hang_ms,omitempty"` // milliseconds of a Hang; 0 is until the client gives up
}

// Page is an Answer with status 200 and an HTML page, as captive portals and gateways give.
func Page() Fault {
	return Fault{Kind: Answer, Status: http.StatusOK, ContentType: "text/html; charset=utf-8",
		Body: "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n"}
}

// S3Error is an Answer with an error in S3's form, such as S3Error(403, "AccessDenied").
func S3Error(status int, code string) Fault {
	return Fault{Kind: Answer, Status: status, ContentType: "application/xml", Body: s3Error(code)}
}

func s3Error(code string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n<Error><Code>" + code +
		"</Code><Message>made by faultproxy</Message><RequestId>faultproxy</RequestId></Error>"
}

func (f Fault) check() error {
	switch f.Kind {
	case None, SlowDown, Reset, Truncate, Hang, Lost:
	case Answer:
		if f.Status != 0 && (f.Status < 200 || f.Status > 599) {
			return fmt.Errorf("faultproxy: status %d of an answer is not in 200…599", f.Status)
		}
	default:
		return fmt.Errorf("faultproxy: no fault of kind %q", f.Kind)
	}
	if f.HangMS < 0 {
		return fmt.Errorf("faultproxy: hang_ms %v is negative", f.HangMS)
	}
	return nil
}
