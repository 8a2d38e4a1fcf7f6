package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

const (
	side  = 32            // length of the arrays
	chunk = 8             // length of their chunks
	block = chunk * chunk // elements of a chunk, 4 bytes each
)

// put creates an array of side × side float32. The value at [y, x] is y*side + x. The array is not
// compressed, because state that zstd keeps between calls must not be created in a testing/synctest
// bubble. For the same reason put must not be called in a bubble.
func put(t *testing.T, st store.Store) {
	t.Helper()
	a, err := zarr.Create(t.Context(), st, "", zarr.Spec{Shape: []int{side, side}, Chunks: []int{chunk, chunk}, DType: dtype.Float32,
		Codecs: []codec.Spec{}})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float32, side*side)
	for i := range values {
		values[i] = float32(i)
	}
	if err := zarr.Write(t.Context(), a, values); err != nil {
		t.Fatal(err)
	}
}

// gate is a store whose reads of chunks wait until the gate is opened, or fail.
type gate struct {
	store.Store
	open chan struct{} // closed when reads may continue
	fail error

	mu      sync.Mutex
	waiting int
}

func (g *gate) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if !strings.HasPrefix(key, "c/") {
		return g.Store.Get(ctx, key, o, buf)
	}
	if g.fail != nil {
		return store.Value{}, &fault.KeyError{Op: "get", Key: key, Kind: g.fail}
	}
	g.mu.Lock()
	g.waiting++
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		g.waiting--
		g.mu.Unlock()
	}()
	select {
	case <-g.open:
		return g.Store.Get(ctx, key, o, buf)
	case <-ctx.Done():
		return store.Value{}, context.Cause(ctx)
	}
}

// stored returns a store with an array.
func stored(t *testing.T) store.Store {
	t.Helper()
	st := mem.New()
	put(t, st)
	return st
}

// fresh returns a service with one array "x", behind the gate.
func fresh(t *testing.T, budget int64, timeout time.Duration, g *gate) *service {
	t.Helper()
	s := newService(budget, timeout, side*side-1)
	if err := s.add(t.Context(), "x", g); err != nil {
		t.Fatal(err)
	}
	return s
}

// ask calls the service in process.
func ask(ctx context.Context, s *service, target string) (code int, body string) {
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", target, nil))
	return w.Code, strings.TrimSpace(w.Body.String())
}

func opened() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func TestPages(t *testing.T) {
	s := fresh(t, 1<<20, time.Minute, &gate{Store: stored(t), open: opened()})
	nan := mem.New()
	a, err := zarr.Create(t.Context(), nan, "", zarr.Spec{Shape: []int{3}, Chunks: []int{2}, DType: dtype.Float64, Fill: math.NaN()})
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(t.Context(), a, []float64{-2.5}, zarr.At(2)); err != nil {
		t.Fatal(err)
	}
	if err := s.add(t.Context(), "nan", nan); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, target string
		code         int
		body         string // a part of the response
	}{
		{"stats over chunks", "/stats?array=x&region=7:9,7:9", 200, `{"count":4,"mean":247.5,"min":231,"max":264}`},
		{"mean", "/mean?array=x&region=1", 200, `{"mean":47.5}`},
		{"point", "/point?array=x&region=31,31", 200, `{"value":1023}`},
		{"numbers among NaNs", "/stats?array=nan", 200, `{"count":1,"mean":-2.5,"min":-2.5,"max":-2.5}`},
		{"only NaNs", "/stats?array=nan&region=:2", 200, `{"count":0,"mean":null,"min":null,"max":null}`},
		{"arrays", "/arrays", 200, `"x":"`},
		{"unknown array", "/mean?array=y", 404, "x"},
		{"outside", "/mean?array=x&region=32", 400, "axis 0"},
		{"no region", "/mean?array=x&region=a", 400, `"a"`},
		{"a point of two", "/point?array=x&region=0,0:2", 400, "a point must be 1 element"},
		{"too much", "/mean?array=x", 413, "1024 elements"},
		{"no such page", "/median?array=x", 404, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, body := ask(t.Context(), s, test.target)
			if code != test.code || !strings.Contains(body, test.body) {
				t.Errorf("got %d %s, want %d %s", code, body, test.code, test.body)
			}
		})
	}
}

