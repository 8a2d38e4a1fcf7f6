package provider

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
)

// link is one connection to a server. Its fields are protected by the mutex of the server.
type link struct {
	made     time.Time
	last     time.Time // start of the last request
	requests int
	closes   bool // set if the last request announced the end of the connection
}

// server is a server in a synctest bubble.
type server struct {
	dialing time.Duration                         // time to connect
	answer  func(l *link, r *http.Request) string // returns the body of a response; "" means none

	mu       sync.Mutex
	links    []*link
	requests int
}

func (s *server) dial(context.Context, string, string) (net.Conn, error) {
	time.Sleep(s.dialing)
	here, there := net.Pipe()
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &link{made: time.Now()}
	s.links = append(s.links, l)
	go s.serve(l, there)
	return here, nil
}

func (s *server) serve(l *link, c net.Conn) {
	defer func() { _ = c.Close() }()
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		s.mu.Lock()
		s.requests++
		s.mu.Unlock()
		body := s.answer(l, r)
		if body == "" {
			_, _ = io.Copy(io.Discard, c)
			return
		}
		s.mu.Lock()
		l.last, l.requests, l.closes = time.Now(), l.requests+1, r.Close
		s.mu.Unlock()
		closing, sent := "", body
		if r.Method == http.MethodHead {
			sent = ""
		}
		if r.Close {
			closing = "Connection: close\r\n"
		}
		_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s", closing, len(body), sent)
		if r.Close {
			return
		}
	}
}

// counts returns the numbers of connections and of requests.
func (s *server) counts() (links, requests int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.links), s.requests
}

// pooling runs do in a synctest bubble with the transport of a store whose connections lead to s.
func pooling(t *testing.T, s *server, do func(t *testing.T, rt http.RoundTripper)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tr := &http.Transport{}
		Connections(tr, 256)
		tr.DialContext = s.dial
		pool, release := (&Stack{Limits: &concurrency.Limits{}}).Transport("", tr)
		do(t, Watched(0, pool))
		if err := release(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
	})
}

// opaque is a reader of unknown type, so that net/http cannot send it twice.
type opaque struct{ io.Reader }

func ok(*link, *http.Request) string { return "ok" }

// TestOldConnections checks that a connection gets no request after five minutes except its last
// one, and that no request fails.
func TestOldConnections(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		t.Run(method, func(t *testing.T) {
			s := &server{answer: ok}
			pooling(t, s, func(t *testing.T, rt http.RoundTripper) {
				const n = 240
				for range n {
					var body io.Reader
					if method == http.MethodPut {
						body = opaque{strings.NewReader("value")}
					}
					if got, err := exchange(t.Context(), t, rt, method, body); err != nil || got != "ok" {
						t.Fatal(got, err)
					}
					time.Sleep(5 * time.Second)
				}
				if links, requests := s.counts(); links < 4 || links > 6 || requests != n {
					t.Errorf("%d connections for %d requests in 20 minutes", links, requests)
				}
				ages := map[time.Duration]bool{}
				for _, l := range s.links[:len(s.links)-1] {
					age := l.last.Sub(l.made)
					if ages[age] = true; !l.closes || age < lifetime*3/4 || age > lifetime+5*time.Second {
						t.Errorf("last request after %v, announced: %t", age, l.closes)
					}
				}
				if len(ages) < 2 {
					t.Errorf("all connections were replaced at the same age: %v", ages)
				}
			})
		})
	}
}

// TestStallClosesIdle checks that a stall closes the idle connections, and that the next request
// gets a new one.
func TestStallClosesIdle(t *testing.T) {
	s := &server{}
	s.answer = func(l *link, r *http.Request) string {
		s.mu.Lock()
		dead, early := l.requests > 0 && l == s.links[0], l.requests == 0 && len(s.links) < 4
		s.mu.Unlock()
		switch {
		case dead:
			return ""
		case early:
			time.Sleep(time.Second) // so that there are four connections
		}
		return "ok"
	}
	pooling(t, s, func(t *testing.T, rt http.RoundTripper) {
		together(t, rt, 4)
		synctest.Wait()
		if links, _ := s.counts(); links != 4 {
			t.Fatalf("%d connections", links)
		}
		var err error
		for err == nil {
			err = concurrency.EachN(t.Context(), 4, 4, func(ctx context.Context, _ int) error {
				_, err := get(ctx, t, rt)
				return err
			})
		}
		var stall *StallError
		if !errors.As(err, &stall) {
			t.Fatal(err)
		}
		synctest.Wait()
		if got, err := get(t.Context(), t, rt); got != "ok" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if links, _ := s.counts(); links != 5 {
			t.Errorf("%d connections", links)
		}
	})
}

