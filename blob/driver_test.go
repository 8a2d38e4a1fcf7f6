package blob_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	gcblob "gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// coded is a driver's error with an error code.
type coded struct {
	code gcerrors.ErrorCode
	err  error
}

func (c *coded) Error() string { return fmt.Sprintf("%v (driver)", c.err) }
func (c *coded) Unwrap() error { return c.err }

func code(c gcerrors.ErrorCode) error { return &coded{c, errors.New(c.String())} }

// scripted is a driver with scripted results that records its calls.
type scripted struct {
	driver.Bucket
	calls []string

	err     error  // of every call except listings
	value   string // the value that reads return
	size    []int64
	sizes   int
	listing []string
	listErr error
}

func (d *scripted) note(format string, args ...any) {
	d.calls = append(d.calls, fmt.Sprintf(format, args...))
}

// announced returns the size in the next response: the values of d.size in turn, then the last
// value again.
func (d *scripted) announced() int64 {
	if len(d.size) == 0 {
		return int64(len(d.value))
	}
	n := d.size[min(d.sizes, len(d.size)-1)]
	d.sizes++
	return n
}

func (d *scripted) ErrorCode(err error) gcerrors.ErrorCode {
	var c *coded
	if errors.As(err, &c) {
		return c.code
	}
	return gcerrors.Unknown
}
func (d *scripted) As(any) bool             { return false }
func (d *scripted) ErrorAs(error, any) bool { return false }
func (d *scripted) Close() error            { return nil }

func (d *scripted) Attributes(_ context.Context, key string) (*driver.Attributes, error) {
	d.note("attributes %s", key)
	if d.err != nil {
		return nil, d.err
	}
	return &driver.Attributes{Size: d.announced()}, nil
}

func (d *scripted) ListPaged(_ context.Context, o *driver.ListOptions) (*driver.ListPage, error) {
	d.note("list %s", o.Prefix)
	page := &driver.ListPage{}
	for _, k := range d.listing {
		page.Objects = append(page.Objects, &driver.ListObject{Key: k})
	}
	return page, d.listErr
}

type scriptedReader struct {
	io.Reader
	size int64
}

func (r *scriptedReader) Close() error { return nil }
func (r *scriptedReader) As(any) bool  { return false }
func (r *scriptedReader) Attributes() *driver.ReaderAttributes {
	return &driver.ReaderAttributes{Size: r.size}
}

func (d *scripted) NewRangeReader(_ context.Context, key string, off, n int64, _ *driver.ReaderOptions) (driver.Reader, error) {
	d.note("read %s %d %d", key, off, n)
	if d.err != nil {
		return nil, d.err
	}
	v := d.value[min(off, int64(len(d.value))):]
	if n >= 0 {
		v = v[:min(n, int64(len(v)))]
	}
	return &scriptedReader{strings.NewReader(v), d.announced()}, nil
}

func (d *scripted) Delete(_ context.Context, key string, _ *driver.DeleteOptions) error {
	d.note("delete %s", key)
	return d.err
}

type scriptedWriter struct {
	d   *scripted
	key string
}

func (w *scriptedWriter) Write([]byte) (int, error) { w.d.note("stream %s", w.key); return 0, w.d.err }
func (w *scriptedWriter) Close() error              { return w.d.err }

// Upload returns nil and reports its error from Close, as all drivers of gocloud do.
func (w *scriptedWriter) Upload(r io.Reader) error {
	b, err := io.ReadAll(r)
	w.d.note("upload %s %q", w.key, b)
	return err
}

func (d *scripted) NewTypedWriter(_ context.Context, key, ctype string, o *driver.WriterOptions) (driver.Writer, error) {
	d.note("writer %s %s if absent %v", key, ctype, o.IfNotExist)
	return &scriptedWriter{d, key}, nil
}

func script(d *scripted, opts ...blob.Option) store.Store {
	return blob.New(gcblob.NewBucket(d), opts...)
}

func wantKind(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
	for _, k := range []error{
		fault.NotFound, fault.Exists, fault.Conflict, fault.Unchanged, fault.Path, fault.Corrupt, fault.Refused,
		fault.Throttled, fault.Unavailable, fault.Limit, fault.Selection, errors.ErrUnsupported,
	} {
		if k != want && errors.Is(err, k) {
			t.Errorf("got %v as well: %v", k, err)
		}
	}
	var ke *fault.KeyError
	if err != nil && !errors.As(err, &ke) {
		t.Errorf("not a KeyError: %v", err)
	}
}

