package stream

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestAppend checks that bytes are appended for any sequence of reads, and that one byte beyond the
// limit is an error.
func TestAppend(t *testing.T) {
	src := bytes.Repeat([]byte("zargo"), 1000)
	readers := map[string]func(io.Reader) io.Reader{
		"whole":            func(r io.Reader) io.Reader { return r },
		"byte by byte":     iotest.OneByteReader,
		"end with the end": iotest.DataErrReader,
	}
	for name, reader := range readers {
		var a Appender
		for _, limit := range []int{5000, 5001, 1 << 30} {
			got, err := a.Append([]byte("before"), reader(bytes.NewReader(src)), limit, 10)
			if err != nil || string(got) != "before"+string(src) {
				t.Errorf("%s, limit %d: %d bytes, %v", name, limit, len(got), err)
			}
		}
		for _, limit := range []int{0, 1, 4999} {
			got, err := a.Append(nil, reader(bytes.NewReader(src)), limit, 10)
			if err == nil || !strings.Contains(err.Error(), "more than") || len(got) > limit || cap(got) > limit {
				t.Errorf("%s, limit %d: %d bytes in room for %d, %v", name, limit, len(got), cap(got), err)
			}
		}
	}
}

// TestInPlace checks that nothing is allocated if dst has capacity, and that no other bytes are
// modified.
func TestInPlace(t *testing.T) {
	buf := []byte("..........")
	var a Appender
	got, err := a.Append(buf[2:2:10], strings.NewReader("zargo"), 5, 5)
	if err != nil || string(got) != "zargo" || &got[0] != &buf[2] || string(buf) != "..zargo..." {
		t.Errorf("%q in %q, %v", got, buf, err)
	}
}

// idle is a reader that never returns a byte.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestErrors(t *testing.T) {
	boom := errors.New("boom")
	var a Appender
	if got, err := a.Append(nil, io.MultiReader(strings.NewReader("za"), iotest.ErrReader(boom)), 10, 2); !errors.Is(err, boom) || string(got) != "za" {
		t.Errorf("an error after two bytes: %q, %v", got, err)
	}
	if _, err := a.Append(nil, idle{}, 10, 2); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("no progress: %v", err)
	}
	if err := NoEOF(io.EOF); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("end: %v", err)
	}
	if err := NoEOF(boom); !errors.Is(err, boom) {
		t.Errorf("error: %v", err)
	}
	if err := NoEOF(nil); err != nil {
		t.Errorf("none: %v", err)
	}
}
