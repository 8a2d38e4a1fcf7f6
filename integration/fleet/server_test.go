package fleet_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"
)

// server is a bucket with a value under every key that accepts a limited number of requests per
// second.
type server struct {
	latency     time.Duration
	rate, burst float64 // requests per second, and the maximum number of requests after a pause
	value       []byte

	mu                sync.Mutex
	tokens            float64
	at                time.Time
	requests, refused int
}

// start starts the server and returns its URL. The server is closed at the end of the test.
func (s *server) start(t *testing.T) string {
	t.Helper()
	s.tokens, s.at = s.burst, time.Now()
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return srv.URL
}

// take takes a token and reports whether one was available.
func (s *server) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.tokens, s.at = min(s.burst, s.tokens+s.rate*now.Sub(s.at).Seconds()), now
	if s.requests++; s.tokens < 1 {
		s.refused++
		return false
	}
	s.tokens--
	return true
}

// ServeHTTP responds to a read.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	served := s.take()
	time.Sleep(s.latency)
	switch {
	case r.Method != http.MethodGet:
		http.Error(w, "reads only", http.StatusMethodNotAllowed)
	case !served:
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("<Error><Code>SlowDown</Code><Message>Reduce your request rate</Message></Error>"))
	default:
		w.Header().Set("Content-Length", strconv.Itoa(len(s.value)))
		w.Header().Set("Etag", `"1"`)
		_, _ = w.Write(s.value)
	}
}
