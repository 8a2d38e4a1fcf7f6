package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func (s *server) read(w http.ResponseWriter, r *http.Request, bk, key string) {
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
	// The conditions are checked in the order of RFC 9110, section 13.2.2.
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
	s.send(w, r, o, from, to, code)
}

// parseRange returns the half-open byte range of a Range header. use is false if the whole object
// must be sent because the header is absent, malformed or has several ranges. bad is true if the
// range cannot be satisfied.
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
		if last < size-1 { // prevents an overflow of last+1
			to = last + 1
		}
	}
	if from >= size {
		return 0, 0, true, true
	}
	return from, to, true, false
}

// matches reports whether an If-Match or If-None-Match header contains the etag.
func matches(header, etag string) bool {
	for _, f := range strings.Split(header, ",") {
		if f = trimQuotes(f); f == "*" || f == trimQuotes(etag) {
			return true
		}
	}
	return false
}

// send writes the body.
func (s *server) send(w http.ResponseWriter, r *http.Request, o *object, from, to int64, code int) {
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
	w.WriteHeader(code)
	_, _ = io.CopyN(w, src, to-from)
}

func trimQuotes(s string) string {
	return strings.Trim(strings.TrimPrefix(strings.TrimSpace(s), "W/"), `"`)
}
