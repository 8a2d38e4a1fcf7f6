package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"sort"
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

// control answers the /__ paths; they are neither delayed nor counted.
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
	case "/__drop": // forget all objects below bucket/prefix
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

// reply counts what goes out.
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

// ReadFrom keeps the sendfile path of net/http open.
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
	s.stat.begin()
	bk, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	q := r.URL.Query()
	op, kind := classify(r, key, q)
	body := &countReader{ReadCloser: r.Body}
	r.Body = body
	rw := &reply{ResponseWriter: w}
	p := s.live.plan(kind, r.Method+" "+r.URL.Path+" "+r.Header.Get("Range"), key)
	defer func() {
		s.stat.end(began, record{Op: op, Key: key + querySuffix(op, q), Range: r.Header.Get("Range"), Status: rw.status, Bytes: rw.n, Fault: p.fault}, body.n)
	}()
	w.Header().Set("x-amz-request-id", strconv.FormatInt(began.UnixNano(), 36))
	w.Header().Set("Server", "latencystore")
	// a write is delayed after its body has come in, anything else before it is looked at
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

// sleep waits d; it is false when the client went away.
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

func trimQuotes(s string) string {
	return strings.Trim(strings.TrimPrefix(strings.TrimSpace(s), "W/"), `"`)
}

// matches reports whether the etag is among those of an If-Match or If-None-Match header.
func matches(header, etag string) bool {
	for _, f := range strings.Split(header, ",") {
		if f = trimQuotes(f); f == "*" || f == trimQuotes(etag) {
			return true
		}
	}
	return false
}

// parseRange gives the half-open byte range of a Range header. use is false when the header does not
// apply (absent, malformed, several ranges: the whole object is sent); bad when it cannot be satisfied.
func parseRange(h string, size int64) (from, to int64, use, bad bool) {
	spec, ok := strings.CutPrefix(h, "bytes=")
	if !ok || strings.Contains(spec, ",") {
		return 0, size, false, false
	}
	a, b, ok := strings.Cut(spec, "-")
	if !ok {
		return 0, size, false, false
	}
	if a == "" {
		n, err := strconv.ParseInt(b, 10, 64)
		if err != nil || n < 0 {
			return 0, size, false, false
		}
		if n == 0 || size == 0 {
			return 0, 0, true, true
		}
		return max(0, size-n), size, true, false
	}
	from, err := strconv.ParseInt(a, 10, 64)
	if err != nil || from < 0 {
		return 0, size, false, false
	}
	to = size
	if b != "" {
		last, err := strconv.ParseInt(b, 10, 64)
		if err != nil || last < from {
			return 0, size, false, false
		}
		if last < size-1 { // guards last+1 from overflow
			to = last + 1
		}
	}
	if from >= size {
		return 0, 0, true, true
	}
	return from, to, true, false
}

func (s *server) read(w *reply, r *http.Request, bk, key string, p plan) {
	o := s.st.get(bk, key)
	if o == nil {
		if !s.st.hasBucket(bk) {
			s.err(w, r, 404, "NoSuchBucket", "The specified bucket does not exist")
		} else {
			s.err(w, r, 404, "NoSuchKey", "The specified key does not exist.")
		}
		return
	}
	h := w.Header()
	h.Set("ETag", o.etag)
	h.Set("Last-Modified", o.mod.UTC().Format(http.TimeFormat))
	// the order of RFC 9110 section 13.2.2
	if im := r.Header.Get("If-Match"); im != "" {
		if !matches(im, o.etag) {
			s.err(w, r, 412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
			return
		}
	} else if t, err := http.ParseTime(r.Header.Get("If-Unmodified-Since")); err == nil && o.mod.Truncate(time.Second).After(t) {
		s.err(w, r, 412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
		return
	}
	if inm := r.Header.Get("If-None-Match"); inm != "" {
		if matches(inm, o.etag) {
			w.WriteHeader(304)
			return
		}
	} else if t, err := http.ParseTime(r.Header.Get("If-Modified-Since")); err == nil && !o.mod.Truncate(time.Second).After(t) {
		w.WriteHeader(304)
		return
	}
	from, to, use, bad := parseRange(r.Header.Get("Range"), o.size)
	if bad {
		h.Set("Content-Range", fmt.Sprintf("bytes */%d", o.size))
		s.err(w, r, 416, "InvalidRange", "The requested range is not satisfiable")
		return
	}
	h.Set("Accept-Ranges", "bytes")
	h.Set("Content-Type", o.ctype)
	for k, v := range o.headers {
		h.Set(k, v)
	}
	for k, v := range o.meta {
		if !strings.HasPrefix(k, "x-amz-checksum-") || (strings.EqualFold(r.Header.Get("X-Amz-Checksum-Mode"), "enabled") && !use) {
			h.Set(k, v)
		}
	}
	code := 200
	if use {
		code = 206
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, o.size))
	}
	h.Set("Content-Length", strconv.FormatInt(to-from, 10))
	if r.Method == http.MethodHead {
		w.WriteHeader(code)
		return
	}
	s.send(w, r, o, from, to, code, p)
}

