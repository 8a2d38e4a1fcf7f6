package s3

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
)

// Fake is an S3 server in this process with one bucket, "zarr-test", in path style. It does not
// check signatures. It is written from the API reference, not from our client, and implements
// ranges, conditions, pages and parts like S3.
type Fake struct {
	*fake.Server

	mu      sync.Mutex
	objects map[string]object
	uploads map[string]map[int][]byte
	begun   int // number of uploads
}

type object struct {
	value []byte
	etag  string
	ctype string
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

// newFake returns a server that does not listen, for use as a handler.
func newFake() *Fake {
	f := &Fake{objects: map[string]object{}, uploads: map[string]map[int][]byte{}}
	f.Server = fake.New(f.serve, fake.Line("Range"))
	return f
}

// At returns the s3 URL of a prefix on the server.
func (f *Fake) At(prefix string) string {
	return "s3://zarr-test/" + prefix + "?use_path_style=true&region=us-east-1&endpoint=" + url.QueryEscape(f.URL)
}

// Set stores an object.
func (f *Fake) Set(key string, o object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.objects[key] = o
}

func (f *Fake) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Amz-Request-Id", "FAKE0001")
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if bucket != "zarr-test" {
		Fail(w, 404, "NoSuchBucket", "The specified bucket does not exist")
		return
	}
	body, err := requestBody(r)
	if err != nil {
		Fail(w, 400, "IncompleteBody", err.Error())
		return
	}
	q := r.URL.Query()
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case r.Method == "GET" && key == "":
		f.list(w, q)
	case r.Method == "GET" && q.Has("uploadId"):
		f.sent(w, q)
	case r.Method == "GET" || r.Method == "HEAD":
		f.get(w, r, key)
	case r.Method == "PUT" && q.Has("uploadId") && f.uploads[q.Get("uploadId")] == nil:
		Fail(w, 404, "NoSuchUpload", "The specified multipart upload does not exist.")
	case r.Method == "PUT" && r.Header.Get("X-Amz-Copy-Source") != "":
		f.copy(w, r, key)
	case r.Method == "PUT" && q.Has("uploadId"):
		f.uploads[q.Get("uploadId")][fake.Number(q.Get("partNumber"))] = body
		w.Header().Set("ETag", etagOf(body))
	case r.Method == "PUT":
		f.put(w, r, key, body, etagOf(body))
	case r.Method == "POST" && q.Has("delete"):
		f.deleteMany(w, body)
	case r.Method == "POST" && q.Has("uploads"):
		f.begun++
		id := fmt.Sprintf("upload-%d", f.begun)
		f.uploads[id] = map[int][]byte{}
		fmt.Fprintf(w, "<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>", id)
	case r.Method == "POST" && q.Has("uploadId"):
		f.complete(w, r, key, q.Get("uploadId"), body)
	case r.Method == "DELETE" && q.Has("uploadId"):
		delete(f.uploads, q.Get("uploadId"))
		w.WriteHeader(204)
	case r.Method == "DELETE":
		o, ok := f.objects[key]
		if m := r.Header.Get("If-Match"); m != "" && !ok {
			Fail(w, 404, "NoSuchKey", "The specified key does not exist.")
			return
		} else if m != "" && m != o.etag {
			Fail(w, 412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
			return
		}
		delete(f.objects, key)
		w.WriteHeader(204)
	default:
		Fail(w, 501, "NotImplemented", r.Method)
	}
}

// Fail responds with an error in S3's form.
func Fail(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n<Error><Code>%s</Code><Message>%s</Message><RequestId>FAKE0001</RequestId></Error>", code, message)
}

