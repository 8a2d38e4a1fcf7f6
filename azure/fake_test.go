package azure

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Fake is Blob Storage in this process: one account, "acct", one container, "zarr-test", the account in the path, no
// signatures checked. It is written from the REST reference and not from our client.
type Fake struct {
	URL string // http://127.0.0.1:port

	mu      sync.Mutex
	answer  func(w http.ResponseWriter, r *http.Request) bool
	blobs   map[string]object
	blocks  map[string]map[string][]byte // uncommitted, by key and id
	made    int                          // versions
	log     []string
	headers []http.Header
	queries []url.Values
	conns   int
}

type object struct {
	value  []byte
	etag   string
	header map[string]string // further headers of a read
	kind   string            // ResourceType in listings
}

// NewFake starts a server that ends with the test.
func NewFake(t testing.TB) *Fake {
	f, stop := StartFake()
	t.Cleanup(stop)
	return f
}

// StartFake is NewFake for examples.
func StartFake() (*Fake, func()) {
	f := &Fake{blobs: map[string]object{}, blocks: map[string]map[string][]byte{}}
	srv := httptest.NewUnstartedServer(f)
	srv.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			f.mu.Lock()
			f.conns++
			f.mu.Unlock()
		}
	}
	srv.Start()
	f.URL = srv.URL
	return f, srv.Close
}

// Host is the server's host and port.
func (f *Fake) Host() string { return strings.TrimPrefix(f.URL, "http://") }

// At is the azblob URL of a prefix on the server.
func (f *Fake) At(prefix string) string {
	return "azblob://zarr-test/" + prefix + "?storage_account=acct&protocol=http&domain=" + url.QueryEscape(f.Host())
}

// Answer lets by answer requests; where it returns false, the server does.
func (f *Fake) Answer(by func(w http.ResponseWriter, r *http.Request) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = by
}

// Set stores a blob as a new version.
func (f *Fake) Set(key string, o object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.store(key, o)
}

func (f *Fake) store(key string, o object) string {
	f.made++
	o.etag = fmt.Sprintf(`"0x8DE%011X"`, f.made)
	f.blobs[key] = o
	delete(f.blocks, key)
	return o.etag
}

// Requests gives and forgets the requests so far: "GET /acct/zarr-test/k bytes=0-4".
func (f *Fake) Requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.log
	f.log, f.headers, f.queries = nil, nil, nil
	return l
}

// Header is the header of the latest request, Query its query.
func (f *Fake) Header() http.Header {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.headers[len(f.headers)-1]
}

func (f *Fake) Query() url.Values {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.queries[len(f.queries)-1]
}

// Conns is the number of connections so far.
func (f *Fake) Conns() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.conns
}

func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	line := r.Method + " " + r.URL.Path
	if rg := r.Header.Get("X-Ms-Range"); rg != "" {
		line += " " + rg
	}
	f.mu.Lock()
	f.log = append(f.log, line)
	f.headers = append(f.headers, r.Header.Clone())
	f.queries = append(f.queries, r.URL.Query())
	answer := f.answer
	f.mu.Unlock()
	if answer == nil || !answer(w, r) {
		f.serve(w, r)
	}
}

func (f *Fake) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Ms-Request-Id", "fake-0001")
	w.Header().Set("X-Ms-Version", r.Header.Get("X-Ms-Version"))
	body, err := io.ReadAll(r.Body)
	if err != nil {
		Fail(w, 400, "IncompleteBody", err.Error())
		return
	}
	rest, ok := strings.CutPrefix(r.URL.Path, "/acct/")
	if !ok {
		Fail(w, 400, "InvalidUri", "The requested URI does not represent any resource on the server.")
		return
	}
	name, key, _ := strings.Cut(rest, "/")
	if name != "zarr-test" {
		Fail(w, 404, "ContainerNotFound", "The specified container does not exist.")
		return
	}
	q := r.URL.Query()
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case r.Method == "GET" && q.Get("comp") == "list":
		f.list(w, q)
	case r.Method == "GET" || r.Method == "HEAD":
		f.get(w, r, key)
	case r.Method == "PUT" && q.Get("comp") == "block":
		f.block(w, key, q.Get("blockid"), body)
	case r.Method == "PUT" && q.Get("comp") == "blocklist":
		f.blockList(w, r, key, body)
	case r.Method == "PUT" && r.Header.Get("X-Ms-Blob-Type") == "BlockBlob":
		if f.allowed(w, r, key) {
			w.Header().Set("ETag", f.store(key, object{value: body}))
			w.WriteHeader(201)
		}
	case r.Method == "DELETE":
		if _, ok := f.blobs[key]; !ok {
			Fail(w, 404, "BlobNotFound", "The specified blob does not exist.")
		} else if f.allowed(w, r, key) {
			delete(f.blobs, key)
			w.WriteHeader(202)
		}
	default:
		Fail(w, 405, "UnsupportedHttpVerb", r.Method)
	}
}

// allowed checks the conditions of a write.
func (f *Fake) allowed(w http.ResponseWriter, r *http.Request, key string) bool {
	o, ok := f.blobs[key]
	m := r.Header.Get("If-Match")
	switch {
	case r.Header.Get("If-None-Match") == "*" && ok:
		Fail(w, 409, "BlobAlreadyExists", "The specified blob already exists.")
	case m != "" && (!ok || m != o.etag):
		Fail(w, 412, "ConditionNotMet", "The condition specified using HTTP conditional header(s) is not met.")
	default:
		return true
	}
	return false
}