// send writes the body, paced to the bandwidth caps and with the planned fault.
func (s *server) send(w *reply, r *http.Request, o *object, from, to int64, code int, p plan) {
	var src io.ReadSeeker = bytes.NewReader(o.data)
	if o.data == nil && o.file != "" {
		f, err := os.Open(o.file)
		if err != nil {
			w.Header().Del("Content-Length")
			s.err(w, r, 404, "NoSuchKey", "The specified key does not exist.")
			return
		}
		defer func() { _ = f.Close() }()
		src = f
	}
	if _, err := src.Seek(from, io.SeekStart); err != nil {
		w.Header().Del("Content-Length")
		s.err(w, r, 500, "InternalError", err.Error())
		return
	}
	n := to - from
	cut := int64(-1)
	if p.fault == "reset" || p.fault == "truncate" {
		cut = int64(p.frac * float64(n))
	}
	flip := int64(-1)
	if p.fault == "corrupt" && n > 0 {
		flip = min(int64(p.frac*float64(n)), n-1)
	}
	c := s.live.get()
	w.WriteHeader(code)
	if cut < 0 && flip < 0 && c.ConnMBps <= 0 && c.TotalMBps <= 0 {
		_, _ = io.Copy(w, io.LimitReader(src, n)) // sendfile where the content is a file
		return
	}
	buf := make([]byte, 32<<10)
	start := time.Now()
	fl, _ := w.ResponseWriter.(http.Flusher)
	for sent := int64(0); sent < n; {
		m := min(int64(len(buf)), n-sent)
		if cut >= 0 {
			m = min(m, cut-sent)
		}
		if m <= 0 {
			break
		}
		k, err := io.ReadFull(src, buf[:m])
		if err != nil {
			break
		}
		if flip >= sent && flip < sent+int64(k) {
			buf[flip-sent] ^= 1
		}
		due := s.live.reserve(k)
		if c.ConnMBps > 0 {
			if d := start.Add(time.Duration(float64(sent+int64(k)) / c.ConnMBps * 1e3)); d.After(due) {
				due = d
			}
		}
		if d := time.Until(due); d > 500*time.Microsecond && !sleep(r.Context(), d) {
			return
		}
		if _, err := w.Write(buf[:k]); err != nil {
			return
		}
		sent += int64(k)
	}
	if cut < 0 {
		return
	}
	if fl != nil {
		fl.Flush()
	}
	conn, bw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_ = bw.Flush()
	if tc, ok := conn.(*net.TCPConn); ok && p.fault == "reset" {
		_ = tc.SetLinger(0)
	}
	_ = conn.Close()
}

