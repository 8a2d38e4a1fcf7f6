package s3

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func TestRequestsPerGet(t *testing.T) { bothWays(t, testRequestsPerGet) }

func testRequestsPerGet(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, f.At("p"), way)
	if _, err := s.Put(t.Context(), "k", []byte("0123456789"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	f.Requests()
	for _, c := range []struct {
		name string
		r    store.Range
		want string
	}{
		{"whole", store.Range{}, "GET /zarr-test/p/k"},
		{"last is one request, and no HEAD", store.Suffix(3), "GET /zarr-test/p/k bytes=-3"},
		{"within", store.Within(2, 5), "GET /zarr-test/p/k bytes=2-6"},
		{"from", store.From(4), "GET /zarr-test/p/k bytes=4-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := s.Get(t.Context(), "k", store.GetOptions{Range: c.r}, nil)
			off, n, _ := c.r.Resolve(10)
			if err != nil || string(v.Bytes) != "0123456789"[off:off+n] || v.Size != 10 {
				t.Errorf("got %q of %d, %v", v.Bytes, v.Size, err)
			}
			if got := f.Requests(); !reflect.DeepEqual(got, []string{c.want}) {
				t.Errorf("requests %q", got)
			}
		})
	}
	for _, r := range []store.Range{store.Within(3, 0), store.Suffix(0), store.From(-1)} {
		if _, err := s.Get(t.Context(), "k", store.GetOptions{Range: r}, nil); !errors.Is(err, fault.Selection) {
			t.Errorf("%v: %v", r, err)
		}
	}
	if got := f.Requests(); len(got) != 0 {
		t.Errorf("a read of nothing sent %q", got)
	}
}

// TestGetHeader checks the conditions and encodings in the header of the request.
func TestGetHeader(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, f.At(""), RequesterPays())
	_, _ = s.Get(t.Context(), "k", store.GetOptions{IfNotVersion: `"v"`, Range: store.Suffix(1)}, nil)
	h := f.Header()
	for name, want := range map[string]string{
		"If-None-Match": `"v"`, "X-Amz-Request-Payer": "requester", "Accept-Encoding": "identity", "X-Amz-Checksum-Mode": "",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	s = bare(t, f.At(""), ChecksumValidation("when_supported"))
	_, _ = s.Get(t.Context(), "k", store.GetOptions{}, nil)
	if got := f.Header().Get("X-Amz-Checksum-Mode"); got != "ENABLED" {
		t.Errorf("checksum mode of a whole read is %q", got)
	}
	_, _ = s.Get(t.Context(), "k", store.GetOptions{Range: store.Suffix(1)}, nil)
	if got := f.Header().Get("X-Amz-Checksum-Mode"); got != "" {
		t.Errorf("checksum mode of a ranged read is %q", got)
	}
}

// ranged responds with a status, a Content-Range and a body.
func ranged(status int, contentRange, body string) func(http.ResponseWriter, *http.Request) bool {
	return fake.Page(status, "", body, "ETag", `"v"`, "Content-Range", contentRange)
}

func TestAnswersToRanges(t *testing.T) { bothWays(t, testAnswersToRanges) }

func testAnswersToRanges(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, f.At(""), way)
	for _, c := range []struct {
		name   string
		r      store.Range
		answer fake.Answer
		want   string
		err    error
	}{
		{"range ignored", store.Within(2, 3), fake.Page(200, "", "0123456789", "ETag", `"v"`), "234", nil},
		{"last ignored", store.Suffix(3), fake.Page(200, "", "0123456789", "ETag", `"v"`), "789", nil},
		{"range ignored, too short", store.Within(8, 3), fake.Page(200, "", "0123456789", "ETag", `"v"`), "", fault.Corrupt},
		{"as asked", store.Within(2, 3), ranged(206, "bytes 2-4/10", "234"), "234", nil},
		{"another range", store.Within(2, 3), ranged(206, "bytes 0-2/10", "012"), "", fault.Unavailable},
		{"fewer than there are", store.Within(2, 3), ranged(206, "bytes 2-3/10", "23"), "", fault.Unavailable},
		{"value too short", store.Within(2, 3), ranged(206, "bytes 2-3/4", "23"), "", fault.Corrupt},
		{"last of a value too short", store.Suffix(5), ranged(206, "bytes 0-3/4", "0123"), "", fault.Corrupt},
		{"length differs from the range", store.Within(2, 3), ranged(206, "bytes 2-4/10", "2345"), "", fault.Unavailable},
		{"size not told", store.Within(2, 3), ranged(206, "bytes 2-4/*", "234"), "", fault.Unavailable},
		{"empty, as MinIO says it", store.Suffix(3), ranged(206, "bytes 0--1/0", ""), "", fault.Corrupt},
		{"not empty", store.Suffix(3), ranged(206, "bytes 0--1/0", "234"), "", fault.Unavailable},
		{"no Content-Range", store.Within(2, 3), fake.Page(206, "", "234", "ETag", `"v"`), "", fault.Unavailable},
		{"part for the whole", store.Range{}, ranged(206, "bytes 0-3/10", "0123"), "", fault.Unavailable},
		{"no ETag", store.Range{}, fake.Page(200, "", "0123"), "", fault.Unavailable},
		{"no content", store.Range{}, fake.Page(204, "", "", "ETag", `"v"`), "", fault.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.Answer(c.answer)
			v, err := s.Get(t.Context(), "k", store.GetOptions{Range: c.r}, nil)
			if c.err == nil && (err != nil || string(v.Bytes) != c.want || v.Size != 10) {
				t.Errorf("got %q of %d, %v", v.Bytes, v.Size, err)
			}
			if c.err != nil {
				fake.WantKind(t, err, c.err)
			}
		})
	}
}

