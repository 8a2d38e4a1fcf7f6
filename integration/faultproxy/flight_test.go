package faultproxy

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
)

// TestPeakIsExact checks that PeakInFlight equals the number of workers, if each worker reads each
// response to its end before it sends the next request.
func TestPeakIsExact(t *testing.T) {
	target := behind(t, bytesOf)
	for _, query := range []string{"", "?chunked"} {
		for _, size := range []int{0, 1, 100, 5000, 100_000} {
			for _, workers := range []int{1, 7} {
				t.Run(fmt.Sprintf("size=%d%s/workers=%d", size, query, workers), func(t *testing.T) {
					p, c := Start(t, target, Config{}), client(t, true)
					slots := make(chan struct{}, workers)
					var wg sync.WaitGroup
					for range 120 {
						slots <- struct{}{}
						wg.Go(func() {
							defer func() { <-slots }()
							if got, err := do(t.Context(), c, "GET", fmt.Sprintf("%s/%d%s", p.URL(), size, query), ""); err != nil || len(got.body) != size {
								t.Errorf("%d bytes, %v", len(got.body), err)
							}
						})
					}
					wg.Wait()
					if s := p.Stats(); s.PeakInFlight > int64(workers) || s.InFlight != 0 || s.Requests != 120 || s.BytesOut != int64(120*size) {
						t.Errorf("%+v", s)
					}
				})
			}
		}
	}
}

// TestPeakIsExactWithFaults checks PeakInFlight if most responses are faults: a request is no
// longer in flight when the client sees the fault.
func TestPeakIsExactWithFaults(t *testing.T) {
	p := Start(t, behind(t, bytesOf), Config{Seed: 3, Rates: Rates{SlowDown: 0.3, Reset: 0.2, Truncate: 0.2, Lost: 0.2}})
	c := client(t, false) // without keep-alive, net/http resends nothing
	slots := make(chan struct{}, 5)
	var wg sync.WaitGroup
	for i := range 500 {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			_, _ = do(t.Context(), c, "GET", fmt.Sprintf("%s/%d/20000", p.URL(), i), "")
		})
	}
	wg.Wait()
	if s := p.Stats(); s.PeakInFlight > 5 || s.InFlight != 0 || s.Requests != 500 || s.Connections != 500 {
		t.Errorf("%+v", s)
	}
}

// TestPeakIsReached checks that the peak includes all requests that wait in the script
// concurrently.
func TestPeakIsReached(t *testing.T) {
	const n = 40
	var meet sync.WaitGroup
	meet.Add(n)
	p := Start(t, behind(t, bytesOf), Config{Script: func(*http.Request) Fault {
		meet.Done()
		meet.Wait()
		return Fault{}
	}})
	c := client(t, true)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { _, _ = do(t.Context(), c, "GET", p.URL()+"/10", "") })
	}
	wg.Wait()
	if s := p.Stats(); s.PeakInFlight != n || s.InFlight != 0 {
		t.Errorf("%+v", s)
	}
}

func TestConnections(t *testing.T) {
	target := behind(t, bytesOf)
	for keep, want := range map[bool]int64{true: 1, false: 10} {
		p, c := Start(t, target, Config{}), client(t, keep)
		for range 10 {
			get(t, c, p.URL()+"/3")
		}
		if got := p.Stats().Connections; got != want {
			t.Errorf("keep-alive %v: %d connections", keep, got)
		}
	}
}