// readBody returns the request body with any aws-chunked framing removed.
func readBody(r *http.Request) ([]byte, error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") && !strings.Contains(r.Header.Get("Content-Encoding"), "aws-chunked") {
		if r.ContentLength > 0 {
			b := make([]byte, r.ContentLength)
			_, err := io.ReadFull(r.Body, b)
			return b, err
		}
		return io.ReadAll(r.Body)
	}
	br := bufio.NewReaderSize(r.Body, 64<<10)
	var out []byte
	if n, err := strconv.ParseInt(r.Header.Get("X-Amz-Decoded-Content-Length"), 10, 64); err == nil && n >= 0 && n < 1<<32 {
		out = make([]byte, 0, n)
	}
	for {
		line, err := br.ReadString('\n')
		if err != nil {
			return nil, err
		}
		sz, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, err := strconv.ParseInt(sz, 16, 64)
		if err != nil || n < 0 || n > 1<<32 {
			return nil, errors.New("bad aws-chunked framing")
		}
		if n == 0 {
			break
		}
		at := len(out)
		out = append(out, make([]byte, n)...)
		if _, err := io.ReadFull(br, out[at:]); err != nil {
			return nil, err
		}
		if _, err := br.Discard(2); err != nil {
			return nil, err
		}
	}
	for { // trailers, e.g. x-amz-checksum-crc32:…
		line, err := br.ReadString('\n')
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			r.Header.Set(k, strings.TrimSpace(v))
		}
		if err != nil || strings.TrimSpace(line) == "" {
			return out, nil
		}
	}
}

func newObject(r *http.Request, b []byte) *object {
	o := &object{size: int64(len(b)), data: b, etag: etagOf(b), mod: time.Now(), ctype: r.Header.Get("Content-Type"), meta: map[string]string{}, headers: map[string]string{}}
	if b == nil {
		o.data = []byte{}
	}
	if o.ctype == "" {
		o.ctype = "binary/octet-stream"
	}
	for k, v := range r.Header {
		lk := strings.ToLower(k)
		if strings.HasPrefix(lk, "x-amz-meta-") || (strings.HasPrefix(lk, "x-amz-checksum-") && lk != "x-amz-checksum-algorithm") {
			o.meta[lk] = v[0]
		}
	}
	for _, k := range []string{"Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language"} {
		v := strings.Trim(strings.ReplaceAll(r.Header.Get(k), "aws-chunked", ""), ", ")
		if v != "" {
			o.headers[k] = v
		}
	}
	return o
}

// writeCheck is the condition of a conditional write.
func writeCheck(r *http.Request) (func(*object) bool, *bool) {
	missing := new(bool)
	im, inm := r.Header.Get("If-Match"), r.Header.Get("If-None-Match")
	if im == "" && inm == "" {
		return nil, missing
	}
	return func(old *object) bool {
		if im != "" {
			*missing = old == nil
			return old != nil && matches(im, old.etag)
		}
		return old == nil || !matches(inm, old.etag)
	}, missing
}