// together sends n requests at the same time.
func together(t *testing.T, rt http.RoundTripper, n int) {
	t.Helper()
	if err := concurrency.EachN(t.Context(), n, n, func(ctx context.Context, _ int) error {
		_, err := get(ctx, t, rt)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// forgetting returns an answer of a server whose connections are forgotten on the way after 30 s
// without a request. Other requests take the time took.
func forgetting(took time.Duration) func(*link, *http.Request) string {
	return func(l *link, _ *http.Request) string {
		if l.requests > 0 && time.Since(l.last) > 30*time.Second {
			return ""
		}
		time.Sleep(took)
		return "ok"
	}
}

// TestForgotten checks that a request on a forgotten connection takes about a second, and that a
// write gets a new connection at once. No request is lost and no write is sent twice.
func TestForgotten(t *testing.T) {
	for _, c := range []struct {
		method          string
		took            time.Duration
		links, requests int
	}{
		{http.MethodGet, time.Second, 9, 24},
		{http.MethodHead, time.Second, 9, 24},
		{http.MethodPut, 0, 9, 16},
		{http.MethodDelete, 0, 9, 16},
	} {
		t.Run(c.method, func(t *testing.T) {
			s := &server{answer: forgetting(30 * time.Millisecond)}
			pooling(t, s, func(t *testing.T, rt http.RoundTripper) {
				together(t, rt, 8)
				time.Sleep(80 * time.Second)
				start := time.Now()
				for range 8 {
					var body io.Reader
					if c.method == http.MethodPut {
						body = opaque{bytes.NewReader(make([]byte, 100_000))}
					}
					if _, err := exchange(t.Context(), t, rt, c.method, body); err != nil {
						t.Fatal(err)
					}
				}
				if took := time.Since(start) - 8*30*time.Millisecond; took != c.took {
					t.Errorf("the forgotten connections cost %v, want %v", took, c.took)
				}
				if links, requests := s.counts(); links != 9 || requests != 16+int(c.took/time.Second) {
					t.Errorf("%d connections and %d requests", links, requests)
				}
			})
		})
	}
	t.Run("together", func(t *testing.T) {
		s := &server{answer: forgetting(30 * time.Millisecond)}
		pooling(t, s, func(t *testing.T, rt http.RoundTripper) {
			together(t, rt, 8)
			time.Sleep(80 * time.Second)
			start := time.Now()
			together(t, rt, 8)
			if took := time.Since(start); took != time.Second+30*time.Millisecond {
				t.Errorf("took %v", took)
			}
		})
	})
}

// TestIdleButKnown checks that idle connections to a server that has not forgotten them are used,
// without other requests or connections.
func TestIdleButKnown(t *testing.T) {
	s := &server{answer: func(*link, *http.Request) string {
		time.Sleep(900 * time.Millisecond)
		return "ok"
	}}
	pooling(t, s, func(t *testing.T, rt http.RoundTripper) {
		for range 4 {
			together(t, rt, 3)
			time.Sleep(20 * time.Second)
		}
		if links, requests := s.counts(); links != 3 || requests != 12 {
			t.Errorf("%d connections and %d requests", links, requests)
		}
	})
}

// TestSlowServer checks that only one request to a slow server is sent twice.
func TestSlowServer(t *testing.T) {
	s := &server{answer: func(*link, *http.Request) string {
		time.Sleep(3 * time.Second)
		return "ok"
	}}
	pooling(t, s, func(t *testing.T, rt http.RoundTripper) {
		for range 20 {
			if got, err := get(t.Context(), t, rt); got != "ok" || err != nil {
				t.Fatal(got, err)
			}
			time.Sleep(20 * time.Second)
		}
		if _, requests := s.counts(); requests != 21 {
			t.Errorf("%d requests for 20", requests)
		}
	})
}

// TestDialsFollowRequests checks that there are no more connections than requests in flight, even
// if a connection takes much longer than a request.
func TestDialsFollowRequests(t *testing.T) {
	s := &server{answer: func(*link, *http.Request) string {
		time.Sleep(10 * time.Millisecond)
		return "ok"
	}}
	pooling(t, s, func(t *testing.T, rt http.RoundTripper) {
		dials := 0
		slow := func(ctx context.Context, network, addr string) (net.Conn, error) {
			s.mu.Lock()
			dials++
			wait := time.Duration(dials) * 50 * time.Millisecond // as TLS handshakes on a slow machine
			s.mu.Unlock()
			time.Sleep(wait)
			return s.dial(ctx, network, addr)
		}
		tr := &http.Transport{}
		Connections(tr, 256)
		tr.DialContext = slow
		pool, release := (&Stack{Limits: &concurrency.Limits{}}).Transport("", tr)
		watched := Watched(0, pool)
		if err := concurrency.EachN(t.Context(), 16, 500, func(ctx context.Context, _ int) error {
			_, err := get(ctx, t, watched)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		_ = release()
		if dials > 16 {
			t.Errorf("%d connections for 16 requests in flight", dials)
		}
	})
}

// TestHostsAreForgotten checks that a pool does not remember hosts without connections.
func TestHostsAreForgotten(t *testing.T) {
	s := &server{answer: ok}
	synctest.Test(t, func(t *testing.T) {
		tr := &http.Transport{}
		Connections(tr, 4)
		tr.DialContext = s.dial
		p := newPool(tr)
		rt := Watched(0, pooled{p.use(1), p})
		for i := range 3 {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://host%d.example/", i), nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := rt.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
		}
		hosts := func() int {
			p.mu.Lock()
			defer p.mu.Unlock()
			return len(p.hosts)
		}
		if n := hosts(); n != 3 {
			t.Errorf("%d hosts with connections", n)
		}
		time.Sleep(2 * time.Minute) // the connections are closed
		if n := hosts(); n != 0 {
			t.Errorf("%d hosts without connections", n)
		}
		p.use(-1)
	})
}

// TestFailedDial checks that a request that waits for the connection of another one makes its own
// if that connection fails or hangs.
func TestFailedDial(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		t.Run(fmt.Sprintf("hangs=%t", hangs), func(t *testing.T) {
			s := &server{answer: func(*link, *http.Request) string {
				time.Sleep(time.Minute)
				return "ok"
			}}
			pooling(t, s, func(t *testing.T, _ http.RoundTripper) {
				dials := 0
				tr := &http.Transport{}
				Connections(tr, 256)
				tr.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
					s.mu.Lock()
					dials++
					n := dials
					s.mu.Unlock()
					switch {
					case n == 1 && hangs:
						time.Sleep(14 * time.Second)
					case n == 1:
						time.Sleep(1500 * time.Millisecond)
					default:
						return s.dial(ctx, network, addr)
					}
					return nil, errors.New("no route")
				}
				pool, release := (&Stack{Limits: &concurrency.Limits{}}).Transport("", tr)
				defer func() { _ = release() }()
				watched := Watched(2*time.Minute, pool)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, err := get(ctx, t, watched); err == nil { // its dial goes on
					t.Fatal("no error")
				}
				start := time.Now()
				if got, err := get(t.Context(), t, watched); got != "ok" || err != nil {
					t.Fatal(got, err)
				}
				want := time.Minute + 500*time.Millisecond
				if hangs {
					want = time.Minute + hung
				}
				if took := time.Since(start); took != want {
					t.Errorf("took %v, want %v", took, want)
				}
				time.Sleep(20 * time.Second)
			})
		})
	}
}
