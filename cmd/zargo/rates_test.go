package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestRatesAreChecked checks that an invalid rate is an error of the command line.
func TestRatesAreChecked(t *testing.T) {
	p := newProgram()
	do(t, p, "create mem://rates/a --shape 1 --chunks 1 --dtype uint8")
	for _, flag := range []string{"--fleet=-1", "--request-rate=-1", "--request-rate=NaN", "--byte-rate=0", "--byte-rate=fast"} {
		fails(t, zargo(t, p, "cat mem://rates/a "+flag), 2, strings.Split(flag, "=")[0])
	}
	do(t, p, "cat mem://rates/a --fleet 8 --request-rate 3000 --byte-rate 100MiB")
}

// TestRequestRate checks that the interval between requests is at least that of the rate for one
// process of a fleet.
func TestRequestRate(t *testing.T) {
	p := newProgram()
	t.Chdir(t.TempDir())
	do(t, p, "create src --shape 40 --chunks 1 --dtype uint8")
	var mu sync.Mutex
	requests, last := 0, time.Time{}
	files := http.FileServer(http.Dir("."))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests, last = requests+1, time.Now()
		mu.Unlock()
		files.ServeHTTP(w, r)
	}))
	defer srv.Close()
	begun := time.Now()
	do(t, p, fmt.Sprintf("cat %s/src --fleet 4 --request-rate 400", srv.URL))
	mu.Lock()
	defer mu.Unlock()
	// This process's share is a hundred requests per second. A timer may fire late, and the process
	// may catch up within 50 ms.
	if least := time.Duration(requests-1)*10*time.Millisecond - 50*time.Millisecond; requests < 40 || last.Sub(begun) < least {
		t.Errorf("%d requests in %v, want %v at least", requests, last.Sub(begun), least)
	}
}
