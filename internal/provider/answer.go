package provider

import (
	"net/http"
	"strconv"
	"time"
)

// Answer is a provider's answer to a request that it refused or failed.
type Answer struct {
	From          string // the provider's name in messages: "S3"
	Status        int
	Header        http.Header
	Code, Message string // of the provider's error document, as far as it has them
	Foreign       bool   // the answer is not in the provider's form
}

// Failure returns the failure that the answer is, of a kind and with the SDK's error.
func (a Answer) Failure(kind, err error) *Failure {
	f := &Failure{Kind: kind, Err: err, After: RetryAfter(a.Header, time.Now()), ID: RequestID(a.Header)}
	f.Text = a.From + " answered " + strconv.Itoa(a.Status)
	if a.Code != "" {
		f.Text += " " + a.Code
	}
	if a.Message != "" && a.Message != a.Code {
		f.Text += ": " + a.Message
	}
	if a.Foreign {
		f.Text += ", and not in " + a.From + "'s form"
	}
	return f
}