func TestStoreErrors(t *testing.T) {
	tests := []struct {
		name string
		err  error
		code int
	}{
		{"throttled", fault.Throttled, 503},
		{"throttled until the deadline", &fault.Interrupted{Err: context.DeadlineExceeded, Last: fault.Throttled}, 503},
		{"unreachable", fault.Unavailable, 502},
		{"refused", fault.Refused, 500},
		{"corrupt", fault.Corrupt, 500},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := fresh(t, 1<<20, time.Minute, &gate{Store: stored(t), fail: test.err})
			if code, body := ask(t.Context(), s, "/mean?array=x&region=0"); code != test.code || strings.Contains(body, "c/0") {
				t.Errorf("got %d %s", code, body)
			}
		})
	}
}

// TestDeadline checks that a request whose chunks do not arrive gets 504 and releases its memory.
func TestDeadline(t *testing.T) {
	st := stored(t)
	synctest.Test(t, func(t *testing.T) {
		s := fresh(t, 1<<20, 5*time.Second, &gate{Store: st})
		begin := time.Now()
		code, body := ask(t.Context(), s, "/mean?array=x&region=0:31")
		if code != 504 || time.Since(begin) != 5*time.Second {
			t.Errorf("got %d %s after %v", code, body, time.Since(begin))
		}
		if now, _ := s.blocks.Used(); now != 0 {
			t.Errorf("%d bytes are still held", now)
		}
	})
}

// TestBudget runs fifty requests for sixteen chunks each. It checks that only as many blocks are in
// memory as the budget allows. The other requests wait, some of them past their deadline. Requests
// that stop waiting must release their reservations.
func TestBudget(t *testing.T) {
	const room = 7 // blocks in the share of Tasks, 7/8 of half the budget
	st := stored(t)
	synctest.Test(t, func(t *testing.T) {
		g := &gate{Store: st, open: make(chan struct{})}
		s := fresh(t, 2*(room+1)*block*4, time.Hour, g)
		codes := make(chan int)
		const requests = 50
		for n := range requests {
			go func() {
				ctx := t.Context()
				if n == requests-1 { // the last request waits only for the budget
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, time.Second)
					defer cancel()
				}
				code, _ := ask(ctx, s, "/mean?array=x&region=0:31")
				codes <- code
			}()
			synctest.Wait()
		}
		if code := <-codes; code != 504 { // the bubble's clock advances only when all goroutines wait
			t.Errorf("past the deadline: %d", code)
		}
		synctest.Wait()
		now, _ := s.blocks.Used()
		if g.waiting != room || now != room*block*4 {
			t.Errorf("%d reads hold %d bytes, want %d and %d", g.waiting, now, room, room*block*4)
		}
		if now, peak := s.limits.Bytes.Used(); peak > s.limits.Bytes.Size() {
			t.Errorf("encoded: %d bytes now, peak %d", now, peak)
		}
		close(g.open)
		for range requests - 1 {
			if code := <-codes; code != 200 {
				t.Errorf("got %d", code)
			}
		}
		if now, peak := s.blocks.Used(); now != 0 || peak != room*block*4 {
			t.Errorf("%d bytes at the end, %d at most; want 0 and %d", now, peak, room*block*4)
		}
	})
}

// TestManyCallers checks that concurrent callers over real connections receive correct responses.
func TestManyCallers(t *testing.T) {
	s := fresh(t, 2*3*block*4, time.Minute, &gate{Store: stored(t), open: opened()})
	srv := httptest.NewServer(s.handler())
	defer srv.Close()
	var wg sync.WaitGroup
	for n := range 40 {
		wg.Go(func() {
			for k := range 5 {
				lo := (n + k) % (side - 2)
				r, err := http.Get(fmt.Sprintf("%s/stats?array=x&region=%d:%d,3:29", srv.URL, lo, lo+3))
				if err != nil {
					t.Error(err)
					return
				}
				b, err := io.ReadAll(r.Body)
				r.Body.Close()
				var x stats
				if err != nil || json.Unmarshal(b, &x) != nil || x.Count != 78 || *x.Mean != float64((lo+1)*side)+15.5 ||
					*x.Min != float64(lo*side+3) || *x.Max != float64((lo+2)*side+28) {
					t.Errorf("rows from %d: %s, %v", lo, b, err)
				}
			}
		})
	}
	wg.Wait()
	if now, peak := s.blocks.Used(); now != 0 || peak > s.blocks.Size() {
		t.Errorf("%d bytes held, %d at most, of %d", now, peak, s.blocks.Size())
	}
}
