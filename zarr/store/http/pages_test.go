package http_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	zarrhttp "github.com/zargo-io/zargo/zarr/store/http"
)

// TestPagesForAbsentKeys checks that a server that responds with its page to every request gets two
// requests for a key, and that the page is never an absence.
func TestPagesForAbsentKeys(t *testing.T) {
	var requests atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><title>App</title>"))
	}))
	defer srv.Close()
	s, err := zarrhttp.Open(t.Context(), srv.URL+"/x")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Get(t.Context(), "zarr.json", store.GetOptions{}, nil)
	if !errors.Is(err, fault.Unavailable) || errors.Is(err, fault.NotFound) || requests.Load() != 2 {
		t.Errorf("%d requests: %v", requests.Load(), err)
	}
}

// TestSchemeOfAnotherPort checks that https to a port that serves http is refused after one
// attempt.
func TestSchemeOfAnotherPort(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(http.NotFound))
	defer srv.Close()
	s, err := zarrhttp.Open(t.Context(), strings.Replace(srv.URL, "http:", "https:", 1)+"/x")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Get(t.Context(), "zarr.json", store.GetOptions{}, nil)
	if !errors.Is(err, fault.Refused) || strings.Contains(err.Error(), "tried") || !strings.Contains(err.Error(), "HTTP response to HTTPS client") {
		t.Errorf("%v", err)
	}
}
