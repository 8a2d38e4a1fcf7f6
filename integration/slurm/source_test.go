package slurm

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// source serves a directory. It can hold back requests for chunks, so that a node fails in the
// middle of its tasks.
type source struct {
	*httptest.Server
	refuses atomic.Bool // respond with 503
	refused atomic.Int64
	held    atomic.Int64 // number of requests of live processes that are held back now

	mu   sync.Mutex
	free int           // number of requests for chunks of each index that are not held back
	open chan struct{} // closed when all requests may continue; nil if none is held back
	met  [indices]int  // number of requests for chunks of each index
}

func serve(t *testing.T, dir string) *source {
	s := &source{}
	files := http.FileServer(http.Dir(dir))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.refuses.Load() {
			s.refused.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		row, n := 0, 0
		if _, chunk, ok := strings.Cut(r.URL.Path, "/c/"); ok {
			n, _ = fmt.Sscanf(chunk, "%d/0", &row)
		}
		if n == 0 || s.pass(r, row*indices/side) {
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(s.release) // before Close, which waits for requests that are held back
	return s
}

func (s *source) pass(r *http.Request, index int) bool {
	s.mu.Lock()
	open := s.open
	if s.met[index]++; open == nil || s.met[index] <= s.free {
		s.mu.Unlock()
		return true
	}
	s.mu.Unlock()
	s.held.Add(1)
	defer s.held.Add(-1)
	select {
	case <-open:
		return true
	case <-r.Context().Done(): // the client process was killed
		return false
	}
}

// hold lets the next n requests for chunks of each index continue, and holds back all later ones.
func (s *source) hold(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free, s.open, s.met = n, make(chan struct{}), [indices]int{}
}

// release lets all requests continue.
func (s *source) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open != nil {
		close(s.open)
		s.open = nil
	}
}
