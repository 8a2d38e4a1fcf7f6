package serve

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Server serves datasets. Create it with [New].
type Server struct {
	o     *Options
	mux   *http.ServeMux
	slots *concurrency.Slots

	mu      sync.Mutex
	running map[*response]context.CancelCauseFunc
	closed  bool
	idle    chan struct{} // closed when the server is closed and no request is running
}

// New returns a server of datasets. It sends no request. The error is fault.Path for an invalid ID
// or path, fault.Exists for two datasets with one ID, and errors.ErrUnsupported if Writable is set
// and a store does not honour conditions.
func New(o Options, datasets ...Dataset) (*Server, error) {
	o = o.withDefaults()
	sources := map[string]*source{}
	s := &Server{o: &o, mux: routes(&o, sources), slots: concurrency.NewSlots(o.Limits.Concurrent), running: map[*response]context.CancelCauseFunc{}, idle: make(chan struct{})}
	for _, d := range datasets {
		if err := store.CheckKey(d.ID); err != nil || strings.Contains(d.ID, "/") {
			return nil, fault.Newf(fault.Path, "the ID %q of a dataset is not a segment of a path", d.ID)
		}
		if sources[d.ID] != nil {
			return nil, fault.Newf(fault.Exists, "two datasets have the ID %q", d.ID)
		}
		if c := store.ConditionsOf(d.Store); o.Writable && (!c.IfAbsent || !c.IfVersion) && !store.IsReadOnly(d.Store) {
			return nil, fault.Newf(errors.ErrUnsupported, "dataset %q cannot be writable: its store does not honour conditions", d.ID)
		}
		src, err := newSource(d, o.Refresh)
		if err != nil {
			return nil, err
		}
		sources[d.ID] = src
	}
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w := &response{ResponseWriter: out, begun: time.Now(), used: &account{limits: s.o.Limits}}
	secure(w.Header(), r, s.o.Origins)
	defer s.end(w)
	if err := s.serve(w, r); err != nil {
		fail(w, r, err)
	}
	record(s.o.Log, w, r)
}

// serve checks the request, waits for a slot, and runs the endpoint.
func (s *Server) serve(w *response, r *http.Request) error {
	methods := s.o.methods()
	if err := checkRequest(r, methods, s.o.Hosts); err != nil {
		return err
	}
	if r.Method == http.MethodOptions {
		permit(w, methods)
		return nil
	}
	ctx, err := s.begin(r.Context(), w)
	if err != nil {
		return err
	}
	if !s.slots.Try() {
		if s.slots.Waiting() >= s.o.Limits.Concurrent {
			return &refusal{status: http.StatusServiceUnavailable, text: "too many requests are waiting", after: time.Second}
		}
		if err := s.slots.Acquire(ctx); err != nil {
			return err
		}
	}
	defer s.slots.Release()
	s.mux.ServeHTTP(w, r.WithContext(ctx))
	return w.err
}

// errClosed is the cause of the end of a request when the server is closed.
var errClosed = &refusal{status: http.StatusServiceUnavailable, text: "the server is shutting down", after: 5 * time.Second}

// begin registers a request and returns its context, which has a deadline, the trace of the server
// and the account of the request.
func (s *Server) begin(ctx context.Context, w *response) (context.Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s.running[w] = cancel
	deadline := w.begun.Add(s.o.Limits.Time)
	ctx, w.cancel = context.WithDeadline(ctx, deadline)
	w.setDeadline(deadline)
	return store.WithTrace(withAccount(ctx, w.used), s.o.Trace), nil
}

// end removes a request that has been registered.
func (s *Server) end(w *response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cancel := s.running[w]
	if cancel == nil {
		return
	}
	w.cancel()
	cancel(nil)
	if !w.broken {
		w.setDeadline(time.Time{}) // of the next request on the connection
	}
	delete(s.running, w)
	if s.closed && len(s.running) == 0 {
		close(s.idle)
	}
}

// Shutdown refuses new requests and waits for the running ones. If ctx ends first, it cancels them
// and waits for their end. It does not close the stores.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	if first := !s.closed; first {
		s.closed = true
		if len(s.running) == 0 {
			close(s.idle)
		}
	}
	s.mu.Unlock()
	select {
	case <-s.idle:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for w, cancel := range s.running {
		cancel(errClosed)
		w.setDeadline(past()) // ends transfers of bodies
	}
	s.mu.Unlock()
	<-s.idle
	return context.Cause(ctx)
}

// Close refuses new requests, cancels the running ones and waits for their end. It does not close
// the stores.
func (s *Server) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = s.Shutdown(ctx)
	return nil
}
