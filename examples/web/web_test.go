package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

func TestFail(t *testing.T) {
	tests := []struct {
		name string
		err  error
		code int
		tell bool // whether the response contains the reason
	}{
		{"no array", fault.NotFound, 404, true},
		{"bad region", fault.Newf(fault.Selection, "why"), 400, true},
		{"unsafe path", fault.Path, 400, true},
		{"not this type", fault.Type, 400, true},
		{"too large", fault.Newf(fault.Limit, "why"), 413, true},
		{"throttled", &fault.KeyError{Op: "get", Key: "c/0", Kind: fault.Throttled}, 503, false},
		{"unreachable", fault.Unavailable, 502, false},
		{"refused", fault.Refused, 500, false},
		{"corrupt", fault.Corrupt, 500, false},
		{"unsupported", fmt.Errorf("%w: x", errors.ErrUnsupported), 501, false},
		{"deadline", fmt.Errorf("read: %w", context.DeadlineExceeded), 504, false},
		{"deadline and what it broke", errors.Join(fault.Unavailable, context.DeadlineExceeded), 504, false},
		{"anything else", errors.New("secret"), 500, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			Fail(w, test.err)
			if w.Code != test.code || strings.Contains(w.Body.String(), test.err.Error()) != test.tell {
				t.Errorf("got %d %q", w.Code, w.Body)
			}
			if later := w.Header().Get("Retry-After") != ""; later != (test.code == 503) {
				t.Errorf("Retry-After: %v", later)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	w := httptest.NewRecorder()
	JSON(w, map[string]int{"a": 1})
	if w.Code != 200 || w.Body.String() != "{\"a\":1}\n" || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("got %d %q %v", w.Code, w.Body, w.Header())
	}
	w = httptest.NewRecorder()
	JSON(w, math.NaN())
	if w.Code != 500 {
		t.Errorf("what JSON cannot say is %d", w.Code)
	}
}

// TestServeEndsRequestsUnderWay checks that a request in flight when the service is stopped
// receives its response.
func TestServeEndsRequestsUnderWay(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	asked, goOn := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(asked)
			<-goOn
			fmt.Fprint(w, "answer")
		}))
	}()
	answers := make(chan string, 1)
	go func() {
		r, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			answers <- err.Error()
			return
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		answers <- fmt.Sprint(string(b), err)
	}()
	<-asked
	stop()
	close(goOn)
	if got := <-answers; got != "answer<nil>" {
		t.Errorf("got %q", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestServeFails(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := Serve(t.Context(), l, http.NotFoundHandler()); err == nil {
		t.Error("a closed listener is no error")
	}
}
