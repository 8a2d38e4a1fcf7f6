package codectest

import (
	"bytes"
	"errors"
	"math"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// bytes checks a bytes-to-bytes codec without a chain.
func (r *report) bytes(c codec.BytesBytes) {
	for _, n := range []int64{0, 1, 1 << 20, math.MaxInt32, math.MaxInt64 - 1, math.MaxInt64} {
		if m := c.Worst(n); m < 0 || n < math.MaxInt64/4 && m > 4*n+1<<20 {
			r.addf("Worst(%d) is %d", n, m)
		}
		if m := c.EncodedSize(n); m < -1 {
			r.addf("EncodedSize(%d) is %d", n, m)
		}
	}
	for _, n := range []int{0, 1, 2, 7, 64, 1000, 5000, 70_001} {
		for kind := range contents {
			plain := r.content(kind, n)
			r.guard("codec", func() { r.bytesOne(c, plain) })
		}
	}
}

// mark is the value of bytes that must not be modified.
const mark = 0xa5

func (r *report) bytesOne(c codec.BytesBytes, plain []byte) {
	n, before := len(plain), bytes.Clone(plain)
	out, err := c.Encode([]byte("before"), plain)
	switch {
	case errors.Is(err, fault.Metadata) && r.size > 1 && n%r.size != 0:
		return // no array has this length, so the codec may reject it
	case err != nil:
		r.addf("encode %d bytes: %v", n, err)
		return
	case !bytes.HasPrefix(out, []byte("before")):
		r.addf("encode %d bytes: not appended", n)
		return
	case !bytes.Equal(plain, before):
		r.addf("encode %d bytes: modified its source", n)
		return
	}
	stored := out[len("before"):]
	if m := c.Worst(int64(n)); int64(len(stored)) > m {
		r.addf("%d bytes are encoded to %d, but Worst returns %d", n, len(stored), m)
	}
	if m := c.EncodedSize(int64(n)); m >= 0 && m != int64(len(stored)) {
		r.addf("%d bytes are encoded to %d, but EncodedSize returns %d", n, len(stored), m)
	}
	kept := bytes.Clone(stored)
	for _, limit := range []int{n, n + 1, 2*n + 100, math.MaxInt32} {
		got, err := c.Decode([]byte("x"), stored, limit)
		if err != nil || len(got) != n+1 || got[0] != 'x' || !bytes.Equal(got[1:], plain) {
			r.addf("decode to %d bytes with limit %d: %d bytes, %v", n, limit, len(got)-1, err)
		}
	}
	if n > 0 {
		for _, limit := range []int{0, n / 2, n - 1} {
			if _, err := c.Decode(nil, stored, limit); !errors.Is(err, fault.Corrupt) {
				r.addf("decode %d bytes with limit %d: %v, not fault.Corrupt", n, limit, err)
			}
		}
	}
	_ = r.place("decode", n, plain, stored, c) // reports its own errors
	if v, ok := c.(codec.View); ok {
		if got, err := v.DecodeView(stored); err != nil || !bytes.Equal(got, plain) {
			r.addf("view of %d bytes: %d bytes, %v", n, len(got), err)
		}
	}
	if !bytes.Equal(stored, kept) {
		r.addf("decode to %d bytes: modified its source", n)
	}
	if n > 1000 {
		return // damage to longer inputs finds no further errors
	}
	r.wreck(stored, func(what string, b []byte, invalid bool) {
		r.guard(what, func() {
			if err := r.place(what, n, nil, b, c); err == nil && invalid {
				r.addf("%d bytes, %s: no error", n, what)
			} else if err != nil && !kinded(err) {
				r.addf("%d bytes, %s: error without kind: %v", n, what, err)
			}
		})
	})
}

// place decodes stored into n bytes within a larger buffer. If want is not nil, the result must be
// equal to want. Otherwise place returns the error of the codec, or an error if the codec returns
// fewer than n bytes.
func (r *report) place(what string, n int, want, stored []byte, c codec.BytesBytes) error {
	buf := bytes.Repeat([]byte{mark}, n+64)
	got, err := c.Decode(buf[8:8:8+n], stored, n)
	if want != nil {
		switch {
		case err != nil || !bytes.Equal(got, want):
			r.addf("%s in place: %d of %d bytes, %v", what, len(got), n, err)
		case n > 0 && &got[0] != &buf[8]:
			r.addf("%s: the result is not in dst's array, which has capacity for its %d bytes", what, n)
		}
	}
	if err == nil && len(got) > n {
		r.addf("%s: decoded to %d bytes, want at most %d", what, len(got), n)
	}
	if !marked(buf[:8]) || !marked(buf[8+n:]) {
		r.addf("%s: modified bytes outside the %d bytes of dst", what, n)
	}
	if err == nil && len(got) < n {
		return fault.Newf(fault.Corrupt, "decoded to %d bytes, want %d", len(got), n)
	}
	return err
}

func marked(b []byte) bool {
	for _, c := range b {
		if c != mark {
			return false
		}
	}
	return true
}

// contents are the kinds of test content.
var contents = [...]string{"zeros", "smooth", "random", "sparse"}

// content returns n bytes of a kind, which is an index of contents.
func (r *report) content(kind, n int) []byte {
	b := make([]byte, n)
	switch contents[kind] {
	case "smooth":
		for i := range b {
			b[i] = byte(i / 16 >> (i % 4))
		}
	case "random":
		r.fill(b)
	case "sparse":
		for i := 0; i < n; i += 1 + r.rand.IntN(50) {
			b[i] = byte(r.rand.Uint32())
		}
	}
	return b
}
