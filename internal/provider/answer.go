package provider

import (
	"net/http"
	"strconv"
	"time"
)

// Answer is an error response of a provider.
type Answer struct {
	From          string // name of the provider in messages, such as "S3"
	Status        int
	Header        http.Header
	Code, Message string // from the provider's error document; may be ""
	Foreign       bool   // the response is not in the provider's format
	Page          []byte // body of a foreign response; may be nil
}

// Failure converts the response to an error of the given kind. err is the error that the SDK
// returned.
func (a Answer) Failure(kind, err error) *Failure {
	f := &Failure{Kind: kind, Err: err, After: RetryAfter(a.Header, time.Now()), ID: RequestID(a.Header)}
	f.Text = a.From + " responded with " + strconv.Itoa(a.Status)
	if a.Code != "" {
		f.Text += " " + a.Code
	}
	if a.Message != "" && a.Message != a.Code {
		f.Text += ": " + a.Message
	}
	if a.Foreign {
		f.Text += " (not in " + a.From + "'s error format)"
		if text := PageText(a.Page); text != "" {
			f.Text += ": " + strconv.Quote(text)
		}
	}
	return f
}
