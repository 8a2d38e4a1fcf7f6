package main

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

type server struct {
	st   *store
	live *live
	stat *stats
}

func newServer(st *store, c config) *server {
	return &server{st: st, live: newLive(c), stat: newStats()}
}

func (s *server) connState(_ net.Conn, cs http.ConnState) {
	if cs == http.StateNew {
		s.stat.conn()
	}
}

// control serves the paths that start with /__. Requests for these paths are neither delayed nor
// counted.
func (s *server) control(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/__stats":
		b := s.stat.json()
		if r.URL.Query().Get("reset") != "" || r.Method == http.MethodPost {
			s.stat.reset()
		}
		_, _ = w.Write(b)
	case "/__log":
		_, _ = w.Write(s.stat.logJSON())
	case "/__config":
		if len(r.URL.RawQuery) > 0 {
			c := s.live.get()
			if err := c.apply(r.URL.Query()); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			s.live.set(c)
		}
		_, _ = w.Write(s.live.json())
	case "/__drop": // drops all objects below bucket/prefix
		bk, prefix, _ := strings.Cut(r.URL.Query().Get("path"), "/")
		fmt.Fprintf(w, "{\"dropped\":%d}", s.st.drop(bk, prefix))
	case "/__reload":
		if err := s.st.load(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, "{\"objects\":%d}", s.st.count())
	default:
		http.NotFound(w, r)
	}
}

// reply is a ResponseWriter that counts the sent bytes.
type reply struct {
	http.ResponseWriter
	status int
	n      int64
}

func (r *reply) WriteHeader(c int) {
	if r.status == 0 {
		r.status = c
	}
	r.ResponseWriter.WriteHeader(c)
}

func (r *reply) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = 200
	}
	n, err := r.ResponseWriter.Write(b)
	r.n += int64(n)
	return n, err
}

// ReadFrom lets net/http use sendfile.
func (r *reply) ReadFrom(src io.Reader) (int64, error) {
	if r.status == 0 {
		r.status = 200
	}
	n, err := io.Copy(r.ResponseWriter, src)
	r.n += n
	return n, err
}

type countReader struct {
	io.ReadCloser
	n int64
}

func (c *countReader) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.n += int64(n)
	return n, err
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/__") {
		s.control(w, r)
		return
	}
	began := time.Now()
	bk, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	q := r.URL.Query()
	op, kind := classify(r, key, q)
	body := &countReader{ReadCloser: r.Body}
	r.Body = body
	rw := &reply{ResponseWriter: w}
	p := s.live.plan(kind, r.Method+" "+r.URL.Path+" "+r.Header.Get("Range"), key)
	s.stat.begin(op, p.fault)
	defer func() {
		s.stat.end(began, record{Op: op, Key: key + querySuffix(op, q), Range: r.Header.Get("Range"), Status: rw.status, Bytes: rw.n, Fault: p.fault}, body.n)
	}()
	w.Header().Set("x-amz-request-id", strconv.FormatInt(began.UnixNano(), 36))
	w.Header().Set("Server", "latencystore")
	// A write is delayed after its body has arrived. Other requests are delayed before they are
	// handled.
	if kind != "put" && !sleep(r.Context(), p.delay) {
		rw.status = 499
		return
	}
	switch p.fault {
	case "503":
		_, _ = io.Copy(io.Discard, r.Body)
		s.err(rw, r, 503, "SlowDown", "Please reduce your request rate.")
		return
	case "500":
		_, _ = io.Copy(io.Discard, r.Body)
		s.err(rw, r, 500, "InternalError", "We encountered an internal error. Please try again.")
		return
	case "hang":
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		rw.status = 499
		return
	}
	if kind == "put" {
		b, err := readBody(r)
		if err != nil {
			s.err(rw, r, 400, "IncompleteBody", err.Error())
			return
		}
		if !sleep(r.Context(), p.delay) {
			rw.status = 499
			return
		}
		s.write(rw, r, op, bk, key, q, b)
		return
	}
	switch op {
	case "ListBuckets":
		s.listBuckets(rw)
	case "HeadBucket":
		if !s.st.hasBucket(bk) {
			s.err(rw, r, 404, "NoSuchBucket", "The specified bucket does not exist")
			return
		}
		rw.WriteHeader(200)
	case "GetBucketLocation":
		s.xml(rw, 200, struct {
			XMLName xml.Name `xml:"LocationConstraint"`
		}{})
	case "ListObjects", "ListObjectsV2":
		s.list(rw, r, bk, q, op == "ListObjectsV2")
	case "GetObject", "HeadObject":
		s.read(rw, r, bk, key, p)
	case "DeleteObject":
		s.st.del(bk, key)
		rw.WriteHeader(204)
	case "AbortMultipartUpload":
		s.st.mu.Lock()
		delete(s.st.uploads, q.Get("uploadId"))
		s.st.mu.Unlock()
		rw.WriteHeader(204)
	default:
		s.err(rw, r, 501, "NotImplemented", "not implemented: "+r.Method+" "+r.URL.RequestURI())
	}
}

func querySuffix(op string, q url.Values) string {
	if strings.HasPrefix(op, "ListObjects") {
		return "?" + q.Encode()
	}
	return ""
}

func classify(r *http.Request, key string, q url.Values) (op, kind string) {
	switch r.Method {
	case http.MethodGet:
		switch {
		case r.URL.Path == "/":
			return "ListBuckets", "list"
		case key == "" && q.Has("location"):
			return "GetBucketLocation", "other"
		case key == "" && q.Get("list-type") == "2":
			return "ListObjectsV2", "list"
		case key == "" && (q.Has("versioning") || q.Has("acl") || q.Has("policy")):
			return "Other", "other"
		case key == "":
			return "ListObjects", "list"
		}
		return "GetObject", "get"
	case http.MethodHead:
		if key == "" {
			return "HeadBucket", "other"
		}
		return "HeadObject", "other"
	case http.MethodPut:
		switch {
		case key == "":
			return "CreateBucket", "put"
		case q.Has("partNumber"):
			return "UploadPart", "put"
		case r.Header.Get("X-Amz-Copy-Source") != "":
			return "CopyObject", "put"
		}
		return "PutObject", "put"
	case http.MethodPost:
		switch {
		case q.Has("delete"):
			return "DeleteObjects", "put"
		case q.Has("uploads"):
			return "CreateMultipartUpload", "put"
		case q.Has("uploadId"):
			return "CompleteMultipartUpload", "put"
		}
	case http.MethodDelete:
		if q.Has("uploadId") {
			return "AbortMultipartUpload", "other"
		}
		if key != "" {
			return "DeleteObject", "other"
		}
	}
	return "Other", "other"
}

// sleep waits for d. It returns false if the client has disconnected.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *server) xml(w http.ResponseWriter, code int, v any) {
	b, err := xml.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Length", strconv.Itoa(len(xml.Header)+len(b)))
	w.WriteHeader(code)
	_, _ = io.WriteString(w, xml.Header)
	_, _ = w.Write(b)
}

func (s *server) err(w http.ResponseWriter, r *http.Request, code int, name, msg string) {
	if r.Method == http.MethodHead {
		w.WriteHeader(code)
		return
	}
	s.xml(w, code, struct {
		XMLName  xml.Name `xml:"Error"`
		Code     string
		Message  string
		Resource string
	}{Code: name, Message: msg, Resource: r.URL.Path})
}
