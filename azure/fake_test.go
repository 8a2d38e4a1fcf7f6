package azure

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"hash/crc64"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
)

// Fake is a Blob Storage server in this process with one account, "acct", in the path, and one
// container, "zarr-test". It does not check signatures. It is written from the REST reference, not
// from our client.
type Fake struct {
	*fake.Server

	Refuse fake.Answer // responds to a request within a batch, or returns false

	mu     sync.Mutex
	blobs  map[string]object
	blocks map[string]map[string][]byte // uncommitted, by key and ID
	made   int                          // number of versions
}

type object struct {
	value  []byte
	etag   string
	header map[string]string // further headers of a read
	kind   string            // ResourceType in listings
	damage func([]byte)      // damages the value in transit
}

// NewFake starts a server that is closed at the end of the test.
func NewFake(t testing.TB) *Fake {
	f, stop := StartFake()
	t.Cleanup(stop)
	return f
}

// StartFake is like NewFake, for examples.
func StartFake() (*Fake, func()) {
	f := &Fake{blobs: map[string]object{}, blocks: map[string]map[string][]byte{}}
	f.Server = fake.New(f.serve, fake.Line("X-Ms-Range"))
	return f, f.Start()
}

// Host returns the server's host and port.
func (f *Fake) Host() string { return strings.TrimPrefix(f.URL, "http://") }

// At returns the azblob URL of a prefix on the server.
func (f *Fake) At(prefix string) string {
	return "azblob://zarr-test/" + prefix + "?storage_account=acct&protocol=http&domain=" + url.QueryEscape(f.Host())
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

func (f *Fake) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Ms-Request-Id", "fake-0001")
	w.Header().Set("X-Ms-Version", r.Header.Get("X-Ms-Version"))
	body, err := io.ReadAll(r.Body)
	if err != nil {
		Fail(w, 400, "IncompleteBody", err.Error())
		return
	}
	if sum := r.Header.Get("Content-Md5"); sum != "" && sum != digest(body) {
		Fail(w, 400, "Md5Mismatch", "The MD5 value specified in the request did not match with the MD5 value calculated by the server.")
		return
	}
	if sum := r.Header.Get("X-Ms-Content-Crc64"); sum != "" && sum != crc(body) {
		Fail(w, 400, "Crc64Mismatch", "The CRC64 value specified in the request did not match with the CRC64 value calculated by the server.")
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
	if r.Method == "POST" && q.Get("comp") == "batch" && q.Get("restype") == "container" {
		f.batch(w, r, body)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case r.Method == "GET" && q.Get("comp") == "list":
		f.list(w, q)
	case r.Method == "GET" && q.Get("comp") == "blocklist":
		f.uncommitted(w, key)
	case r.Method == "GET" || r.Method == "HEAD":
		f.get(w, r, key)
	case r.Method == "PUT" && r.Header.Get("X-Ms-Copy-Source") != "":
		f.copy(w, r, key)
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

// batch responds to the requests of a batch in parts of one response. Source: "Blob Batch".
func (f *Fake) batch(w http.ResponseWriter, r *http.Request, body []byte) {
	b := fake.Batch{Most: 256, Status: 202, Refuse: f.Refuse, Serve: f.serve}
	b.ID = func(id string) string { return id }
	if err := b.Answer(w, r.Header.Get("Content-Type"), bytes.NewReader(body)); err != nil {
		Fail(w, 400, "InvalidInput", err.Error())
	}
}

// copy copies a blob of the container. Source: "Copy Blob From URL".
func (f *Fake) copy(w http.ResponseWriter, r *http.Request, key string) {
	from, err := url.Parse(r.Header.Get("X-Ms-Copy-Source"))
	if err != nil || r.Header.Get("X-Ms-Requires-Sync") != "true" || !from.Query().Has("sig") && r.Header.Get("X-Ms-Copy-Source-Authorization") == "" {
		Fail(w, 401, "CannotVerifyCopySource", "Server failed to authenticate the request.")
		return
	}
	o, ok := f.blobs[strings.TrimPrefix(from.Path, "/acct/zarr-test/")]
	m := r.Header.Get("X-Ms-Source-If-Match")
	switch {
	case !ok:
		Fail(w, 404, "CannotVerifyCopySource", "The specified blob does not exist.")
	case m != "" && m != o.etag:
		Fail(w, 412, "SourceConditionNotMet", "The source condition specified using HTTP conditional header(s) is not met.")
	case f.allowed(w, r, key):
		w.Header().Set("ETag", f.store(key, object{value: o.value, header: o.header}))
		w.Header().Set("X-Ms-Copy-Status", "success")
		w.WriteHeader(202)
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
	ask := fake.Object{Value: o.value}
	if r.Method == "GET" {
		ask.Range = r.Header.Get("X-Ms-Range")
	}
	if strings.HasPrefix(ask.Range, "bytes=-") {
		Fail(w, 400, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct format.")
		return
	}
	body, status, ok := ask.Part(h)
	if !ok {
		Fail(w, 416, "InvalidRange", "The range specified is invalid for the current size of the resource.")
		return
	}
	if status == http.StatusPartialContent && r.Header.Get("X-Ms-Range-Get-Content-Crc64") == "true" && len(body) <= 4<<20 {
		h.Set("X-Ms-Content-Crc64", crc(body))
	}
	if status == http.StatusPartialContent && r.Header.Get("X-Ms-Range-Get-Content-Md5") == "true" && len(body) <= 4<<20 {
		h.Set("Content-Md5", digest(body))
	} else if status == http.StatusPartialContent {
		h.Del("Content-Md5") // the header has the MD5 of the whole value
	}
	if o.damage != nil {
		body = append([]byte{}, body...)
		o.damage(body)
	}
	w.WriteHeader(status)
	if r.Method == "GET" {
		w.Write(body)
	}
}

func digest(b []byte) string {
	sum := md5.Sum(b)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// crc returns the checksum that Azure uses.
func crc(b []byte) string {
	return base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint64(nil, crc64.Checksum(b, crc64.MakeTable(0x9A6C9329AC4BC9B5))))
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

// uncommitted lists the uncommitted blocks of a key.
func (f *Fake) uncommitted(w http.ResponseWriter, key string) {
	if _, ok := f.blobs[key]; !ok && len(f.blocks[key]) == 0 {
		Fail(w, 404, "BlobNotFound", "The specified blob does not exist.")
		return
	}
	w.Header().Set("Content-Type", "application/xml")
	io.WriteString(w, `<?xml version="1.0" encoding="utf-8"?><BlockList><UncommittedBlocks>`)
	for id, b := range f.blocks[key] {
		fmt.Fprintf(w, "<Block><Name>%s</Name><Size>%d</Size></Block>", id, len(b))
	}
	io.WriteString(w, "</UncommittedBlocks></BlockList>")
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
	l := fake.Listing{Prefix: q.Get("prefix"), Delimiter: q.Get("delimiter"), After: strings.TrimPrefix(q.Get("marker"), "m"), Most: 5000}
	if n := fake.Number(q.Get("maxresults")); n > 0 {
		l.Most = min(l.Most, n)
	}
	names, more := l.Page(maps.Keys(f.blobs))
	next := ""
	if more {
		next = "m" + names[len(names)-1]
	}
	w.Header().Set("Content-Type", "application/xml")
	io.WriteString(w, `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="http://x/" ContainerName="zarr-test"><Blobs>`)
	for _, n := range names {
		if o, ok := f.blobs[n]; ok && l.IsKey(n) {
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

// Fail responds with an error in Azure's form.
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
