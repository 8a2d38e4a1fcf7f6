package main

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// bucket is an S3 server with the features that the command needs. It has one bucket, "b", in path
// style.
type bucket struct {
	mu      sync.Mutex
	objects map[string][]byte
	refuse  func(r *http.Request) (status int, code string) // status 0 serves the request
	url     string
}

// newBucket starts a server that is closed at the end of the test, and isolates the test from the
// machine's AWS configuration.
func newBucket(t testing.TB) *bucket {
	t.Helper()
	for _, name := range []string{"AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3",
		"AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"HTTP_PROXY", "http_proxy"} {
		unsetenv(t, name)
	}
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_ACCESS_KEY_ID", "AKTEST")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
	b := &bucket{objects: map[string][]byte{}}
	srv := httptest.NewServer(b)
	t.Cleanup(srv.Close)
	b.url = srv.URL
	return b
}

// unsetenv is like t.Setenv, for a variable that must be unset.
func unsetenv(t testing.TB, name string) {
	t.Setenv(name, "") // the SDK treats an empty variable as unset, and the test restores it
}

// at returns the URL of a key in a bucket of the server.
func (b *bucket) at(name, key string) string {
	return "s3://" + name + "/" + key + "?region=us-east-1&use_path_style=true&request_checksum_calculation=when_required&endpoint=" + url.QueryEscape(b.url)
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if b.refuse != nil {
		if status, code := b.refuse(r); status != 0 {
			answer(w, status, code)
			return
		}
	}
	if name != "b" {
		answer(w, 404, "NoSuchBucket")
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	v, ok := b.objects[key]
	switch {
	case r.Method == "GET" && key == "":
		b.list(w, r.URL.Query())
	case r.Method == "GET" && !ok:
		answer(w, 404, "NoSuchKey")
	case r.Method == "GET":
		w.Header().Set("ETag", etag(v))
		w.Write(v)
	case r.Method == "DELETE":
		delete(b.objects, key)
		w.WriteHeader(204)
	case r.Header.Get("If-None-Match") == "*" && ok, r.Header.Get("If-Match") != "" && r.Header.Get("If-Match") != etag(v):
		answer(w, 412, "PreconditionFailed")
	case r.Method == "PUT":
		body, err := io.ReadAll(r.Body)
		if err != nil {
			answer(w, 400, "IncompleteBody")
			return
		}
		b.objects[key] = body
		w.Header().Set("ETag", etag(body))
	default:
		answer(w, 501, "NotImplemented")
	}
}

func etag(v []byte) string {
	sum := md5.Sum(v)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

func answer(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>%s, the server says</Message></Error>`, code, code)
}

func (b *bucket) list(w http.ResponseWriter, q url.Values) {
	type object struct {
		Key  string
		Size int
		ETag string
	}
	type prefix struct{ Prefix string }
	var out struct {
		XMLName        xml.Name `xml:"ListBucketResult"`
		IsTruncated    bool
		Contents       []object
		CommonPrefixes []prefix
	}
	seen := map[string]bool{}
	for key, v := range b.objects {
		rest, ok := strings.CutPrefix(key, q.Get("prefix"))
		if !ok {
			continue
		}
		if i := strings.Index(rest, "/"); i >= 0 && q.Get("delimiter") == "/" {
			if p := q.Get("prefix") + rest[:i+1]; !seen[p] {
				seen[p] = true
				out.CommonPrefixes = append(out.CommonPrefixes, prefix{Prefix: p})
			}
			continue
		}
		out.Contents = append(out.Contents, object{Key: key, Size: len(v), ETag: etag(v)})
	}
	slices.SortFunc(out.Contents, func(x, y object) int { return strings.Compare(x.Key, y.Key) })
	if err := xml.NewEncoder(w).Encode(out); err != nil {
		panic(err)
	}
}

func (b *bucket) keys() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var keys []string
	for k := range b.objects {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func TestS3(t *testing.T) {
	b, p := newBucket(t), newProgram()
	do(t, p, "create "+b.at("b", "w.zarr")+" --group")
	do(t, p, "create "+b.at("b", "w.zarr/a/t2m")+" --shape 4,3 --chunks 2,3 --dtype int16 --inflight 2")
	if r := zargoArgs(t, p, numpyFile(t, "int16"), "put", b.at("b", "w.zarr/a/t2m"), "-", "--sel", "1:3"); r.code != 0 {
		t.Fatal(r.err)
	}
	if got := do(t, p, "cat "+b.at("b", "w.zarr/a/t2m")+" --format json"); got != "[[0, 0, 0], [-32768, 32767, 0], [1, 2, 3], [0, 0, 0]]\n" {
		t.Error(got)
	}
	if got := do(t, p, "ls -r -l "+b.at("b", "w.zarr")); got != "w.zarr\n└── a/\n    └── t2m  int16 [4, 3] chunks [2, 3] v3\n" {
		t.Error(got)
	}
	do(t, p, "attrs "+b.at("b", "w.zarr/a/t2m")+" --set units=1")
	if got := do(t, p, "attrs "+b.at("b", "w.zarr/a/t2m")); got != "{\n  \"units\": 1\n}\n" {
		t.Error(got)
	}
	want := []string{"w.zarr/a/t2m/c/0/0", "w.zarr/a/t2m/c/1/0", "w.zarr/a/t2m/zarr.json", "w.zarr/a/zarr.json", "w.zarr/zarr.json"}
	if got := b.keys(); !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
	// Without a group above the node, no groups are created. With --root they are created from the
	// root on.
	do(t, p, "create "+b.at("b", "x/y/z")+" --shape 1 --dtype int8")
	do(t, p, "create "+b.at("b", "r/s/t")+" --shape 1 --dtype int8 --root s3://b/r")
	for _, k := range []string{"zarr.json", "x/zarr.json", "x/y/zarr.json"} {
		if slices.Contains(b.keys(), k) {
			t.Errorf("%s appeared", k)
		}
	}
	for _, k := range []string{"x/y/z/zarr.json", "r/zarr.json", "r/s/zarr.json", "r/s/t/zarr.json"} {
		if !slices.Contains(b.keys(), k) {
			t.Errorf("%s is missing", k)
		}
	}
	fails(t, zargo(t, p, "create "+b.at("b", "w.zarr/a/t2m")+" --shape 1 --dtype int8"), 10, "s3://b/w.zarr/a/t2m", "zarr.json")
}

func TestS3BadInput(t *testing.T) {
	b, p := newBucket(t), newProgram()
	t.Run("missing node", func(t *testing.T) {
		fails(t, zargo(t, p, "info "+b.at("b", "none")), 3, "s3://b/none", "not found", "zarr.json")
	})
	t.Run("missing bucket", func(t *testing.T) {
		for _, line := range []string{"info " + b.at("nob", "x"), "create " + b.at("nob", "x") + " --group", "ls " + b.at("nob", "")} {
			r := zargo(t, p, line)
			fails(t, r, 8, "s3://nob", "NoSuchBucket", "does not exist", "zarr.json")
			if n := strings.Count(r.err, "NoSuchBucket:"); n > 1 {
				t.Errorf("it says so %d times: %s", n, r.err)
			}
		}
	})
	t.Run("refused credentials", func(t *testing.T) {
		b.refuse = func(*http.Request) (int, string) { return 403, "InvalidAccessKeyId" }
		defer func() { b.refuse = nil }()
		r := zargo(t, p, "info "+b.at("b", "x"))
		fails(t, r, 8, "s3://b/x", "refused", "InvalidAccessKeyId", "zarr.json")
		if strings.Contains(r.err, "very-secret") {
			t.Error("the secret shows")
		}
	})
	t.Run("no credentials", func(t *testing.T) {
		t.Setenv("AWS_ACCESS_KEY_ID", "")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "")
		fails(t, zargo(t, p, "info "+b.at("b", "x")), 8, "s3://b/x", "refused", "anonymous=true")
		fails(t, zargo(t, p, "info "+b.at("b", "x")+"&anonymous=true"), 3, "s3://b/x")
	})
	t.Run("throttled", func(t *testing.T) {
		b.refuse = func(*http.Request) (int, string) { return 503, "SlowDown" }
		defer func() { b.refuse = nil }()
		fails(t, zargo(t, p, "info --timeout 2s "+b.at("b", "x")), 9, "s3://b/x")
	})
	t.Run("no server", func(t *testing.T) {
		fails(t, zargo(t, p, "info --timeout 2s s3://b/x?region=us-east-1&anonymous=true&use_path_style=true&endpoint=http://127.0.0.1:1"), 9, "s3://b/x")
	})
	t.Run("unsafe keys", func(t *testing.T) {
		for _, key := range []string{"a/../b", "%2e%2e/x", `a\b`, "a%5Cb", "a//b"} {
			fails(t, zargo(t, p, "info "+b.at("b", key)), 4, "s3://b/", "unsafe path")
		}
	})
	t.Run("unknown parameter", func(t *testing.T) {
		fails(t, zargo(t, p, "info "+b.at("b", "x")+"&nonsense=1"), 2, "s3://b/x", "nonsense")
	})
	t.Run("password in the URL", func(t *testing.T) {
		r := zargo(t, p, "info s3://id:very-secret@b/x")
		fails(t, r, 2, "password")
		if strings.Contains(r.err, "very-secret") {
			t.Error("the password shows")
		}
	})
}