func (f *Fake) get(w http.ResponseWriter, r *http.Request, key string) {
	o, ok := f.objects[key]
	h := w.Header()
	switch {
	case !ok && r.Method == "HEAD":
		w.WriteHeader(404)
		return
	case !ok:
		Fail(w, 404, "NoSuchKey", "The specified key does not exist.")
		return
	case r.Header.Get("If-Match") != "" && r.Header.Get("If-Match") != o.etag:
		Fail(w, 412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
		return
	case r.Header.Get("If-None-Match") == o.etag:
		h.Set("ETag", o.etag)
		w.WriteHeader(304)
		return
	}
	h.Set("ETag", o.etag)
	h.Set("Content-Type", o.ctype)
	body, status, ok := fake.Object{Value: o.value, Range: r.Header.Get("Range")}.Part(h)
	if !ok {
		Fail(w, 416, "InvalidRange", "The requested range is not satisfiable")
		return
	}
	w.WriteHeader(status)
	w.Write(body)
}

func (f *Fake) put(w http.ResponseWriter, r *http.Request, key string, body []byte, etag string) bool {
	o, ok := f.objects[key]
	m := r.Header.Get("If-Match")
	switch {
	case r.Header.Get("If-None-Match") == "*" && ok, m != "" && ok && m != o.etag:
		Fail(w, 412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
		return false
	case m != "" && !ok:
		Fail(w, 404, "NoSuchKey", "The specified key does not exist.")
		return false
	}
	f.objects[key] = object{body, etag, r.Header.Get("Content-Type")}
	w.Header().Set("ETag", etag)
	return true
}

// sent lists the parts of an upload, two per page.
func (f *Fake) sent(w http.ResponseWriter, q url.Values) {
	parts, ok := f.uploads[q.Get("uploadId")]
	if !ok {
		Fail(w, 404, "NoSuchUpload", "The specified multipart upload does not exist.")
		return
	}
	numbers := slices.Sorted(maps.Keys(parts))
	numbers = slices.DeleteFunc(numbers, func(n int) bool { return n <= fake.Number(q.Get("part-number-marker")) })
	more := len(numbers) > 2
	fmt.Fprintf(w, "<ListPartsResult><IsTruncated>%v</IsTruncated>", more)
	for _, n := range numbers[:min(2, len(numbers))] {
		var sum [4]byte
		binary.BigEndian.PutUint32(sum[:], crc32.ChecksumIEEE(parts[n]))
		fmt.Fprintf(w, "<Part><PartNumber>%d</PartNumber><Size>%d</Size><ETag>%s</ETag><ChecksumCRC32>%s</ChecksumCRC32></Part>",
			n, len(parts[n]), strings.ReplaceAll(etagOf(parts[n]), `"`, "&quot;"), base64.StdEncoding.EncodeToString(sum[:]))
	}
	io.WriteString(w, "</ListPartsResult>")
}

func (f *Fake) copy(w http.ResponseWriter, r *http.Request, to string) {
	source, err := url.PathUnescape(r.Header.Get("X-Amz-Copy-Source"))
	from, ok := strings.CutPrefix(source, "zarr-test/")
	if err != nil || !ok {
		Fail(w, 400, "InvalidArgument", "Copy Source must mention the source bucket and key: sourcebucket/sourcekey")
		return
	}
	o, ok := f.objects[from]
	if !ok {
		Fail(w, 404, "NoSuchKey", "The specified key does not exist.")
		return
	}
	if m := r.Header.Get("X-Amz-Copy-Source-If-Match"); m != "" && m != o.etag {
		Fail(w, 412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
		return
	}
	if f.put(w, r, to, o.value, etagOf(o.value)) {
		fmt.Fprintf(w, "<CopyObjectResult><ETag>%s</ETag></CopyObjectResult>", strings.ReplaceAll(etagOf(o.value), `"`, "&quot;"))
	}
}

func (f *Fake) complete(w http.ResponseWriter, r *http.Request, key, id string, body []byte) {
	var in struct {
		Part []struct{ PartNumber int }
	}
	sent, ok := f.uploads[id]
	if !ok || xml.Unmarshal(body, &in) != nil {
		Fail(w, 404, "NoSuchUpload", "The specified multipart upload does not exist.")
		return
	}
	var all []byte
	for _, p := range in.Part {
		all = append(all, sent[p.PartNumber]...)
	}
	etag := fmt.Sprintf(`"%x-%d"`, md5.Sum(all), len(in.Part))
	if f.put(w, r, key, all, etag) {
		delete(f.uploads, id)
		fmt.Fprintf(w, "<CompleteMultipartUploadResult><ETag>%s</ETag></CompleteMultipartUploadResult>", strings.ReplaceAll(etag, `"`, "&quot;"))
	}
}

func (f *Fake) deleteMany(w http.ResponseWriter, body []byte) {
	var in struct{ Object []struct{ Key string } }
	if err := xml.Unmarshal(body, &in); err != nil || len(in.Object) > 1000 {
		Fail(w, 400, "MalformedXML", "The XML you provided was not well-formed")
		return
	}
	io.WriteString(w, "<DeleteResult>")
	for _, o := range in.Object {
		delete(f.objects, o.Key)
		io.WriteString(w, "<Deleted><Key>")
		_ = xml.EscapeText(w, []byte(o.Key))
		io.WriteString(w, "</Key></Deleted>")
	}
	io.WriteString(w, "</DeleteResult>")
}

func (f *Fake) list(w http.ResponseWriter, q url.Values) {
	enc := func(s string) string { return s }
	if q.Get("encoding-type") == "url" {
		enc = url.QueryEscape
	}
	l := fake.Listing{Prefix: q.Get("prefix"), Delimiter: q.Get("delimiter"), After: max(q.Get("continuation-token"), q.Get("start-after")), Most: 1000}
	if n := fake.Number(q.Get("max-keys")); n > 0 {
		l.Most = min(l.Most, n)
	}
	names, more := l.Page(maps.Keys(f.objects))
	var b bytes.Buffer
	b.WriteString("<ListBucketResult><Name>zarr-test</Name>")
	if q.Get("encoding-type") == "url" {
		b.WriteString("<EncodingType>url</EncodingType>")
	}
	fmt.Fprintf(&b, "<IsTruncated>%v</IsTruncated>", more)
	if more {
		b.WriteString("<NextContinuationToken>")
		_ = xml.EscapeText(&b, []byte(names[len(names)-1]))
		b.WriteString("</NextContinuationToken>")
	}
	for _, n := range names {
		if o, ok := f.objects[n]; ok && l.IsKey(n) {
			b.WriteString("<Contents><Key>")
			_ = xml.EscapeText(&b, []byte(enc(n)))
			fmt.Fprintf(&b, "</Key><ETag>%s</ETag><Size>%d</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>",
				strings.ReplaceAll(o.etag, `"`, "&quot;"), len(o.value))
		} else {
			b.WriteString("<CommonPrefixes><Prefix>")
			_ = xml.EscapeText(&b, []byte(enc(n)))
			b.WriteString("</Prefix></CommonPrefixes>")
		}
	}
	b.WriteString("</ListBucketResult>")
	w.Write(b.Bytes())
}

// requestBody reads a body. It decodes the SDK's chunked form with a trailing checksum.
func requestBody(r *http.Request) ([]byte, error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return io.ReadAll(r.Body)
	}
	in := bufio.NewReader(r.Body)
	var all []byte
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		hex, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, err := strconv.ParseUint(hex, 16, 31)
		if err != nil || n == 0 {
			_, _ = io.Copy(io.Discard, in)
			return all, err
		}
		chunk := make([]byte, n+2)
		if _, err := io.ReadFull(in, chunk); err != nil {
			return nil, err
		}
		all = append(all, chunk[:n]...)
	}
}

func etagOf(b []byte) string { return fmt.Sprintf(`"%x"`, md5.Sum(b)) }