func TestCutBody(t *testing.T) { bothWays(t, testCutBody) }

func testCutBody(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	f.Answer(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("ETag", `"v"`)
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "0123")
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	_, err := bare(t, f.At(""), way).Get(t.Context(), "k", store.GetOptions{}, []byte("held "))
	fake.WantKind(t, err, fault.Unavailable)
	var cut *store.TruncatedError
	if !errors.As(err, &cut) {
		t.Fatalf("no TruncatedError in %v", err)
	}
	if string(cut.Value.Bytes) != "held 0123" || cut.Want != 10 || cut.Value.Size != 10 || cut.Value.Version != `"v"` {
		t.Errorf("got %+v", cut)
	}
}

// TestAnnouncedTooMuch checks that Get does not allocate memory for the whole declared length
// before it receives the body, and that a body longer than Max is not read.
func TestAnnouncedTooMuch(t *testing.T) { bothWays(t, testAnnouncedTooMuch) }

func testAnnouncedTooMuch(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	const claim int64 = 1 << 30
	f.Answer(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("ETag", `"v"`)
		w.Header().Set("Content-Length", strconv.FormatInt(claim, 10))
		io.WriteString(w, "0123")
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	s := bare(t, f.At(""), way)
	_, err := s.Get(t.Context(), "k", store.GetOptions{Max: 100}, nil)
	fake.WantKind(t, err, fault.Limit)
	before := allocated()
	_, err = s.Get(t.Context(), "k", store.GetOptions{}, nil)
	var cut *store.TruncatedError
	if !errors.As(err, &cut) || string(cut.Value.Bytes) != "0123" {
		t.Errorf("got %v", err)
	}
	if n := allocated() - before; n > 80<<20 {
		t.Errorf("%d MiB were allocated for 4 bytes", n>>20)
	}
}

func TestNoLength(t *testing.T) { bothWays(t, testNoLength) }

func testNoLength(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	body := strings.Repeat("0123456789", 1000)
	f.Answer(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("ETag", `"v"`)
		for i := range 10 {
			io.WriteString(w, body[i*1000:(i+1)*1000])
			http.NewResponseController(w).Flush()
		}
		return true
	})
	s := bare(t, f.At(""), way)
	v, err := s.Get(t.Context(), "k", store.GetOptions{Max: 10_000}, []byte("held "))
	if err != nil || string(v.Bytes) != "held "+body || v.Size != 10_000 {
		t.Errorf("got %d bytes of %d, %v", len(v.Bytes), v.Size, err)
	}
	_, err = s.Get(t.Context(), "k", store.GetOptions{Max: 9_999}, nil)
	fake.WantKind(t, err, fault.Limit)
	_, err = s.Get(t.Context(), "k", store.GetOptions{Range: store.Within(1, 2)}, nil)
	fake.WantKind(t, err, fault.Unavailable)
}

// TestGetAllocatesOnce checks that a read allocates the bytes of the value and no more.
func TestGetAllocatesOnce(t *testing.T) { bothWays(t, testGetAllocatesOnce) }

func testGetAllocatesOnce(t *testing.T, way Option) {
	credentialsForTests(t)
	const size = 16 << 20
	f := NewFake(t)
	s := bare(t, f.At(""), way)
	if _, err := s.Put(t.Context(), "k", bytes.Repeat([]byte{7}, size), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	before := allocated()
	if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	if n := allocated() - before; n > size+size/8 {
		t.Errorf("%d bytes allocated for a value of %d", n, size)
	}
	buf := make([]byte, 0, size)
	before = allocated()
	if _, err := s.Get(t.Context(), "k", store.GetOptions{}, buf); err != nil {
		t.Fatal(err)
	}
	if n := allocated() - before; n > size/8 {
		t.Errorf("%d bytes allocated beside the caller's buffer", n)
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
