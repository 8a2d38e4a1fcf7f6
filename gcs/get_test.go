package gcs

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestOneRequestPerRead checks that every read is one request, with the range in GCS's form.
func TestOneRequestPerRead(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	f.Set("p/k", object{value: []byte("0123456789")})
	s := bare(t, f.At("p"))
	for _, c := range []struct {
		name, want, line string
		r                store.Range
	}{
		{"whole", "0123456789", "GET /zarr-test/p/k", store.Range{}},
		{"from 0", "0123456789", "GET /zarr-test/p/k", store.From(0)},
		{"from", "789", "GET /zarr-test/p/k bytes=7-", store.From(7)},
		{"within", "234", "GET /zarr-test/p/k bytes=2-4", store.Within(2, 3)},
		{"last", "6789", "GET /zarr-test/p/k bytes=-4", store.Suffix(4)},
	} {
		t.Run(c.name, func(t *testing.T) {
			buf := make([]byte, 1, 64)
			v, err := s.Get(t.Context(), "k", store.GetOptions{Range: c.r}, buf)
			if err != nil || string(v.Bytes[1:]) != c.want || v.Size != 10 || &v.Bytes[0] != &buf[0] {
				t.Errorf("got %q of %d, %v", v.Bytes, v.Size, err)
			}
			if got := f.Requests(); !slices.Equal(got, []string{c.line}) {
				t.Errorf("requests %q", got)
			}
		})
	}
	_, err := s.Get(t.Context(), "absent", store.GetOptions{}, nil)
	wantKind(t, err, fault.NotFound)
	if n := len(f.Requests()); n != 1 {
		t.Errorf("%d requests for an absent key", n)
	}
}

// TestGzipIsReadAsStored checks that values with Content-Encoding gzip are read as stored. GCS
// decompresses them unless the request accepts gzip.
func TestGzipIsReadAsStored(t *testing.T) {
	noEnvironment(t)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(make([]byte, 5000))
	_ = z.Close()
	f := NewFake(t)
	f.Set("k", object{value: b.Bytes(), encoding: "gzip"})
	s := bare(t, f.At(""))
	for _, r := range []store.Range{{}, store.Suffix(7), store.Within(3, 9), store.From(4)} {
		off, n, _ := r.Resolve(int64(b.Len()))
		v, err := s.Get(t.Context(), "k", store.GetOptions{Range: r}, nil)
		if err != nil || !bytes.Equal(v.Bytes, b.Bytes()[off:off+n]) || v.Size != int64(b.Len()) {
			t.Errorf("%v: got %d bytes of %d, %v", r, len(v.Bytes), v.Size, err)
		}
	}
	// If a proxy nevertheless decompresses the value, the response must be rejected.
	f.Answer(fake.Page(200, "", "unpacked value", "X-Goog-Generation", "5", "X-Goog-Stored-Content-Length", "9", "X-Goog-Stored-Content-Encoding", "gzip"))
	_, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
	wantKind(t, err, fault.Unavailable)
}

// TestCutIsNotResumedBySDK checks that a truncated value is reported with its first bytes after one
// request. The SDK's reader alone would send another request.
func TestCutIsNotResumedBySDK(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	f.Set("k", object{value: bytes.Repeat([]byte("x"), 10_000)})
	f.Answer(func(w http.ResponseWriter, r *http.Request) bool { f.Cut(w, r); return true })
	s := bare(t, f.At(""))
	for _, r := range []store.Range{{}, store.Suffix(8000), store.Within(5, 8000)} {
		_, err := s.Get(t.Context(), "k", store.GetOptions{Range: r}, nil)
		wantKind(t, err, fault.Unavailable)
		var cut *store.TruncatedError
		_, n, _ := r.Resolve(10_000)
		if !errors.As(err, &cut) || cut.Want != n || int64(len(cut.Value.Bytes)) != n/2 || cut.Value.Size != 10_000 || cut.Value.Version == "" {
			t.Errorf("%v: got %+v", r, cut)
		}
		if got := f.Requests(); len(got) != 1 {
			t.Errorf("%v: requests %q", r, got)
		}
	}
	// The store resumes the read with the condition that the generation is unchanged.
	f.Answer(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Range") != "" {
			return false
		}
		f.Cut(w, r)
		return true
	})
	v, err := open(t, f.At("")).Get(t.Context(), "k", store.GetOptions{}, nil)
	if err != nil || len(v.Bytes) != 10_000 {
		t.Fatalf("got %d bytes, %v", len(v.Bytes), err)
	}
	if got := f.Requests(); len(got) != 2 || got[1] != "GET /zarr-test/k bytes=5000-9999" && got[1] != "GET /zarr-test/k bytes=5000-" {
		t.Errorf("requests %q", got)
	}
	if got := f.Header().Get("X-Goog-If-Generation-Match"); got != string(v.Version) {
		t.Errorf("resumed under the condition %q, not %q", got, v.Version)
	}
}

