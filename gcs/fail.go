package gcs

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"net/http"
	"strings"

	"google.golang.org/api/googleapi"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// explain converts the SDK's error to a fault kind, based on the body and status of GCS's response.
// ifAbsent reports whether the write required an absent key; a failed precondition then means that
// the key exists. Sources: Cloud Storage, "HTTP status and error codes for JSON", and the same for
// XML.
func (x *exchange) explain(err error, ifAbsent bool) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.bare {
		x.learn(err)
	}
	switch {
	case x.sent == 0:
		return notSent(err)
	case x.status == 0 || (x.err != nil && x.status < 300):
		return x.noResponse(err)
	case x.status < 300:
		return &provider.Failure{Kind: fault.Unavailable, Err: err, Text: "the response is not from GCS: " + provider.Cause(err).Error(), ID: provider.RequestID(x.header)}
	}
	d := parseDocument(x.body)
	a := provider.Answer{From: "GCS", Status: x.status, Header: x.header, Code: d.code, Message: d.message}
	if a.Foreign = !d.ours && x.status != http.StatusNotModified && x.status != http.StatusPreconditionFailed; a.Foreign {
		a.Page = x.body
	}
	f := a.Failure(kindOf(x.status, d, ifAbsent), nil)
	if f.Kind == error(fault.Unauthenticated) && x.anonymous {
		f.Kind = fault.NoCredentials
	}
	f.Maybe = d.code == codeBusy
	f.Text += x.hint(d)
	if _, ok := errors.AsType[*googleapi.Error](err); !ok {
		// For a 404 of a read the SDK does not return a googleapi.Error.
		err = errors.Join(err, &googleapi.Error{Code: x.status, Message: d.message, Body: string(x.body), Header: x.header})
	}
	f.Err = err
	return f
}

// noResponse returns the failure of a request without a complete response.
func (x *exchange) noResponse(err error) error {
	f := provider.NoAnswer(err)
	if x.status != 0 {
		f.Text, f.ID = "truncated response: "+provider.Cause(err).Error(), provider.RequestID(x.header)
	}
	return f
}

// notSent returns the failure of a request without credentials.
func notSent(err error) error {
	e := &tokenError{err}
	_ = errors.As(err, &e)
	text := "no token for Google was obtained: " + provider.Cause(e.err).Error()
	if _, header := e.response(); provider.ClockNow(header).Wrong() {
		text += " (" + provider.ClockNow(header).String() + ": set it, because requests for tokens contain the time)"
	}
	return &provider.Failure{Kind: e.kind(), Err: err, Text: text}
}

// document is the parsed body of an error response.
type document struct {
	ours    bool   // it has one of GCS's two forms
	code    string // NoSuchKey in the XML form, notFound in the JSON form
	message string
}

// parseDocument parses an error document. Responses to reads have it in XML, all other responses in
// JSON.
func parseDocument(body []byte) document {
	var x struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}
	if xml.Unmarshal(body, &x) == nil && x.Code != "" {
		return document{true, x.Code, x.Message}
	}
	var j struct {
		Error struct {
			Code    int
			Message string
			Errors  []struct{ Reason string }
		}
	}
	if json.Unmarshal(body, &j) == nil && j.Error.Code != 0 {
		d := document{ours: true, message: j.Error.Message}
		if len(j.Error.Errors) > 0 {
			d.code = j.Error.Errors[0].Reason
		}
		return d
	}
	return document{}
}

// noObject reports whether a 404 says that the object is missing, which means that the bucket
// exists.
func (d document) noObject() bool {
	return d.code == "NoSuchKey" || (d.ours && strings.HasPrefix(d.message, "No such object:"))
}

// noBucket reports whether a 404 says that the bucket is missing.
func (d document) noBucket() bool {
	return d.code == "NoSuchBucket" || (d.ours && strings.Contains(d.message, "bucket does not exist"))
}

// unclear is the kind of a 404 that names neither the object nor the bucket. It is not returned to
// callers of the store.
const unclear = fault.Kind("absent or not")

// codeBusy is the code of 503 responses of the overloaded XML API. Unlike the code SlowDown, it
// does not prove that the request had no effect.
const codeBusy = "ServiceUnavailable"

func kindOf(status int, d document, ifAbsent bool) error {
	switch status {
	case http.StatusNotFound:
		switch {
		case d.noBucket():
			return fault.NoBucket
		case d.noObject():
			return fault.NotFound
		}
		return unclear
	case http.StatusConflict, http.StatusGone:
		return fault.Unavailable // a concurrent writer, or a malformed request
	case http.StatusForbidden, http.StatusServiceUnavailable:
		switch d.code {
		case "rateLimitExceeded", "userRateLimitExceeded", "SlowDown", codeBusy:
			return fault.Throttled // with 403 in older responses, with 503 in XML
		}
	}
	return provider.KindOf(status, ifAbsent) // also for a redirect, which GCS never sends
}

func (x *exchange) hint(d document) string {
	status := x.status
	switch {
	case status == http.StatusNotFound && d.noBucket():
		return " (the bucket does not exist at this endpoint)"
	case d.code == "UserProjectMissing" || strings.Contains(d.message, "requester pays"):
		return " (set user_project=… to a project that may be billed)"
	case status < 500 && strings.Contains(d.message, "KMS"):
		return " (check the state of the Cloud KMS key, and that its policy allows the service agent of the bucket's project to encrypt and decrypt)"
	case strings.Contains(strings.ToLower(d.code+d.message), "customer") && strings.Contains(strings.ToLower(d.code+d.message), "encrypt"):
		return " (set the key that the value was written with: gcs.EncryptionKey)"
	case !d.ours || status != http.StatusForbidden && status != http.StatusUnauthorized:
	case x.writes && x.anonymous:
		return " (writes need credentials: remove anonymous=true)"
	case x.writes:
		return " (writes need the permission storage.objects.create, and storage.objects.delete to replace or delete: grant the role Storage Object User)"
	default:
		return " (GCS also responds like this for an absent key if the caller may not list the bucket)"
	}
	return ""
}

// settled resolves an unclear 404 that cannot mean an absent key. If the body has GCS's form, the
// bucket is missing. Otherwise a proxy sent the response.
func settled(err error) error {
	if f, ok := errors.AsType[*provider.Failure](err); ok && f.Kind == error(unclear) {
		f.Kind = fault.Unavailable
		if api, ok := errors.AsType[*googleapi.Error](err); ok && parseDocument([]byte(api.Body)).ours {
			f.Kind = fault.Refused
			f.Text += " (does the bucket exist?)"
		}
	}
	return err
}

// foreign returns the error for a response that looks like a success but is not from GCS: the page
// of a captive portal or a proxy, or an empty body.
func foreign(what string) error { return provider.Foreign("GCS", what) }
