package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/zargo-io/zargo/integration/faultproxy"
)

// server serves the objects of a store as S3 does.
type server struct {
	st    *store
	proxy *faultproxy.Proxy // in front of the server
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	bk, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	q := r.URL.Query()
	w.Header().Set("x-amz-request-id", strconv.FormatInt(time.Now().UnixNano(), 36))
	w.Header().Set("Server", "latencystore")
	if bk == "__stats" || bk == "__drop" {
		s.control(w, bk, q)
		return
	}
	if r.Method == http.MethodPut || r.Method == http.MethodPost {
		b, err := readBody(r)
		if err != nil {
			s.err(w, r, 400, "IncompleteBody", err.Error())
			return
		}
		s.write(w, r, bk, key, q, b)
		return
	}
	switch op := operation(r); op {
	case "ListBuckets":
		s.listBuckets(w)
	case "HeadBucket":
		if !s.st.hasBucket(bk) {
			s.err(w, r, 404, "NoSuchBucket", "The specified bucket does not exist")
			return
		}
		w.WriteHeader(200)
	case "GetBucketLocation":
		s.xml(w, 200, struct {
			XMLName xml.Name `xml:"LocationConstraint"`
		}{})
	case "ListObjects", "ListObjectsV2":
		s.list(w, r, bk, q, op == "ListObjectsV2")
	case "GetObject", "HeadObject":
		s.read(w, r, bk, key)
	case "DeleteObject":
		s.st.del(bk, key)
		w.WriteHeader(204)
	case "AbortMultipartUpload":
		s.st.mu.Lock()
		delete(s.st.uploads, q.Get("uploadId"))
		s.st.mu.Unlock()
		w.WriteHeader(204)
	default:
		s.err(w, r, 501, "NotImplemented", "not implemented: "+r.Method+" "+r.URL.RequestURI())
	}
}

// control serves requests that the proxy does not count: /__stats returns the counters, and /__drop
// drops all objects below a path.
func (s *server) control(w http.ResponseWriter, name string, q url.Values) {
	w.Header().Set("Content-Type", "application/json")
	if name == "__drop" {
		bk, prefix, _ := strings.Cut(q.Get("path"), "/")
		fmt.Fprintf(w, "{\"dropped\":%d}", s.st.drop(bk, prefix))
		return
	}
	n := s.proxy.Stats()
	if q.Get("reset") != "" {
		s.proxy.Reset()
	}
	_ = json.NewEncoder(w).Encode(map[string]any{ // the client may have disconnected
		"requests": n.Requests, "ops": n.Operations, "statuses": n.ByStatus, "faults": n.Faults, "bytes_out": n.BytesOut,
		"bytes_in": n.BytesIn, "max_concurrent": n.PeakInFlight, "connections": n.Connections,
	})
}

// operation returns the name of the S3 operation that r requests, or "Other".
func operation(r *http.Request) string {
	_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	q := r.URL.Query()
	switch r.Method {
	case http.MethodGet:
		switch {
		case strings.HasPrefix(r.URL.Path, "/__"):
			return "" // see control
		case r.URL.Path == "/":
			return "ListBuckets"
		case key == "" && q.Has("location"):
			return "GetBucketLocation"
		case key == "" && q.Get("list-type") == "2":
			return "ListObjectsV2"
		case key == "" && (q.Has("versioning") || q.Has("acl") || q.Has("policy")):
			return "Other"
		case key == "":
			return "ListObjects"
		}
		return "GetObject"
	case http.MethodHead:
		if key == "" {
			return "HeadBucket"
		}
		return "HeadObject"
	case http.MethodPut:
		switch {
		case key == "":
			return "CreateBucket"
		case q.Has("partNumber"):
			return "UploadPart"
		case r.Header.Get("X-Amz-Copy-Source") != "":
			return "CopyObject"
		}
		return "PutObject"
	case http.MethodPost:
		switch {
		case q.Has("delete"):
			return "DeleteObjects"
		case q.Has("uploads"):
			return "CreateMultipartUpload"
		case q.Has("uploadId"):
			return "CompleteMultipartUpload"
		}
	case http.MethodDelete:
		if q.Has("uploadId") {
			return "AbortMultipartUpload"
		}
		if key != "" {
			return "DeleteObject"
		}
	}
	return "Other"
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
