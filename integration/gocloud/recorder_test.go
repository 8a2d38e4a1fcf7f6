package gocloud

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// recorder is a transport that records requests. When it replays, it returns recorded responses
// from memory, in their order.
type recorder struct {
	base   http.RoundTripper
	prefix string // prefix of the keys, which is omitted from the lines

	mu      sync.Mutex
	lines   []string
	through []string // the sender of each request
	answers []answer
	replay  bool
	silent  bool // do not record
	next    int
}

type answer struct {
	resp *http.Response
	body []byte
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.mu.Lock()
	replay, silent := r.replay, r.silent
	r.mu.Unlock()
	switch {
	case replay:
		return r.again(req)
	case silent:
		return r.base.RoundTrip(req)
	}
	line := r.line(req)
	resp, err := r.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines, r.through = append(r.lines, line), append(r.through, sender(req))
	r.answers = append(r.answers, answer{resp, body})
	return resp, nil
}

func (r *recorder) again(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return nil, err
		}
		_ = req.Body.Close()
	}
	r.mu.Lock()
	a := r.answers[r.next%len(r.answers)]
	r.next++
	r.mu.Unlock()
	resp := *a.resp
	resp.Header, resp.Request, resp.Body = a.resp.Header.Clone(), req, io.NopCloser(bytes.NewReader(a.body))
	return &resp, nil
}

// begin clears the recorded requests.
func (r *recorder) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines, r.through, r.answers, r.next = nil, nil, nil, 0
}

// asked returns the requests since begin and their senders.
func (r *recorder) asked() (lines, through []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lines, r.through
}

// sender returns the sender of a request. gocloud.dev stores the name of its call in the context,
// for its spans, and AWS's SDK numbers its attempts.
func sender(req *http.Request) string {
	switch name, _ := req.Context().Value("methodNameCtxKey").(string); {
	case name != "":
		return "gocloud.dev"
	case strings.HasPrefix(req.Header.Get("User-Agent"), "aws-sdk-go-v2/") && req.Header.Get("Amz-Sdk-Request") == "":
		return "zargo"
	}
	return "SDK"
}

func (r *recorder) replaying(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replay, r.next = on, 0
}

// token matches a random name.
var token = regexp.MustCompile(`\.zargo-tmp-[^/]+/`)

// line formats a request: method, key, and other parameters.
func (r *recorder) line(req *http.Request) string {
	words := []string{req.Method}
	full, err := url.PathUnescape(req.URL.EscapedPath())
	if err != nil {
		full = req.URL.Path
	}
	q := req.URL.Query()
	if _, key, ok := strings.Cut(full, r.prefix); ok && key != "" {
		words = append(words, token.ReplaceAllString(strings.ReplaceAll(key, r.prefix, ""), ".zargo-tmp-…/"))
	}
	for _, name := range slices.Sorted(keysOf(q)) {
		switch name {
		case "uploads", "delete":
			words = append(words, "?"+name)
		case "partNumber", "uploadType", "ifGenerationMatch", "ifGenerationNotMatch", "delimiter", "max-keys", "maxResults", "maxresults",
			"comp", "restype", "userProject":
			words = append(words, name+"="+opaque(name, q.Get(name)))
		}
	}
	said := map[string]string{}
	for name, v := range req.Header { // Azure's client does not canonicalize names
		said[strings.ToLower(name)] = v[0]
	}
	for _, name := range []string{"range", "x-ms-range", "if-match", "if-none-match", "x-goog-if-generation-match",
		"x-goog-if-generation-not-match", "x-amz-copy-source", "x-ms-copy-source"} {
		if v := said[name]; v != "" {
			words = append(words, strings.TrimPrefix(strings.TrimPrefix(name, "x-ms-"), "x-goog-")+"="+opaque(name, v))
		}
	}
	switch {
	case req.Header.Get("Content-Encoding") == "aws-chunked":
		words = append(words, "aws-chunked")
	case req.Body != nil && req.ContentLength < 0:
		words = append(words, "no length")
	}
	return strings.Join(words, " ")
}

// opaque replaces parts that differ between runs.
func opaque(name, v string) string {
	switch {
	case v == "*", v == "0", strings.Contains(strings.ToLower(name), "range"), len(v) < 12:
		return strings.TrimPrefix(v, "bytes=")
	case strings.Contains(strings.ToLower(name), "copy-source"):
		return "…"
	}
	return "v"
}

func keysOf(q url.Values) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range q {
			if !yield(k) {
				return
			}
		}
	}
}
