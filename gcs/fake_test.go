package gcs

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
)

// Fake is a GCS server in this process with one bucket, "zarr-test". It does not check credentials.
// It is written from the API references, not from our client: reads use the XML API and all other
// requests the JSON API, each with its own form of errors.
type Fake struct {
	*fake.Server
	Refuse fake.Answer // responds to a request within a batch, or returns false

	mu      sync.Mutex
	objects map[string]object
	next    int64
	calls   int // further calls that each rewrite needs
}

type object struct {
	value      []byte
	generation int64
	encoding   string // Content-Encoding
	ctype      string
	key        string // hash of a customer-supplied key
	kms, class string
}

// NewFake starts a server that is closed at the end of the test.
func NewFake(t testing.TB) *Fake {
	f, stop := StartFake()
	t.Cleanup(stop)
	return f
}

// StartFake is like NewFake, for examples.
func StartFake() (*Fake, func()) {
	f := newFake()
	return f, f.Start()
}

func newFake() *Fake {
	f := &Fake{objects: map[string]object{}, next: 1700000000000000}
	f.Server = fake.New(f.serve, line)
	return f
}

// line formats a request for the log, with its range and conditions.
func line(r *http.Request) string {
	l := fake.Line("Range")(r)
	for _, name := range []string{"generation", "ifGenerationMatch", "userProject", "kmsKeyName", "uploadType", "ifSourceGenerationMatch", "rewriteToken"} {
		if r.URL.Query().Has(name) {
			l += " " + name + "=" + r.URL.Query().Get(name)
		}
	}
	return l
}

// At returns the gs URL of a prefix on the server.
func (f *Fake) At(prefix string) string {
	return "gs://zarr-test/" + prefix + "?endpoint=" + url.QueryEscape(f.URL)
}

// Set stores an object.
func (f *Fake) Set(key string, o object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	o.generation = f.next
	f.objects[key] = o
}

// Object returns a stored object.
func (f *Fake) Object(key string) object {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.objects[key]
}