func TestAnnouncements(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	for _, c := range []struct {
		name   string
		status int
		body   string
		header []string
		r      store.Range
		max    int64
		want   error
	}{
		{"no generation", 200, "v", nil, store.Range{}, 0, fault.Unavailable},
		{"generation 0", 200, "v", []string{"X-Goog-Generation", "0"}, store.Range{}, 0, fault.Unavailable},
		{"other bytes", 206, "v", []string{"X-Goog-Generation", "5", "Content-Range", "bytes 3-3/9"}, store.Within(2, 1), 0, fault.Unavailable},
		{"fewer bytes", 206, "v", []string{"X-Goog-Generation", "5", "Content-Range", "bytes 2-2/9"}, store.Within(2, 2), 0, fault.Unavailable},
		{"no Content-Range", 206, "v", []string{"X-Goog-Generation", "5"}, store.Within(2, 1), 0, fault.Unavailable},
		{"bad Content-Range", 206, "v", []string{"X-Goog-Generation", "5", "Content-Range", "bytes -"}, store.Within(2, 1), 0, fault.Unavailable},
		{"size unknown", 206, "v", []string{"X-Goog-Generation", "5", "Content-Range", "bytes 2-2/*"}, store.Within(2, 1), 0, fault.Unavailable},
		{"range not asked for", 206, "v", []string{"X-Goog-Generation", "5", "Content-Range", "bytes 0-0/9"}, store.Range{}, 0, fault.Unavailable},
		{"shorter than the tail", 206, "v", []string{"X-Goog-Generation", "5", "Content-Range", "bytes 0-0/1"}, store.Suffix(2), 0, fault.Corrupt},
		{"too long", 200, "value", []string{"X-Goog-Generation", "5"}, store.Range{}, 4, fault.Limit},
		{"damaged", 200, "value", []string{"X-Goog-Generation", "5", "X-Goog-Hash", "crc32c=AAAAAA=="}, store.Range{}, 0, fault.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.Answer(fake.Page(c.status, "", c.body, c.header...))
			_, err := s.Get(t.Context(), "k", store.GetOptions{Range: c.r, Max: c.max}, nil)
			wantKind(t, err, c.want)
		})
	}
	t.Run("range ignored", func(t *testing.T) {
		f.Answer(fake.Page(200, "", "0123456789", "X-Goog-Generation", "5"))
		v, err := s.Get(t.Context(), "k", store.GetOptions{Range: store.Suffix(3)}, nil)
		if err != nil || string(v.Bytes) != "789" || v.Size != 10 {
			t.Errorf("got %q, %v", v.Bytes, err)
		}
	})
	t.Run("huge, range ignored", func(t *testing.T) {
		f.Answer(fake.Page(200, "", "0123456789", "X-Goog-Generation", "5", "Content-Length", strconv.FormatInt(1<<40, 10)))
		_, err := s.Get(t.Context(), "k", store.GetOptions{Range: store.Suffix(3)}, nil)
		wantKind(t, err, fault.Unavailable)
	})
}

func TestNoZeroLengthRead(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	f.Set("k", object{value: []byte("v")})
	s := bare(t, f.At(""))
	for _, r := range []store.Range{store.Within(0, 0), store.Suffix(0), store.Within(-1, 1)} {
		_, err := s.Get(t.Context(), "k", store.GetOptions{Range: r}, nil)
		wantKind(t, err, fault.Selection)
	}
	if n := len(f.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestCustomerKeyAndUserProject(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	key := bytes.Repeat([]byte{7}, 32)
	s := bare(t, f.At(""), EncryptionKey(key), UserProject("payer"))
	v, err := s.Put(t.Context(), "k", []byte("secret"), store.PutOptions{})
	if err != nil || f.Object("k").key == "" {
		t.Fatalf("%v, stored under %q", err, f.Object("k").key)
	}
	got, err := s.Get(t.Context(), "k", store.GetOptions{Range: store.Suffix(3), IfVersion: v}, nil)
	if err != nil || string(got.Bytes) != "ret" {
		t.Errorf("got %q, %v", got.Bytes, err)
	}
	if h := f.Header(); h.Get("X-Goog-User-Project") != "payer" || h.Get("X-Goog-Encryption-Key") != base64.StdEncoding.EncodeToString(key) {
		t.Errorf("header %v", h)
	}
	f.Requests()
	_ = fake.ListError(t.Context(), s, store.Deep)
	_ = s.Delete(t.Context(), "k2", store.DeleteOptions{})
	_, _ = s.Put(t.Context(), "k2", nil, store.PutOptions{})
	for _, line := range f.Requests() {
		if !bytes.Contains([]byte(line), []byte("userProject=payer")) {
			t.Errorf("nobody pays for %s", line)
		}
	}
	_, err = bare(t, f.At("")).Get(t.Context(), "k", store.GetOptions{}, nil)
	wantKind(t, err, fault.Refused)
}
