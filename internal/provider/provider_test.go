package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

var form = Form{Scheme: "s3", Article: "an", Bucket: "bucket", Server: "an endpoint is a parameter", Secrets: "the environment"}

func TestParse(t *testing.T) {
	p, err := form.Parse("s3://b/a%20b/c/?x=1&y=%2F")
	if err != nil || p.Bucket != "b" || p.Prefix != "a b/c" || p.Query.Encode() != "x=1&y=%2F" {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestParseRefuses checks that errors mention the mistake and do not contain secrets.
func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, url, says string }{
		{"another scheme", "gs://b", `"gs"`},
		{"no bucket", "s3:///k", "s3://bucket/prefix"},
		{"opaque", "s3:b", "s3://bucket/prefix"},
		{"a port", "s3://b:1/k", "an endpoint is a parameter"},
		{"a user", "s3://me:hush@b", "credentials come from the environment"},
		{"a fragment", "s3://b/a#hush", "%23"},
		{"an escape", "s3://b/%zz", `"%zz"`},
		{"an escape in a password", "s3://me:hu%shush@b", "is malformed"},
		{"a password for a port", "s3://me:hush", "is malformed"},
		{"an escape in the parameters", "s3://b?x=%zz", `"%zz"`},
		{"an escape in a token", "s3://b?sig=%hush", "parameters of the URL are malformed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := form.Parse(c.url)
			var u *store.UsageError
			if !errors.As(err, &u) || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("%v does not say %q", err, c.says)
			}
			if strings.Contains(err.Error(), "hush") || strings.Contains(c.url, "hu") && strings.Contains(err.Error(), "%hu") {
				t.Errorf("the error contains the secret: %v", err)
			}
		})
	}
	if _, err := form.Parse("s3://b/a/../b"); !errors.Is(err, fault.Path) {
		t.Errorf("an unsafe prefix: %v", err)
	}
}

