package provider

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

func TestAnswer(t *testing.T) {
	for _, tt := range []struct {
		name string
		a    Answer
		want string
	}{
		{"code and message", Answer{From: "S3", Status: 403, Code: "AccessDenied", Message: "no"}, "S3 responded with 403 AccessDenied: no"},
		{"the message repeats the code", Answer{From: "S3", Status: 403, Code: "Forbidden", Message: "Forbidden"}, "S3 responded with 403 Forbidden"},
		{"a message alone", Answer{From: "GCS", Status: 412, Message: "no"}, "GCS responded with 412: no"},
		{"foreign", Answer{From: "Azure", Status: 404, Foreign: true}, "Azure responded with 404 (not in Azure's error format)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.a.Header = http.Header{"Retry-After": {"3"}, "X-Ms-Request-Id": {"id"}}
			f := tt.a.Failure(fault.Refused, io.EOF)
			if f.Text != tt.want || f.After != 3*time.Second || f.ID != "id" {
				t.Errorf("%+v", f)
			}
			if !errors.Is(f, fault.Refused) || !errors.Is(f, io.EOF) {
				t.Errorf("the kind or the cause is lost: %v", f)
			}
		})
	}
}

// TestDocuments checks that Documents limits the size of documents, and not that of values.
func TestDocuments(t *testing.T) {
	const most = 10
	for _, tt := range []struct {
		name, method string
		status, want int
		listing      bool
	}{
		{"value", http.MethodGet, 200, MaxError + 1, false},
		{"listing", http.MethodGet, 200, most, true},
		{"answer to a write", http.MethodPut, 200, most, false},
		{"error document", http.MethodGet, 404, MaxError, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Documents{Most: most, Listing: func(*http.Request) bool { return tt.listing }}
			d.Do = func(r *http.Request) (*http.Response, error) {
				body := io.NopCloser(strings.NewReader(strings.Repeat("x", MaxError+1)))
				return &http.Response{StatusCode: tt.status, Request: r, Body: body}, nil
			}
			r, err := http.NewRequestWithContext(t.Context(), tt.method, "http://h/k", nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := d.Send(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			if b, err := io.ReadAll(resp.Body); err != nil || len(b) != tt.want {
				t.Errorf("%d bytes, want %d: %v", len(b), tt.want, err)
			}
		})
	}
}