func (f *Fake) serve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if r.URL.Path == "/batch/storage/v1" && r.Method == "POST" {
		f.batch(w, r)
		return
	}
	_, upload := strings.CutPrefix(r.URL.Path, "/upload/storage/v1/b/")
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(r.URL.Path, "/upload"), "/storage/v1/b/"); ok {
		bucket, rest, _ := strings.Cut(rest, "/")
		key, _ := strings.CutPrefix(rest, "o/")
		var o object
		var name string
		var err error
		var join compose
		dest, joins := strings.CutSuffix(key, "/compose")
		if joins && r.Method == "POST" {
			err = json.NewDecoder(r.Body).Decode(&join)
		}
		if upload {
			name, o, err = uploaded(r)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		switch {
		case err != nil:
			FailJSON(w, 400, "invalid", err.Error())
		case bucket != "zarr-test":
			FailJSON(w, 404, "notFound", "The specified bucket does not exist.")
		case upload && r.Method == "POST":
			f.put(w, q, name, o)
		case joins && r.Method == "POST":
			f.compose(w, r, dest, join)
		case r.Method == "POST" && strings.Contains(key, "/rewriteTo/b/zarr-test/o/"):
			f.rewrite(w, r, key)
		case r.Method == "GET" && rest == "o":
			f.list(w, q)
		case r.Method == "DELETE":
			f.delete(w, q, key)
		default:
			FailJSON(w, 501, "notImplemented", r.Method+" "+r.URL.Path)
		}
		return
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if bucket != "zarr-test" {
		FailXML(w, 404, "NoSuchBucket", "The specified bucket does not exist.")
		return
	}
	f.mu.Lock()
	o, ok := f.objects[key]
	f.mu.Unlock()
	if !ok {
		FailXML(w, 404, "NoSuchKey", "The specified key does not exist.")
		return
	}
	get(w, r, o)
}

func xmlError(code, message string) string {
	return fmt.Sprintf(`<?xml version='1.0' encoding='UTF-8'?><Error><Code>%s</Code><Message>%s</Message></Error>`, code, message)
}

func jsonError(status int, reason, message string) string {
	b, _ := json.Marshal(map[string]any{"error": map[string]any{
		"code": status, "message": message, "errors": []any{map[string]string{"message": message, "domain": "global", "reason": reason}},
	}})
	return string(b)
}

// FailXML responds to a read with an error.
func FailXML(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/xml; charset=UTF-8")
	w.WriteHeader(status)
	io.WriteString(w, xmlError(code, message))
}

// FailJSON responds to any other request with an error.
func FailJSON(w http.ResponseWriter, status int, reason, message string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	io.WriteString(w, jsonError(status, reason, message))
}

func get(w http.ResponseWriter, r *http.Request, o object) {
	h := w.Header()
	gen := strconv.FormatInt(o.generation, 10)
	switch {
	case r.URL.Query().Has("generation") && r.URL.Query().Get("generation") != gen:
		FailXML(w, 404, "NoSuchKey", "The specified key does not exist.")
		return
	case o.key != r.Header.Get("X-Goog-Encryption-Key-Sha256"):
		FailXML(w, 400, "ResourceIsEncryptedWithCustomerEncryptionKey", "The resource is encrypted with a customer encryption key.")
		return
	case r.Header.Get("X-Goog-If-Generation-Match") != "" && r.Header.Get("X-Goog-If-Generation-Match") != gen:
		FailXML(w, 412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold.")
		return
	case r.Header.Get("X-Goog-If-Generation-Not-Match") == gen:
		h.Set("X-Goog-Generation", gen)
		w.WriteHeader(304)
		return
	}
	h.Set("X-Goog-Generation", gen)
	h.Set("X-Goog-Metageneration", "1")
	h.Set("X-Goog-Hash", "crc32c="+crc(o.value))
	h.Set("X-Goog-Stored-Content-Length", strconv.Itoa(len(o.value)))
	if o.encoding != "" {
		h.Set("X-Goog-Stored-Content-Encoding", o.encoding)
	}
	if o.encoding == "gzip" && !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		// The server decompresses: it sends the whole value for any range, without a length.
		z, err := gzip.NewReader(bytes.NewReader(o.value))
		if err == nil {
			_, _ = io.Copy(w, z)
		}
		return
	}
	if o.encoding != "" {
		h.Set("Content-Encoding", o.encoding)
	}
	body, status, ok := fake.Object{Value: o.value, Range: r.Header.Get("Range")}.Part(h)
	if !ok {
		FailXML(w, 416, "InvalidRange", "The requested range cannot be satisfied.")
		return
	}
	w.WriteHeader(status)
	w.Write(body)
}

// uploaded parses a multipart/related upload, which contains metadata, then the value.
func uploaded(r *http.Request) (string, object, error) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return "", object{}, err
	}
	mr := multipart.NewReader(r.Body, params["boundary"])
	part, err := mr.NextPart()
	if err != nil {
		return "", object{}, err
	}
	var meta struct{ Name, ContentType, Crc32c, StorageClass string }
	if err := json.NewDecoder(part).Decode(&meta); err != nil {
		return "", object{}, err
	}
	if part, err = mr.NextPart(); err != nil {
		return "", object{}, err
	}
	value, err := io.ReadAll(part)
	if err == nil && meta.Crc32c != crc(value) {
		err = fmt.Errorf("Provided CRC32C %q doesn't match calculated CRC32C %q.", meta.Crc32c, crc(value))
	}
	return meta.Name, object{
		value: value, ctype: meta.ContentType, class: meta.StorageClass,
		key: r.Header.Get("X-Goog-Encryption-Key-Sha256"), kms: r.URL.Query().Get("kmsKeyName"),
	}, err
}

