package deflate

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

func text(n int) []byte {
	var b []byte
	for i := 0; len(b) < n; i++ {
		b = fmt.Appendf(b, "%d is %x; ", i, i*i)
	}
	return b[:n]
}

// TestLevels checks that another implementation and this package decode the output of each level,
// and that the output is reproducible.
func TestLevels(t *testing.T) {
	open := map[Format]func(io.Reader) (io.Reader, error){
		Gzip: func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		Zlib: func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
	}
	src := text(20_000)
	for f, reader := range open {
		for level := -1; level <= 9; level++ {
			e := NewEncoder(f, level)
			first, err := e.Encode([]byte("before"), src)
			again, err2 := e.Encode(nil, src)
			if err != nil || err2 != nil || string(first) != "before"+string(again) {
				t.Fatalf("%v %d: %v, %v, or not the same twice", f, level, err, err2)
			}
			if got := len(again) >= len(src); got != (level == 0) {
				t.Errorf("%v %d: %d bytes became %d", f, level, len(src), len(again))
			}
			r, err := reader(bytes.NewReader(again))
			if err != nil {
				t.Fatalf("%v %d: %v", f, level, err)
			}
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, src) {
				t.Errorf("%v %d: read elsewhere: %d bytes, %v", f, level, len(got), err)
			}
			if got, err := Decode(f, nil, again, len(src)); err != nil || !bytes.Equal(got, src) {
				t.Errorf("%v %d: %d bytes, %v", f, level, len(got), err)
			}
		}
	}
}

// TestNoise checks that data without repetitions but with some rare byte values is compressed at
// every level except 0.
func TestNoise(t *testing.T) {
	src, x := make([]byte, 16<<10), uint32(1)
	for i := range src {
		x = x*1664525 + 1013904223
		src[i] = byte(x >> 24)
		if i%4 == 3 {
			src[i] &= 3
		}
	}
	for level := 1; level <= 9; level++ {
		out, err := NewEncoder(Zlib, level).Encode(nil, src)
		if err != nil || len(out) > len(src)*95/100 {
			t.Errorf("level %d: %d of %d bytes, %v", level, len(out), len(src), err)
		}
	}
}

func TestBadLevel(t *testing.T) {
	for _, f := range []Format{Gzip, Zlib} {
		if out, err := NewEncoder(f, 10).Encode([]byte("before"), []byte("x")); err == nil || string(out) != "before" {
			t.Errorf("%v: %q, %v", f, out, err)
		}
	}
}

func TestCorrupt(t *testing.T) {
	src := text(3000)
	for _, f := range []Format{Gzip, Zlib} {
		good, err := NewEncoder(f, 5).Encode(nil, src)
		if err != nil {
			t.Fatal(err)
		}
		flipped := bytes.Clone(good)
		flipped[len(flipped)-5] ^= 1 // gzip's CRC-32, or the byte before zlib's Adler-32
		tests := []struct {
			name  string
			in    []byte
			limit int
		}{
			{"nothing", nil, 3000},
			{"no header", []byte("nonsense, really"), 3000},
			{"half a header", good[:1], 3000},
			{"cut", good[:len(good)/2], 3000},
			{"without its checksum", good[:len(good)-1], 3000},
			{"another checksum", flipped, 3000},
			{"more after it", append(bytes.Clone(good), 0), 3000},
			{"one byte too many", good, 2999},
			{"no room at all", good, 0},
		}
		for _, tt := range tests {
			if _, err := Decode(f, nil, tt.in, tt.limit); !errors.Is(err, fault.Corrupt) {
				t.Errorf("%v, %s: %v", f, tt.name, err)
			}
		}
		// The reader must be usable after those errors.
		if got, err := Decode(f, []byte("before"), good, 3000); err != nil || string(got) != "before"+string(src) {
			t.Errorf("%v after errors: %d bytes, %v", f, len(got), err)
		}
	}
}
