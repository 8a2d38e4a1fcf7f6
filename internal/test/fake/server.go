package fake

import (
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Answer responds to a request, or returns false to let the server respond.
type Answer func(w http.ResponseWriter, r *http.Request) bool

// Server simulates a provider. It records requests and counts connections, and its responses can be
// replaced.
type Server struct {
	URL string // http://127.0.0.1:port

	serve http.HandlerFunc
	line  func(*http.Request) string

	mu      sync.Mutex
	answer  Answer
	log     []string
	headers []http.Header
	queries []url.Values
	conns   int
	open    int        // open connections
	closed  *sync.Cond // signalled when a connection is closed
}

// New returns a server that responds with serve and records the result of line for each request.
// The server is an http.Handler. [Server.Start] makes it listen on a port.
func New(serve http.HandlerFunc, line func(*http.Request) string) *Server {
	s := &Server{serve: serve, line: line}
	s.closed = sync.NewCond(&s.mu)
	return s
}

// Line returns a function that formats requests as "GET /bucket/key bytes=0-4". header is the name
// of the range header.
func Line(header string) func(*http.Request) string {
	return func(r *http.Request) string {
		return strings.TrimSpace(r.Method + " " + r.URL.Path + " " + r.Header.Get(header))
	}
}

// Start listens on a local port until stop is called, and sets URL.
func (s *Server) Start() (stop func()) {
	srv := httptest.NewUnstartedServer(s)
	srv.Config.ConnState = s.count
	srv.Start()
	s.URL = srv.URL
	return srv.Close
}

func (s *Server) count(_ net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.conns++
		s.open++
	case http.StateClosed:
		s.open--
		s.closed.Broadcast()
	}
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.log = append(s.log, s.line(r))
	s.headers = append(s.headers, r.Header.Clone())
	s.queries = append(s.queries, r.URL.Query())
	answer := s.answer
	s.mu.Unlock()
	if answer == nil || !answer(w, r) {
		s.serve(w, r)
	}
}

// Answer sets the function that responds to requests; nil restores the server's own responses.
func (s *Server) Answer(by Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = by
}

// Requests returns the requests since the previous call of Requests, as one line for each.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.log
	s.log = nil
	return l
}

// Header returns the header of the latest request.
func (s *Server) Header() http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.headers[len(s.headers)-1]
}

// Query returns the query of the latest request.
func (s *Server) Query() url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queries[len(s.queries)-1]
}

// Conns returns the number of connections that were opened.
func (s *Server) Conns() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

// AllClosed waits until the clients have closed their connections.
func (s *Server) AllClosed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.open > 0 {
		s.closed.Wait()
	}
}

// Cut sends the server's own response, but closes the connection in the middle of the body.
func (s *Server) Cut(w http.ResponseWriter, r *http.Request) {
	full := httptest.NewRecorder()
	s.serve(full, r)
	maps.Copy(w.Header(), full.Header())
	w.Header().Set("Content-Length", strconv.Itoa(full.Body.Len()))
	w.WriteHeader(full.Code)
	_, _ = w.Write(full.Body.Bytes()[:full.Body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// Flaky makes every seventh request fail with the response busy. It also cuts every fifth response
// to a GET, unless the request has the header exempt.
func (s *Server) Flaky(busy Answer, exempt string) {
	var n atomic.Int64
	s.Answer(func(w http.ResponseWriter, r *http.Request) bool {
		switch i := n.Add(1); {
		case i%7 == 0:
			return busy(w, r)
		case i%5 == 0 && r.Method == http.MethodGet && r.Header.Get(exempt) == "":
			s.Cut(w, r)
			return true
		}
		return false
	})
}

// Page returns an Answer that sends the same response to each request. header contains alternating
// names and values.
func Page(status int, mediaType, body string, header ...string) Answer {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", mediaType)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}

// Pages that are not from a provider.
const (
	HTML  = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><p>Welcome<br>to the hotel</body></html>"
	XHTML = "<html><head><title>Not here</title></head><body/></html>"
)

// Object is a stored value, and the Range header (RFC 9110) of a request for the value.
type Object struct {
	Value []byte
	// Range is the Range header of the request. "" requests the whole value.
	Range string
}

// Part sets h to the header of a response with the requested part of the object, and returns the
// body and the status of the response. ok is false for a range that starts after the end.
func (o Object) Part(h http.Header) (body []byte, status int, ok bool) {
	body, status, size := o.Value, http.StatusOK, len(o.Value)
	if spec, ranged := strings.CutPrefix(o.Range, "bytes="); ranged {
		a, b, _ := strings.Cut(spec, "-")
		first, last := Number(a), size-1
		if a == "" {
			first = max(0, size-Number(b))
		} else if b != "" {
			last = min(Number(b), size-1)
		}
		if first >= size {
			return nil, http.StatusRequestedRangeNotSatisfiable, false
		}
		h.Set("Content-Range", "bytes "+strconv.Itoa(first)+"-"+strconv.Itoa(last)+"/"+strconv.Itoa(size))
		body, status = o.Value[first:last+1], http.StatusPartialContent
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	return body, status, true
}

// Number parses a decimal number. It returns 0 for anything else.
func Number(s string) int { n, _ := strconv.Atoi(s); return n }
