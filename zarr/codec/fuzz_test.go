package codec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// fuzzBytes decodes arbitrary stored bytes with a bytes-to-bytes codec for each configuration. The
// seeds are bytes that the codec encoded. Decoding must return an error with a kind or at most
// limit bytes. It must return the same result each time and must not modify bytes beyond the
// capacity.
func fuzzBytes(f *testing.F, id string, configs ...string) {
	in := codec.Repr{Shape: []int{100}, Type: dtype.Int32}
	var all []codec.BytesBytes
	for i, config := range configs {
		c, err := codec.Builtin().Bind(codec.FromNumcodecs(id, json.RawMessage(config)), in)
		if err != nil {
			f.Fatal(err)
		}
		b := c.(codec.BytesBytes)
		all = append(all, b)
		for _, n := range []int{0, 1, 100} {
			stored, err := b.Encode(nil, smooth(n))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(byte(i), uint16(4*n), stored)
		}
	}
	f.Fuzz(func(t *testing.T, i byte, size uint16, stored []byte) {
		c, n := all[int(i)%len(all)], int(size)
		buf := bytes.Repeat([]byte{0xa5}, n+64)
		out, err := c.Decode(buf[:0:n], stored, n)
		switch {
		case err == nil && len(out) > n:
			t.Fatalf("%d bytes, limit %d", len(out), n)
		case err != nil && !errors.Is(err, fault.Corrupt) && !errors.Is(err, errors.ErrUnsupported):
			t.Fatalf("error without kind: %v", err)
		}
		for _, b := range buf[n:] {
			if b != 0xa5 {
				t.Fatal("bytes beyond the capacity were changed")
			}
		}
		again, second := c.Decode(nil, stored, n)
		if (err == nil) != (second == nil) || err == nil && !bytes.Equal(again, out) {
			t.Fatalf("decoded differently: %v, then %v", err, second)
		}
	})
}

func FuzzBZ2(f *testing.F) { fuzzBytes(f, "bz2", `{"level":1}`) }

func FuzzLZ4(f *testing.F) { fuzzBytes(f, "lz4", `{}`) }

func FuzzBase64(f *testing.F) { fuzzBytes(f, "base64", `{}`) }

func FuzzShuffle(f *testing.F) {
	fuzzBytes(f, "shuffle", `{"elementsize":4}`, `{"elementsize":1}`, `{"elementsize":2}`)
}

func FuzzLZMA(f *testing.F) {
	fuzzBytes(f, "lzma", `{}`, `{"check":0}`, `{"check":10,"preset":1}`, `{"format":2}`,
		`{"format":3,"filters":[{"id":33,"preset":1}]}`,
		`{"format":3,"filters":[{"id":4611686018427387905,"lc":0,"lp":2,"pb":0}]}`,
		`{"format":3,"filters":[{"id":3,"dist":4},{"id":4},{"id":6},{"id":33}]}`,
		`{"filters":[{"id":5},{"id":7},{"id":8},{"id":33}]}`, `{"filters":[{"id":9,"start_offset":64},{"id":33}]}`)
}
