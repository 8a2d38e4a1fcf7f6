package main

import (
	"bufio"
	"crypto/md5"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"
)

func (s *server) write(w http.ResponseWriter, r *http.Request, bk, key string, q url.Values, b []byte) {
	switch operation(r) {
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
	default:
		s.err(w, r, 501, "NotImplemented", "not implemented: "+r.Method+" "+r.URL.RequestURI())
	}
}

func (s *server) store(w http.ResponseWriter, r *http.Request, bk, key string, o *object) bool {
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

func (s *server) complete(w http.ResponseWriter, r *http.Request, bk, key, id string, body []byte) {
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

// readBody returns the body of a request, without the framing of the encoding aws-chunked.
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
			return nil, errors.New("invalid aws-chunked framing")
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
	for { // trailers, such as x-amz-checksum-crc32:…
		line, err := br.ReadString('\n')
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			r.Header.Set(k, strings.TrimSpace(v))
		}
		if err != nil || strings.TrimSpace(line) == "" {
			return out, nil
		}
	}
}

// writeCheck returns the condition of a conditional write.
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
