package load

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// document is the metadata of an array of two chunks of two int32, without a codec that could
// detect damage. The fill value is 7.
const document = `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int32","fill_value":7,` +
	`"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},` +
	`"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},` +
	`"codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}`

// answer is the response of a server to every request for the second chunk.
type answer struct {
	status int
	ctype  string
	etag   string
	body   string
	length int // declared length, if it differs from the length of the body
}

func xmlError(status int, code string) answer {
	return answer{status: status, ctype: "application/xml", body: "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code></Error>"}
}

const page = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Welcome</body></html>"

func TestAnswers(t *testing.T) {
	values := string(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 3), 4))
	tests := []struct {
		name   string
		answer answer
		kind   error // nil if the response is valid data
		want   int32 // the first element of valid data
	}{
		{"a chunk", answer{status: 200, etag: `"e"`, body: values}, nil, 3},
		{"proven absence", xmlError(404, "NoSuchKey"), nil, 7},
		{"missing bucket", xmlError(404, "NoSuchBucket"), zarr.ErrRefused, 0},
		{"404 without a word", answer{status: 404}, zarr.ErrUnavailable, 0},
		{"404 page", answer{status: 404, ctype: "text/html", body: page}, zarr.ErrUnavailable, 0},
		{"401", answer{status: 401}, zarr.ErrRefused, 0},
		{"401 in words", xmlError(401, "InvalidAccessKeyId"), zarr.ErrRefused, 0},
		{"403", answer{status: 403}, zarr.ErrRefused, 0},
		{"403 in words", xmlError(403, "AccessDenied"), zarr.ErrRefused, 0},
		{"200 page", answer{status: 200, ctype: "text/html", body: page}, zarr.ErrUnavailable, 0},
		{"200 page with an ETag", answer{status: 200, ctype: "text/html", etag: `"e"`, body: page}, zarr.ErrCorrupt, 0},
		{"200 with nothing", answer{status: 200}, zarr.ErrUnavailable, 0},
		{"200 with nothing and an ETag", answer{status: 200, etag: `"e"`}, zarr.ErrCorrupt, 0},
		{"half a chunk", answer{status: 200, etag: `"e"`, body: values[:4]}, zarr.ErrCorrupt, 0},
		{"a cut body", answer{status: 200, etag: `"e"`, body: values[:4], length: 8}, zarr.ErrUnavailable, 0},
		{"500", answer{status: 500}, zarr.ErrUnavailable, 0},
		{"503 in words", xmlError(503, "SlowDown"), zarr.ErrThrottled, 0},
		{"redirect", answer{status: 302}, zarr.ErrUnavailable, 0},
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "someone")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, "/x/zarr.json"):
					answer{status: 200, etag: `"m"`, body: document}.give(w)
				case strings.HasSuffix(r.URL.Path, "/x/c/1"):
					tt.answer.give(w)
				case strings.HasSuffix(r.URL.Path, "/x/c/0"):
					answer{status: 200, etag: `"c"`, body: values}.give(w)
				default:
					xmlError(404, "NoSuchKey").give(w)
				}
			}))
			defer srv.Close()
			st := openQuick(t, "s3://b/p?region=us-east-1&use_path_style=true&endpoint="+url.QueryEscape(srv.URL))
			a, err := zarr.OpenArray(t.Context(), st, "x")
			if err != nil {
				t.Fatal(err)
			}
			got, err := zarr.Read[int32](t.Context(), a)
			if tt.kind == nil {
				if err != nil || got[0] != 3 || got[2] != tt.want {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			var ce *zarr.ChunkError
			if !errors.Is(err, tt.kind) || !errors.As(err, &ce) || !strings.HasSuffix(ce.Key, "c/1") {
				t.Errorf("got %v, %v, want %v", got, err, tt.kind)
			}
			if errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("it counts as absence: %v", err)
			}
			// A partial write that reads this response must not write.
			if err := zarr.Write(t.Context(), a, []int32{9}, zarr.At(2)); !errors.Is(err, tt.kind) {
				t.Errorf("partial write: %v, want %v", err, tt.kind)
			}
		})
	}
}