func (f *Fake) get(w http.ResponseWriter, r *http.Request, key string) {
	o, ok := f.blobs[key]
	h := w.Header()
	switch m := r.Header.Get("If-Match"); {
	case !ok:
		Fail(w, 404, "BlobNotFound", "The specified blob does not exist.")
		return
	case m != "" && m != o.etag:
		Fail(w, 412, "ConditionNotMet", "The condition specified using HTTP conditional header(s) is not met.")
		return
	case r.Header.Get("If-None-Match") == o.etag:
		h.Set("X-Ms-Error-Code", "ConditionNotMet")
		w.WriteHeader(304)
		return
	}
	h.Set("ETag", o.etag)
	h.Set("X-Ms-Blob-Type", "BlockBlob")
	for k, v := range o.header {
		h.Set(k, v)
	}
	value, size, status := o.value, len(o.value), 200
	if spec, ranged := strings.CutPrefix(r.Header.Get("X-Ms-Range"), "bytes="); ranged && r.Method == "GET" {
		a, b, _ := strings.Cut(spec, "-")
		first, last := number(a), size-1
		if a == "" {
			Fail(w, 400, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct format.")
			return
		}
		if b != "" {
			last = min(number(b), size-1)
		}
		if first >= size {
			Fail(w, 416, "InvalidRange", "The range specified is invalid for the current size of the resource.")
			return
		}
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, size))
		value, status = value[first:last+1], 206
	}
	h.Set("Content-Length", strconv.Itoa(len(value)))
	w.WriteHeader(status)
	if r.Method == "GET" {
		w.Write(value)
	}
}

func (f *Fake) block(w http.ResponseWriter, key, id string, body []byte) {
	if len(body) == 0 {
		Fail(w, 400, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct format.")
		return
	}
	if f.blocks[key] == nil {
		f.blocks[key] = map[string][]byte{}
	}
	for other := range f.blocks[key] {
		if len(other) != len(id) {
			Fail(w, 400, "InvalidBlobOrBlock", "The specified blob or block content is invalid.")
			return
		}
	}
	f.blocks[key][id] = body
	w.WriteHeader(201)
}

func (f *Fake) blockList(w http.ResponseWriter, r *http.Request, key string, body []byte) {
	var in struct{ Latest []string }
	if err := xml.Unmarshal(body, &in); err != nil {
		Fail(w, 400, "InvalidXmlDocument", "XML specified is not syntactically valid.")
		return
	}
	var all []byte
	for _, id := range in.Latest {
		b, ok := f.blocks[key][id]
		if !ok {
			Fail(w, 400, "InvalidBlockList", "The specified block list is invalid.")
			return
		}
		all = append(all, b...)
	}
	if f.allowed(w, r, key) {
		w.Header().Set("ETag", f.store(key, object{value: all}))
		w.WriteHeader(201)
	}
}

func (f *Fake) list(w http.ResponseWriter, q url.Values) {
	prefix, delimiter, after := q.Get("prefix"), q.Get("delimiter"), q.Get("marker")
	var names []string // keys, and prefixes ending in "/"
	for k := range f.blobs {
		rest, ok := strings.CutPrefix(k, prefix)
		if !ok {
			continue
		}
		if seg, _, cut := strings.Cut(rest, delimiter); delimiter != "" && cut {
			k = prefix + seg + delimiter
		}
		if "m"+k > after {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	most := 5000
	if n := number(q.Get("maxresults")); n > 0 {
		most = min(most, n)
	}
	next := ""
	if len(names) > most {
		names = names[:most]
		next = "m" + names[most-1]
	}
	w.Header().Set("Content-Type", "application/xml")
	io.WriteString(w, `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="http://x/" ContainerName="zarr-test"><Blobs>`)
	for _, n := range names {
		if o, ok := f.blobs[n]; ok && (delimiter == "" || !strings.HasSuffix(n, delimiter)) {
			kind := ""
			if o.kind != "" {
				kind = "<ResourceType>" + o.kind + "</ResourceType>"
			}
			fmt.Fprintf(w, "<Blob><Name>%s</Name><Properties>%s<Etag>%s</Etag><Content-Length>%d</Content-Length><BlobType>BlockBlob</BlobType></Properties></Blob>",
				escaped(n), kind, strings.Trim(o.etag, `"`), len(o.value))
		} else {
			fmt.Fprintf(w, "<BlobPrefix><Name>%s</Name></BlobPrefix>", escaped(n))
		}
	}
	fmt.Fprintf(w, "</Blobs><NextMarker>%s</NextMarker></EnumerationResults>", escaped(next))
}

// Cut answers as the server would, but breaks the connection in the middle of the body.
func (f *Fake) Cut(w http.ResponseWriter, r *http.Request) {
	full := httptest.NewRecorder()
	f.serve(full, r)
	maps.Copy(w.Header(), full.Header())
	w.Header().Set("Content-Length", strconv.Itoa(full.Body.Len()))
	w.WriteHeader(full.Code)
	w.Write(full.Body.Bytes()[:full.Body.Len()/2])
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// Fail answers with an error in Azure's form.
func Fail(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("X-Ms-Request-Id", "fake-0001")
	w.Header().Set("X-Ms-Error-Code", code)
	w.WriteHeader(status)
	fmt.Fprintf(w, "\ufeff"+`<?xml version="1.0" encoding="utf-8"?><Error><Code>%s</Code><Message>%s`+"\nRequestId:fake-0001\nTime:2026-01-01T00:00:00Z</Message></Error>", code, message)
}

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

func number(s string) int { n, _ := strconv.Atoi(s); return n }