func TestParams(t *testing.T) {
	var region string
	var fips bool
	p := Params{
		Texts: map[string]*string{"region": &region}, Flags: map[string]*bool{"fips": &fips},
		Other: func(name, value string) (bool, error) {
			if name == "grpc" && value != "false" {
				return true, Usage("no grpc")
			}
			return name == "grpc", nil
		},
	}
	if err := p.Set(map[string][]string{"region": {"x"}, "fips": {"true"}, "grpc": {"false"}}); err != nil || region != "x" || !fips {
		t.Errorf("%q, %v, %v", region, fips, err)
	}
	for name, c := range map[string]struct {
		q    map[string][]string
		says string
	}{
		"twice":      {map[string][]string{"region": {"x", "y"}}, "2 times"},
		"not a flag": {map[string][]string{"fips": {"perhaps"}}, `"perhaps"`},
		"not known":  {map[string][]string{"regoin": {"x"}}, "unknown parameter regoin, must be one of region, fips"},
		"other":      {map[string][]string{"grpc": {"true"}}, "no grpc"},
	} {
		var u *store.UsageError
		if err := p.Set(c.q); !errors.As(err, &u) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, header, value string
		want                time.Duration
	}{
		{"none", "", "", 0},
		{"seconds", "Retry-After", " 7 ", 7 * time.Second},
		{"milliseconds", "X-Ms-Retry-After-Ms", "250", 250 * time.Millisecond},
		{"a date", "Retry-After", now.Add(time.Minute).Format(http.TimeFormat), time.Minute},
		{"a date that is past", "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT", 0},
		{"a date in a year", "Retry-After", now.AddDate(1, 0, 0).Format(http.TimeFormat), maxRetryAfter},
		{"seconds of a day", "Retry-After", "65535", maxRetryAfter},
		{"too much", "Retry-After", "99999999999", 0},
		{"negative", "Retry-After", "-1", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := RetryAfter(http.Header{c.header: {c.value}}, now); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestFailure(t *testing.T) {
	f := &Failure{Kind: fault.Throttled, Text: "S3 responded with 503", After: time.Second, Err: io.ErrNoProgress}
	err := fmt.Errorf("outer: %w", f)
	var wait interface{ RetryAfter() time.Duration }
	if !errors.Is(err, fault.Throttled) || !errors.Is(err, io.ErrNoProgress) || !errors.As(err, &wait) || wait.RetryAfter() != time.Second {
		t.Error(err)
	}
	if f.Error() != "throttled: S3 responded with 503; the server asks to wait 1s" {
		t.Error(f)
	}
	if f.Alone = true; f.Error() != "throttled: S3 responded with 503" {
		t.Error(f)
	}
	if Cause(fmt.Errorf("a: %w", errors.Join(fmt.Errorf("b: %w", io.EOF), io.ErrClosedPipe))) != io.EOF {
		t.Error("not the innermost cause")
	}
}

// TestOpen checks that the error of a context that has ended replaces other errors, and that a
// store opened with such a context is closed.
func TestOpen(t *testing.T) {
	closed := &closing{Store: mem.New()}
	c := &conf{s: closed}
	ctx, cancel := context.WithCancel(t.Context())
	if s, err := Open(ctx, c, c.fine); err != nil || bottom(s) != store.Store(closed) || closed.n != 0 {
		t.Errorf("%v, %v", s, err)
	}
	for name, f := range map[string]func() (store.Store, error){
		"read":    func() (store.Store, error) { return Open(ctx, c, func() error { return Usage("x") }) },
		"connect": func() (store.Store, error) { return Open(ctx, &conf{err: Usage("x")}, c.fine) },
		"build": func() (store.Store, error) {
			return Open(ctx, &conf{s: closed, stack: Stack{Retry: []retry.Option{retry.Tries(-1)}}}, c.fine)
		},
	} {
		var ke *fault.KeyError
		if s, err := f(); s != nil || !errors.As(err, &ke) || ke.Op != "open" || ke.Store != "s3://b" {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	closed.n = 0
	cancel()
	if s, err := Open(ctx, c, c.fine); s != nil || !errors.Is(err, context.Canceled) || closed.n != 1 {
		t.Errorf("%v, %v, closed %d times", s, err, closed.n)
	}
}

// conf is a Config that connects to a store, or fails.
type conf struct {
	s     store.Store
	err   error
	stack Stack
}

func (c *conf) fine() error                                  { return nil }
func (c *conf) Name() string                                 { return "s3://b" }
func (c *conf) Layers() *Stack                               { return &c.stack }
func (c *conf) Connect(context.Context) (store.Store, error) { return c.s, c.err }
func (c *conf) Shared() Bucket                               { return Bucket{Name: "b"} }

// bottom returns the store without layers.
func bottom(s store.Store) store.Store {
	for {
		w, ok := s.(store.Wrapper)
		if !ok {
			return s
		}
		s = w.Unwrap()
	}
}

type closing struct {
	store.Store
	n int
}

func (c *closing) Close() error { c.n++; return nil }

func TestReceive(t *testing.T) {
	a := Announced{Skip: 2, N: 4, Body: 8, Size: 8}
	v, err := a.Receive(strings.NewReader("01234567"), "v", store.GetOptions{}, []byte("held "))
	if err != nil || string(v.Bytes) != "held 2345" || v.Size != 8 || v.Version != "v" {
		t.Errorf("%q, %+v, %v", v.Bytes, v, err)
	}
	whole := Announced{N: 8, Body: 8, Size: 8}
	broken := errors.New("checksum")
	for _, c := range []struct {
		name string
		a    Announced
		body io.Reader
		max  int64
		want error
		cut  int // length of the value in a *store.TruncatedError; -1 for other results
	}{
		{"too much", whole, strings.NewReader("01234567"), 7, fault.Limit, -1},
		{"cut in what is skipped", a, strings.NewReader("0"), 0, fault.Unavailable, -1},
		{"cut", whole, strings.NewReader("012"), 0, fault.Unavailable, 3},
		{"longer", whole, strings.NewReader("012345678"), 0, fault.Unavailable, -1},
		{"damaged", whole, io.MultiReader(strings.NewReader("01234567"), iotest.ErrReader(broken)), 0, broken, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := c.a.Receive(c.body, "v", store.GetOptions{Max: c.max}, nil)
			if !errors.Is(err, c.want) || v.Bytes != nil {
				t.Fatalf("%q, %v", v.Bytes, err)
			}
			var cut *store.TruncatedError
			if errors.As(err, &cut) != (c.cut >= 0) || c.cut >= 0 && (len(cut.Value.Bytes) != c.cut || cut.Want != c.a.N) {
				t.Errorf("carries %+v", cut)
			}
		})
	}
}

func TestBounded(t *testing.T) {
	b, err := io.ReadAll(Bounded(io.NopCloser(bytes.NewReader(make([]byte, 100))), 10))
	if len(b) != 10 || err != nil {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

func TestRangeHeader(t *testing.T) {
	for want, r := range map[string]store.Range{
		"": {}, "bytes=5-": store.From(5), "bytes=5-8": store.Within(5, 4), "bytes=-3": store.Suffix(3),
	} {
		if got := RangeHeader(r); got != want {
			t.Errorf("%v: %q, want %q", r, got, want)
		}
	}
}

func FuzzContentRange(f *testing.F) {
	for _, s := range []string{"bytes 0-4/10", "bytes 0-0/1", "bytes */10", "bytes 5-4/10", "bytes 0-10/10", "", "bytes -1-2/3",
		"bytes 0-9/*", "bytes 0--1/0", "bytes 0-9223372036854775806/9223372036854775807", "bytes 1-2/99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		first, last, size, ok := ContentRange(s)
		if ok && (first < 0 || last < first || size <= last) {
			t.Errorf("%q: %d-%d/%d", s, first, last, size)
		}
		if again := fmt.Sprintf("bytes %d-%d/%d", first, last, size); ok && len(again) == len(s) && again != s {
			t.Errorf("%q is read as %q", s, again)
		}
	})
}
