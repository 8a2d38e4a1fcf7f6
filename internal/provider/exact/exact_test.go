package exact_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/zargo-io/zargo/internal/provider/exact"
	"github.com/zargo-io/zargo/zarr/fault"
)

func TestRead(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 100)
	for _, c := range []struct {
		name string
		buf  []byte
		r    io.Reader
		n    int64
		want string
		err  error
	}{
		{"all", nil, bytes.NewReader(data), 1000, string(data), nil},
		{"byte by byte", []byte("held"), iotest.OneByteReader(bytes.NewReader(data)), 1000, "held" + string(data), nil},
		{"end with the last byte", nil, iotest.DataErrReader(bytes.NewReader(data)), 1000, string(data), nil},
		{"nothing", []byte("held"), strings.NewReader("x"), 0, "held", nil},
		{"only some", nil, strings.NewReader("0123"), 2, "01", nil},
		{"cut", []byte("held"), strings.NewReader("0123"), 10, "held0123", io.ErrUnexpectedEOF},
		{"cut at once", nil, strings.NewReader(""), 10, "", io.ErrUnexpectedEOF},
		{"failed", nil, io.MultiReader(strings.NewReader("01"), iotest.ErrReader(iotest.ErrTimeout)), 10, "01", iotest.ErrTimeout},
		{"claims the impossible", nil, strings.NewReader("0123"), 1 << 50, "0123", io.ErrUnexpectedEOF},
		{"claims too much", []byte("held"), strings.NewReader("0123"), math.MaxInt64, "held", fault.Limit},
		{"claims less than nothing", nil, strings.NewReader("0123"), -1, "", fault.Limit},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.n == 1<<50 && math.MaxInt == math.MaxInt32 {
				c.want, c.err = "", fault.Limit
			}
			got, err := exact.Read(c.buf, c.r, c.n, false)
			if string(got) != c.want || !errors.Is(err, c.err) || (c.err == nil && err != nil) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// TestReadLong checks that a value that is too long to be allocated at once is read completely.
func TestReadLong(t *testing.T) {
	const n = 70 << 20
	got, err := exact.Read(nil, io.LimitReader(zeros{}, n), n, false)
	if err != nil || len(got) != n {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestEnd(t *testing.T) {
	if err := exact.End(strings.NewReader("")); err != nil {
		t.Error(err)
	}
	if err := exact.End(strings.NewReader("x")); !errors.Is(err, fault.Unavailable) {
		t.Error(err)
	}
	if err := exact.End(iotest.ErrReader(iotest.ErrTimeout)); !errors.Is(err, iotest.ErrTimeout) {
		t.Error(err)
	}
}