func (f *Fake) put(w http.ResponseWriter, q url.Values, name string, o object) {
	if q.Has("ifGenerationMatch") && q.Get("ifGenerationMatch") != strconv.FormatInt(f.objects[name].generation, 10) {
		FailJSON(w, 412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
		return
	}
	f.next++
	o.generation = f.next
	f.objects[name] = o
	answerJSON(w, resource(name, o))
}

// rewrite copies an object, after as many further calls as f.calls. Source: "Objects: rewrite".
func (f *Fake) rewrite(w http.ResponseWriter, r *http.Request, path string) {
	from, to, _ := strings.Cut(path, "/rewriteTo/b/zarr-test/o/")
	q := r.URL.Query()
	o, ok := f.objects[from]
	step := fake.Number(strings.TrimPrefix(q.Get("rewriteToken"), "token-"))
	switch m := q.Get("ifSourceGenerationMatch"); {
	case !ok:
		FailJSON(w, 404, "notFound", "No such object: zarr-test/"+from)
	case m != "" && m != strconv.FormatInt(o.generation, 10):
		FailJSON(w, 412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
	case o.key != r.Header.Get("X-Goog-Copy-Source-Encryption-Key-Sha256"):
		FailJSON(w, 400, "resourceIsEncryptedWithCustomerEncryptionKey", "The target object is encrypted by a customer-supplied encryption key.")
	case q.Has("ifGenerationMatch") && q.Get("ifGenerationMatch") != strconv.FormatInt(f.objects[to].generation, 10):
		FailJSON(w, 412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
	case step < f.calls:
		answerJSON(w, map[string]any{"kind": "storage#rewriteResponse", "done": false, "rewriteToken": fmt.Sprintf("token-%d", step+1),
			"totalBytesRewritten": "1", "objectSize": strconv.Itoa(len(o.value))})
	default:
		var dest struct{ ContentType, StorageClass string }
		_ = json.NewDecoder(r.Body).Decode(&dest)
		if dest.ContentType != "" {
			o.ctype, o.class = dest.ContentType, dest.StorageClass
		}
		o.key, o.kms = r.Header.Get("X-Goog-Encryption-Key-Sha256"), q.Get("destinationKmsKeyName")
		f.next++
		o.generation = f.next
		f.objects[to] = o
		n := strconv.Itoa(len(o.value))
		answerJSON(w, map[string]any{"kind": "storage#rewriteResponse", "done": true, "totalBytesRewritten": n, "objectSize": n, "resource": resource(to, o)})
	}
}

func (f *Fake) delete(w http.ResponseWriter, q url.Values, key string) {
	o, ok := f.objects[key]
	switch {
	case !ok:
		FailJSON(w, 404, "notFound", "No such object: zarr-test/"+key)
	case q.Has("ifGenerationMatch") && q.Get("ifGenerationMatch") != strconv.FormatInt(o.generation, 10):
		FailJSON(w, 412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
	default:
		delete(f.objects, key)
		w.WriteHeader(204)
	}
}

// batch responds to the requests of a batch in parts of one response. Source: "Batch requests".
func (f *Fake) batch(w http.ResponseWriter, r *http.Request) {
	b := fake.Batch{Most: 100, Status: 200, Refuse: f.Refuse, Serve: f.serve}
	b.ID = func(id string) string { return strings.Replace(id, "<", "<response-", 1) }
	if err := b.Answer(w, r.Header.Get("Content-Type"), r.Body); err != nil {
		FailJSON(w, 400, "badRequest", err.Error())
	}
}

func (f *Fake) list(w http.ResponseWriter, q url.Values) {
	l := fake.Listing{Prefix: q.Get("prefix"), Delimiter: q.Get("delimiter"), After: q.Get("pageToken"), Most: 1000}
	if n := fake.Number(q.Get("maxResults")); n > 0 {
		l.Most = min(l.Most, n)
	}
	names, more := l.Page(func(yield func(string) bool) {
		for k := range f.objects {
			if k >= q.Get("startOffset") && !yield(k) {
				return
			}
		}
	})
	out := map[string]any{}
	if more {
		out["nextPageToken"] = names[len(names)-1]
	}
	var items []any
	var prefixes []string
	for _, n := range names {
		if o, ok := f.objects[n]; ok && l.IsKey(n) {
			items = append(items, resource(n, o))
		} else {
			prefixes = append(prefixes, n)
		}
	}
	if items != nil {
		out["items"] = items
	}
	if prefixes != nil {
		out["prefixes"] = prefixes
	}
	answerJSON(w, out)
}

func resource(name string, o object) map[string]any {
	return map[string]any{
		"name": name, "generation": strconv.FormatInt(o.generation, 10), "size": strconv.Itoa(len(o.value)), "crc32c": crc(o.value),
	}
}

func answerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(v)
}

func crc(b []byte) string {
	sum := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, sum))
}

// compose is the body of a request that joins objects.
type compose struct {
	Destination   struct{ ContentType, StorageClass string }
	SourceObjects []struct {
		Name       string
		Generation string
	}
}

// compose joins at most 32 objects, each of the requested generation.
func (f *Fake) compose(w http.ResponseWriter, r *http.Request, dest string, c compose) {
	o := object{
		ctype: c.Destination.ContentType, class: c.Destination.StorageClass,
		key: r.Header.Get("X-Goog-Encryption-Key-Sha256"), kms: r.URL.Query().Get("kmsKeyName"),
	}
	if n := len(c.SourceObjects); n < 1 || n > 32 {
		FailJSON(w, 400, "invalid", fmt.Sprintf("The number of source components provided (%d) is not between 1 and 32.", n))
		return
	}
	for _, s := range c.SourceObjects {
		src, ok := f.objects[s.Name]
		switch {
		case !ok:
			FailJSON(w, 404, "notFound", "No such object: zarr-test/"+s.Name)
			return
		case s.Generation != "" && s.Generation != strconv.FormatInt(src.generation, 10):
			FailJSON(w, 412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
			return
		case src.key != o.key:
			FailJSON(w, 400, "invalid", "The source object is encrypted with another key.")
			return
		}
		o.value = append(o.value, src.value...)
	}
	f.put(w, r.URL.Query(), dest, o)
}