func (s *server) store(w *reply, r *http.Request, bk, key string, o *object) bool {
	check, missing := writeCheck(r)
	if s.st.put(bk, key, o, check) {
		return true
	}
	if *missing {
		s.err(w, r, 404, "NoSuchKey", "The specified key does not exist.")
	} else {
		s.err(w, r, 412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
	}
	return false
}

func (s *server) write(w *reply, r *http.Request, op, bk, key string, q url.Values, b []byte) {
	switch op {
	case "CreateBucket":
		s.st.mu.Lock()
		s.st.ensure(bk)
		s.st.mu.Unlock()
		w.Header().Set("Location", "/"+bk)
		w.WriteHeader(200)
	case "PutObject":
		if cm := r.Header.Get("Content-Md5"); cm != "" {
			if h := md5.Sum(b); cm != base64.StdEncoding.EncodeToString(h[:]) {
				s.err(w, r, 400, "BadDigest", "The Content-MD5 you specified did not match what we received.")
				return
			}
		}
		o := newObject(r, b)
		if s.store(w, r, bk, key, o) {
			w.Header().Set("ETag", o.etag)
			w.WriteHeader(200)
		}
	case "CopyObject":
		src, err := url.PathUnescape(strings.TrimPrefix(r.Header.Get("X-Amz-Copy-Source"), "/"))
		sb, sk, _ := strings.Cut(src, "/")
		o := s.st.get(sb, sk)
		if err != nil || o == nil {
			s.err(w, r, 404, "NoSuchKey", "The specified key does not exist.")
			return
		}
		c := *o
		c.mod = time.Now()
		if s.store(w, r, bk, key, &c) {
			s.xml(w, 200, struct {
				XMLName      xml.Name `xml:"CopyObjectResult"`
				ETag         string
				LastModified string
			}{ETag: c.etag, LastModified: c.mod.UTC().Format(time.RFC3339)})
		}
	case "CreateMultipartUpload":
		o := newObject(r, nil)
		s.st.mu.Lock()
		s.st.nextID++
		id := "upload-" + strconv.Itoa(s.st.nextID)
		s.st.uploads[id] = &upload{bucket: bk, key: key, ctype: o.ctype, meta: o.meta, headers: o.headers, parts: map[int]*object{}}
		s.st.mu.Unlock()
		s.xml(w, 200, struct {
			XMLName               xml.Name `xml:"InitiateMultipartUploadResult"`
			Bucket, Key, UploadId string
		}{Bucket: bk, Key: key, UploadId: id})
	case "UploadPart":
		n, err := strconv.Atoi(q.Get("partNumber"))
		o := newObject(r, b)
		s.st.mu.Lock()
		u := s.st.uploads[q.Get("uploadId")]
		if u != nil && err == nil {
			u.parts[n] = o
		}
		s.st.mu.Unlock()
		switch {
		case u == nil:
			s.err(w, r, 404, "NoSuchUpload", "The specified upload does not exist.")
		case err != nil || n < 1 || n > 10000:
			s.err(w, r, 400, "InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive")
		default:
			w.Header().Set("ETag", o.etag)
			w.WriteHeader(200)
		}
	case "CompleteMultipartUpload":
		s.complete(w, r, bk, key, q.Get("uploadId"), b)
	case "DeleteObjects":
		var in struct {
			Quiet  bool
			Object []struct{ Key string }
		}
		if err := xml.Unmarshal(b, &in); err != nil || len(in.Object) > 1000 {
			s.err(w, r, 400, "MalformedXML", "The XML you provided was not well-formed or has more than 1000 keys")
			return
		}
		type deleted struct{ Key string }
		out := struct {
			XMLName xml.Name `xml:"DeleteResult"`
			Deleted []deleted
		}{}
		for _, o := range in.Object {
			s.st.del(bk, o.Key)
			if !in.Quiet {
				out.Deleted = append(out.Deleted, deleted{o.Key})
			}
		}
		s.xml(w, 200, out)
	}
}

func (s *server) complete(w *reply, r *http.Request, bk, key, id string, body []byte) {
	var in struct {
		Part []struct {
			PartNumber int
			ETag       string
		}
	}
	if err := xml.Unmarshal(body, &in); err != nil || len(in.Part) == 0 {
		s.err(w, r, 400, "MalformedXML", "The XML you provided was not well-formed")
		return
	}
	s.st.mu.Lock()
	u := s.st.uploads[id]
	var b []byte
	code, name := 0, ""
	switch {
	case u == nil || u.bucket != bk || u.key != key:
		code, name = 404, "NoSuchUpload"
	case !sort.SliceIsSorted(in.Part, func(i, j int) bool { return in.Part[i].PartNumber < in.Part[j].PartNumber }):
		code, name = 400, "InvalidPartOrder"
	default:
		var sums []byte
		for i, p := range in.Part {
			o := u.parts[p.PartNumber]
			if o == nil || trimQuotes(o.etag) != trimQuotes(p.ETag) {
				code, name = 400, "InvalidPart"
				break
			}
			if i < len(in.Part)-1 && o.size < 5<<20 {
				code, name = 400, "EntityTooSmall"
				break
			}
			h := md5.Sum(o.data)
			sums = append(sums, h[:]...)
			b = append(b, o.data...)
		}
		if code == 0 {
			h := md5.Sum(sums)
			delete(s.st.uploads, id)
			s.st.mu.Unlock()
			o := &object{size: int64(len(b)), data: b, mod: time.Now(), ctype: u.ctype, meta: u.meta, headers: u.headers, etag: fmt.Sprintf("\"%x-%d\"", h, len(in.Part))}
			if s.store(w, r, bk, key, o) {
				s.xml(w, 200, struct {
					XMLName           xml.Name `xml:"CompleteMultipartUploadResult"`
					Bucket, Key, ETag string
				}{Bucket: bk, Key: key, ETag: o.etag})
			}
			return
		}
	}
	s.st.mu.Unlock()
	s.err(w, r, code, name, name)
}

func (s *server) listBuckets(w *reply) {
	type bk struct{ Name, CreationDate string }
	var v struct {
		XMLName xml.Name `xml:"ListAllMyBucketsResult"`
		Buckets struct{ Bucket []bk }
	}
	for _, n := range s.st.bucketNames() {
		v.Buckets.Bucket = append(v.Buckets.Bucket, bk{n, time.Unix(0, 0).UTC().Format(time.RFC3339)})
	}
	s.xml(w, 200, v)
}

func (s *server) list(w *reply, r *http.Request, bk string, q url.Values, v2 bool) {
	maxKeys := s.live.get().MaxKeys
	if n, err := strconv.Atoi(q.Get("max-keys")); err == nil && n >= 0 && n < maxKeys {
		maxKeys = n
	}
	after := q.Get("start-after")
	if !v2 {
		after = q.Get("marker")
	}
	if t := q.Get("continuation-token"); t != "" {
		b, err := base64.RawURLEncoding.DecodeString(t)
		if err != nil {
			s.err(w, r, 400, "InvalidArgument", "The continuation token provided is incorrect")
			return
		}
		after = string(b)
	}
	prefix, delim := q.Get("prefix"), q.Get("delimiter")
	ents, more, ok := s.st.list(bk, prefix, delim, after, maxKeys)
	if !ok {
		s.err(w, r, 404, "NoSuchBucket", "The specified bucket does not exist")
		return
	}
	enc := func(s string) string { return s }
	if q.Get("encoding-type") == "url" {
		enc = func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "%2F", "/") }
	}
	type content struct {
		Key          string
		LastModified string
		ETag         string
		Size         int64
		StorageClass string
	}
	type cp struct{ Prefix string }
	v := struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		Name                  string
		Prefix                string
		Delimiter             string `xml:",omitempty"`
		EncodingType          string `xml:",omitempty"`
		StartAfter            string `xml:",omitempty"`
		Marker                string `xml:",omitempty"`
		NextMarker            string `xml:",omitempty"`
		ContinuationToken     string `xml:",omitempty"`
		NextContinuationToken string `xml:",omitempty"`
		KeyCount              int
		MaxKeys               int
		IsTruncated           bool
		Contents              []content
		CommonPrefixes        []cp
	}{Name: bk, Prefix: enc(prefix), Delimiter: enc(delim), EncodingType: q.Get("encoding-type"), KeyCount: len(ents), MaxKeys: maxKeys, IsTruncated: more,
		ContinuationToken: q.Get("continuation-token"), StartAfter: enc(q.Get("start-after"))}
	for _, e := range ents {
		if e.obj == nil {
			v.CommonPrefixes = append(v.CommonPrefixes, cp{enc(e.key)})
		} else {
			v.Contents = append(v.Contents, content{enc(e.key), e.obj.mod.UTC().Format("2006-01-02T15:04:05.000Z"), e.obj.etag, e.obj.size, "STANDARD"})
		}
	}
	if more && len(ents) > 0 {
		last := ents[len(ents)-1]
		if v2 {
			v.NextContinuationToken = base64.RawURLEncoding.EncodeToString([]byte(last.resume))
		} else {
			v.Marker, v.NextMarker = q.Get("marker"), enc(last.key)
		}
	}
	s.xml(w, 200, v)
}