// TestAbsenceIsProven checks that a driver's NotFound does not prove absence: gcsblob returns it
// for a 403, azureblob for an unknown host name, and all of them for a missing bucket.
func TestAbsenceIsProven(t *testing.T) {
	notFound := code(gcerrors.NotFound)
	dns := &coded{gcerrors.NotFound, &net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}}
	believe := blob.Classify(func(err error) error {
		if strings.Contains(err.Error(), "NotFound") {
			return fault.NotFound
		}
		return nil
	})
	for _, c := range []struct {
		name string
		d    scripted
		opts []blob.Option
		want error
		asks string // of the calls, the listing
	}{
		{"listed without it", scripted{err: notFound, listing: []string{"key2"}}, nil, fault.NotFound, "list key"},
		{"listed empty", scripted{err: notFound}, nil, fault.NotFound, "list key"},
		{"listed with it", scripted{err: notFound, listing: []string{"key"}}, nil, fault.Unavailable, "list key"},
		{"no bucket", scripted{err: notFound, listErr: notFound}, nil, fault.Refused, "list key"},
		{"listing refused", scripted{err: notFound, listErr: code(gcerrors.PermissionDenied)}, nil, fault.Refused, "list key"},
		{"listing throttled", scripted{err: notFound, listErr: code(gcerrors.ResourceExhausted)}, nil, fault.Throttled, "list key"},
		{"listing failed", scripted{err: notFound, listErr: code(gcerrors.Unknown)}, nil, fault.Unavailable, "list key"},
		{"no such host", scripted{err: dns}, nil, fault.Unavailable, ""},
		{"no such host, driver trusted", scripted{err: dns}, []blob.Option{blob.TrustNotFound()}, fault.Unavailable, ""},
		{"driver trusted", scripted{err: notFound, listErr: notFound}, []blob.Option{blob.TrustNotFound()}, fault.NotFound, ""},
		{"classified", scripted{err: notFound, listErr: notFound}, []blob.Option{believe}, fault.NotFound, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range []store.Range{{}, store.Within(0, 4), store.Suffix(4)} {
				c.d.calls = nil
				_, err := script(&c.d, c.opts...).Get(t.Context(), "key", store.GetOptions{Range: r}, nil)
				wantKind(t, err, c.want)
				if asked := slices.Contains(c.d.calls, "list key"); asked != (c.asks != "") {
					t.Errorf("%v: calls %q", r, c.d.calls)
				}
			}
			err := script(&c.d, c.opts...).Delete(t.Context(), "key", store.DeleteOptions{})
			if c.want == fault.NotFound {
				if err != nil {
					t.Errorf("deleting what is absent: %v", err)
				}
			} else {
				wantKind(t, err, c.want)
			}
		})
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		opts []blob.Option
		want error
	}{
		{"refused", code(gcerrors.PermissionDenied), nil, fault.Refused},
		{"throttled", code(gcerrors.ResourceExhausted), nil, fault.Throttled},
		{"unimplemented", code(gcerrors.Unimplemented), nil, errors.ErrUnsupported},
		{"unknown", code(gcerrors.Unknown), nil, fault.Unavailable},
		{"internal", code(gcerrors.Internal), nil, fault.Unavailable},
		{"a time limit of the driver's own", &coded{gcerrors.DeadlineExceeded, context.DeadlineExceeded}, nil, fault.Unavailable},
		{"classified", code(gcerrors.Unknown), []blob.Option{blob.Classify(func(error) error { return fault.Throttled })}, fault.Throttled},
		{"not classified", code(gcerrors.PermissionDenied), []blob.Option{blob.Classify(func(error) error { return nil })}, fault.Refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &scripted{err: c.err, listErr: c.err}
			s := script(d, c.opts...)
			_, err := s.Get(t.Context(), "key", store.GetOptions{}, nil)
			wantKind(t, err, c.want)
			if errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error matches the error of a context, which has not ended: %v", err)
			}
			_, err = s.Put(t.Context(), "key", nil, store.PutOptions{})
			wantKind(t, err, c.want)
			wantKind(t, s.Delete(t.Context(), "key", store.DeleteOptions{}), c.want)
			for _, err = range s.List(t.Context(), "", store.ListOptions{}) {
				wantKind(t, err, c.want)
			}
		})
	}
}

func TestIfAbsentExists(t *testing.T) {
	for _, c := range []gcerrors.ErrorCode{gcerrors.FailedPrecondition, gcerrors.AlreadyExists} {
		s := script(&scripted{err: code(c)})
		_, err := s.Put(t.Context(), "key", nil, store.PutOptions{IfAbsent: true})
		wantKind(t, err, fault.Exists)
		_, err = s.Put(t.Context(), "key", nil, store.PutOptions{})
		wantKind(t, err, fault.Unavailable)
	}
	_, err := script(&scripted{}, blob.NoIfAbsent()).Put(t.Context(), "key", nil, store.PutOptions{IfAbsent: true})
	wantKind(t, err, errors.ErrUnsupported)
}