func (a answer) give(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", a.ctype)
	if a.etag != "" {
		h.Set("ETag", a.etag)
	}
	if a.status == http.StatusFound {
		h.Set("Location", "http://127.0.0.1:1/login")
	}
	h.Set("Content-Length", fmt.Sprint(max(a.length, len(a.body))))
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body) // a truncated body ends early
}

// TestAnswersOnTheWay checks the same responses in front of the real server: a proxy sends them for
// one chunk of an existing array.
func TestAnswersOnTheWay(t *testing.T) {
	tests := []struct {
		name  string
		fault faultproxy.Fault
		kind  error
	}{
		{"401", faultproxy.S3Error(401, "InvalidAccessKeyId"), zarr.ErrRefused},
		{"403", faultproxy.S3Error(403, "AccessDenied"), zarr.ErrRefused},
		{"missing bucket", faultproxy.S3Error(404, "NoSuchBucket"), zarr.ErrRefused},
		{"page", faultproxy.Page(), zarr.ErrUnavailable},
		{"nothing", faultproxy.Fault{Kind: faultproxy.Answer}, zarr.ErrUnavailable},
		{"503 for good", faultproxy.Fault{Kind: faultproxy.SlowDown}, zarr.ErrThrottled},
		{"reset for good", faultproxy.Fault{Kind: faultproxy.Reset}, zarr.ErrUnavailable},
	}
	p, u := through(t, bucket.S3(), faultproxy.Config{})
	at, err := url.Parse(u)
	if err != nil {
		t.Fatal(err)
	}
	st := openQuick(t, u)
	a := create(t, st, "x", spec(3))
	all := slices.Concat(region(0, 0), region(1, 0), region(2, 0))
	succeed(t, zarr.Write(t.Context(), a, all))
	bad := "/" + at.Host + at.Path + "/" + a.ChunkKey(1, 0)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			succeed(t, p.Configure(faultproxy.Config{Overrides: []faultproxy.Override{{Path: bad, Fault: tt.fault}}}))
			_, err := zarr.Read[int64](t.Context(), a)
			var ce *zarr.ChunkError
			if !errors.Is(err, tt.kind) || !errors.As(err, &ce) || ce.Key != a.ChunkKey(1, 0) || errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("read: %v, want %v", err, tt.kind)
			}
			if err := zarr.Write(t.Context(), a, []int64{0}, zarr.At(33), zarr.At(0)); !errors.Is(err, tt.kind) {
				t.Errorf("partial write: %v, want %v", err, tt.kind)
			}
		})
	}
	succeed(t, p.Configure(faultproxy.Config{}))
	got, err := zarr.Read[int64](t.Context(), a)
	if err != nil || !slices.Equal(got, all) {
		t.Errorf("afterwards the values are others: %v", err)
	}
}

// TestRefusals checks the real server's own responses to missing credentials and missing buckets.
func TestRefusals(t *testing.T) {
	u := bucket.URL(t)
	good := os.Getenv("AWS_SECRET_ACCESS_KEY")
	create(t, bucket.Open(t, u), "x", spec(1))
	tests := []struct {
		name   string
		url    string
		key    string
		secret string
	}{
		{"missing bucket", strings.Replace(u, "s3://", "s3://no-", 1), os.Getenv("AWS_ACCESS_KEY_ID"), good},
		{"wrong secret", u, os.Getenv("AWS_ACCESS_KEY_ID"), good + "x"},
		{"unknown key", u, "nobody", good},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("AWS_ACCESS_KEY_ID", tt.key)
			t.Setenv("AWS_SECRET_ACCESS_KEY", tt.secret)
			st, err := s3.Open(t.Context(), tt.url)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = st.Close() }()
			if _, err := zarr.OpenArray(t.Context(), st, "x"); !errors.Is(err, zarr.ErrRefused) || errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("open: %v, want %v", err, zarr.ErrRefused)
			}
			if _, err := zarr.Create(t.Context(), st, "y", spec(1)); !errors.Is(err, zarr.ErrRefused) {
				t.Errorf("create: %v, want %v", err, zarr.ErrRefused)
			}
		})
	}
}

// openQuick opens a store with few retries.
func openQuick(t *testing.T, u string) store.Store {
	t.Helper()
	st, err := s3.Open(t.Context(), u, s3.Retry(retry.Backoff(time.Microsecond, time.Millisecond), retry.Tries(3)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