// TestCalls checks the driver calls of each method: an upload instead of a stream, one read per
// range, and no read of an empty range.
func TestCalls(t *testing.T) {
	d := &scripted{value: "0123456789"}
	s := script(d)
	for _, c := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"put", func() error { _, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{}); return err },
			[]string{"writer k application/octet-stream if absent false", `upload k "v"`}},
		{"put if absent", func() error { _, err := s.Put(t.Context(), "k", nil, store.PutOptions{IfAbsent: true}); return err },
			[]string{"writer k application/octet-stream if absent true", `upload k ""`}},
		{"whole", func() error { return read(t, s, store.Range{}, "0123456789") }, []string{"read k 0 -1"}},
		{"within", func() error { return read(t, s, store.Within(2, 3), "234") }, []string{"read k 2 3"}},
		{"from", func() error { return read(t, s, store.From(7), "789") }, []string{"read k 7 -1"}},
		{"last", func() error { return read(t, s, store.Suffix(2), "89") }, []string{"attributes k", "read k 8 2"}},
		{"nothing", func() error {
			_, err := s.Get(t.Context(), "k", store.GetOptions{Range: store.Within(3, 0)}, nil)
			wantKind(t, err, fault.Selection)
			return nil
		}, nil},
		{"delete", func() error { return s.Delete(t.Context(), "k", store.DeleteOptions{}) }, []string{"delete k"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.calls = nil
			if err := c.do(); err != nil {
				t.Error(err)
			}
			if !slices.Equal(d.calls, c.want) {
				t.Errorf("calls %q, want %q", d.calls, c.want)
			}
		})
	}
}

func read(t *testing.T, s store.Store, r store.Range, want string) error {
	t.Helper()
	v, err := s.Get(t.Context(), "k", store.GetOptions{Range: r}, nil)
	if err == nil && (string(v.Bytes) != want || v.Size != 10) {
		t.Errorf("%v: %q of %d", r, v.Bytes, v.Size)
	}
	return err
}

// TestBrokenBodies checks the errors for drivers whose bodies do not match their announced size.
func TestBrokenBodies(t *testing.T) {
	for _, c := range []struct {
		name  string
		d     scripted
		r     store.Range
		most  int64
		want  error
		bytes string // that arrived
	}{
		{"shorter than announced", scripted{value: "0123", size: []int64{10}}, store.Range{}, 0, fault.Unavailable, "0123"},
		{"nothing arrives", scripted{value: "", size: []int64{10}}, store.Range{}, 0, fault.Unavailable, ""},
		{"longer than announced", scripted{value: "0123456789", size: []int64{4}}, store.Range{}, 0, fault.Unavailable, "-"},
		{"announces more than memory has", scripted{value: "0123", size: []int64{1 << 30}}, store.Range{}, 0, fault.Unavailable, "0123"},
		{"announces too much", scripted{value: "0123", size: []int64{1 << 50}}, store.Range{}, 1000, fault.Limit, "-"},
		{"announces less than nothing", scripted{value: "0123", size: []int64{-1}}, store.Range{}, 0, fault.Limit, "-"},
		{"range of a short value", scripted{value: "0123"}, store.Within(2, 3), 0, fault.Corrupt, "-"},
		{"grows while its tail is read", scripted{value: "0123456789", size: []int64{4, 5, 6, 7, 8, 9, 10}}, store.Suffix(2), 0, fault.Unavailable, "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := script(&c.d).Get(t.Context(), "key", store.GetOptions{Range: c.r, Max: c.most}, []byte("held"))
			wantKind(t, err, c.want)
			var cut *store.TruncatedError
			if errors.As(err, &cut) != (c.bytes != "-") {
				t.Fatalf("got %v", err)
			}
			if cut != nil && (string(cut.Value.Bytes) != "held"+c.bytes || cut.Want != c.d.size[0] || cut.Value.Size != c.d.size[0]) {
				t.Errorf("got %+v", cut)
			}
		})
	}
}

// TestLastOfReplaced checks that a suffix read is retried if the value is replaced by one of
// another size between its two requests.
func TestLastOfReplaced(t *testing.T) {
	d := &scripted{value: "0123456789", size: []int64{8, 10, 10}}
	v, err := script(d).Get(t.Context(), "k", store.GetOptions{Range: store.Suffix(3)}, nil)
	if err != nil || string(v.Bytes) != "789" || v.Size != 10 {
		t.Errorf("got %q of %d, %v; calls %q", v.Bytes, v.Size, err, d.calls)
	}
}
