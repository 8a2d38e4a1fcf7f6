package codectest_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/codectest"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestBuiltin runs the suite for every built-in codec, on arrays of different shapes.
func TestBuiltin(t *testing.T) {
	reprs := []codec.Repr{
		{Shape: []int{7, 5}, Type: dtype.Float32},
		{Shape: []int{}, Type: dtype.Int16},
		{Shape: []int{0, 4}, Type: dtype.Float64},
		{Shape: []int{33}, Type: dtype.Bool},
		{Shape: []int{3, 1, 4, 5}, Type: dtype.Complex128},
		{Shape: []int{70, 65}, Type: dtype.Uint8},
	}
	specs := []codec.Spec{
		codec.Bytes(dtype.Little), codec.Bytes(dtype.Big), codec.Gzip(5), codec.Gzip(0), codec.Zlib(1), codec.Zstd(3), {Name: "zstd", Config: json.RawMessage(`{"level":1,"checksum":true}`)}, codec.CRC32C(),
		{Name: "numcodecs.crc32c", Config: json.RawMessage(`{"location":"start"}`)},
		codec.Blosc(codec.BloscOptions{Cname: "lz4"}), codec.Blosc(codec.BloscOptions{Cname: "zstd", Shuffle: "bitshuffle"}), codec.Blosc(codec.BloscOptions{Cname: "lz4hc", Shuffle: "noshuffle"}),
		codec.Blosc(codec.BloscOptions{Cname: "zlib"}), codec.Blosc(codec.BloscOptions{Cname: "snappy"}), codec.Blosc(codec.BloscOptions{Level: codec.Stored}),
		{Name: "transpose", Config: json.RawMessage(`{"order":"F"}`)},
		codec.BZ2(1), codec.LZ4(1), codec.LZMA(1), codec.Base64(), codec.CRC32(), codec.Adler32(), codec.Fletcher32(), codec.JenkinsLookup3(7),
		{Name: "numcodecs.lzma", Config: json.RawMessage(`{"format":2}`)},
		{Name: "numcodecs.lzma", Config: json.RawMessage(`{"format":3,"filters":[{"id":3,"dist":4},{"id":33}]}`)},
		{Name: "numcodecs.shuffle", Config: json.RawMessage(`{"elementsize":1}`)},
		{Name: "numcodecs.gzip"}, {Name: "numcodecs.zstd"}, {Name: "numcodecs.blosc"},
	}
	for _, s := range specs {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			slow := s.Name == "numcodecs.bz2" || s.Name == "numcodecs.lzma"
			// Slow codecs are only checked for concurrent use. Sequential decoding of thousands of
			// damaged streams has no races.
			if slow && race.Enabled {
				if err := codectest.Together(codec.Builtin(), s, reprs[0]); err != nil {
					t.Error(err)
				}
				return
			}
			for i, in := range reprs {
				if i > 1 && slow || i > 0 && race.Enabled { // one array is enough to find races
					break
				}
				codectest.Run(t, codec.Builtin(), s, in)
			}
		})
	}
}

// bad is a bytes-to-bytes codec with one defect.
type bad struct {
	codec.BytesBytes
	encode func(c codec.BytesBytes, dst, src []byte) ([]byte, error)
	decode func(c codec.BytesBytes, dst, src []byte, limit int) ([]byte, error)
	most   int64
	size   func(n int64) int64
}

func (b bad) EncodedSize(n int64) int64 {
	if b.size != nil {
		return b.size(n)
	}
	return b.BytesBytes.EncodedSize(n)
}

func (b bad) Encode(dst, src []byte) ([]byte, error) {
	if b.encode != nil {
		return b.encode(b.BytesBytes, dst, src)
	}
	return b.BytesBytes.Encode(dst, src)
}

func (b bad) Decode(dst, src []byte, limit int) ([]byte, error) {
	if b.decode != nil {
		return b.decode(b.BytesBytes, dst, src, limit)
	}
	return b.BytesBytes.Decode(dst, src, limit)
}

func (b bad) Worst(n int64) int64 {
	if b.most > 0 {
		return b.most
	}
	return b.BytesBytes.Worst(n)
}

// TestCheckFinds checks that the suite detects defective codecs.
func TestCheckFinds(t *testing.T) {
	tests := []struct {
		name string
		bad  bad
		says string
	}{
		{"does not append", bad{encode: func(c codec.BytesBytes, dst, src []byte) ([]byte, error) { return c.Encode(nil, src) }}, "not appended"},
		{"changes its source", bad{encode: func(c codec.BytesBytes, dst, src []byte) ([]byte, error) {
			out, err := c.Encode(dst, src)
			clear(src)
			return out, err
		}}, "modified its source"},
		{"ignores the limit", bad{decode: func(c codec.BytesBytes, dst, src []byte, limit int) ([]byte, error) { return c.Decode(dst, src, 1<<20) }}, "not fault.Corrupt"},
		{"allocates anew", bad{decode: func(c codec.BytesBytes, dst, src []byte, limit int) ([]byte, error) {
			out, err := c.Decode(nil, src, limit)
			return append(append([]byte{}, dst...), out...), err
		}}, "not in dst's array"},
		{"error without kind", bad{decode: func(c codec.BytesBytes, dst, src []byte, limit int) ([]byte, error) {
			out, err := c.Decode(dst, src, limit)
			if err != nil {
				err = errors.New("oops")
			}
			return out, err
		}}, "without kind"},
		{"panics", bad{decode: func(c codec.BytesBytes, dst, src []byte, limit int) ([]byte, error) {
			out, err := c.Decode(dst, src, limit)
			if err != nil {
				panic("oops")
			}
			return out, err
		}}, "panic: oops"},
		{"forgives cut bytes", bad{decode: func(c codec.BytesBytes, dst, src []byte, limit int) ([]byte, error) {
			out, err := c.Decode(dst, src, limit)
			if err != nil && limit < 1<<20 {
				return append(dst, make([]byte, limit)...), nil
			}
			return out, err
		}}, "no error"},
		{"promises too little", bad{most: 10}, "Worst returns 10"},
		{"promises less than nothing", bad{size: func(int64) int64 { return -2 }}, "is -2"},
		{"promises another size", bad{size: func(n int64) int64 { return n + 5 }}, "EncodedSize returns"},
		{"promises far too much", bad{most: 1 << 40}, "Worst(0) is"},
		{"fails", bad{encode: func(c codec.BytesBytes, dst, src []byte) ([]byte, error) { return dst, errors.New("oops") }}, "encode 0 bytes: oops"},
		{"spoils what is stored", bad{decode: func(c codec.BytesBytes, dst, src []byte, limit int) ([]byte, error) {
			out, err := c.Decode(dst, src, limit)
			if err == nil && len(src) > 0 {
				src[0] ^= 1
			}
			return out, err
		}}, "modified its source"},
		{"loses a byte", bad{encode: func(c codec.BytesBytes, dst, src []byte) ([]byte, error) {
			return c.Encode(dst, src[:max(0, len(src)-1)])
		}}, "decode"},
	}
	in := codec.Repr{Shape: []int{10}, Type: dtype.Float32}
	for _, tt := range tests {
		inner, err := codec.Builtin().Bind(codec.CRC32C(), in)
		if err != nil {
			t.Fatal(err)
		}
		b := tt.bad
		b.BytesBytes = inner.(codec.BytesBytes)
		table := codec.Builtin().With("bad", func(json.RawMessage, codec.Repr) (any, error) { return b, nil })
		if err := codectest.Check(table, codec.Spec{Name: "bad"}, in); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: found %v, not %q", tt.name, err, tt.says)
		}
	}
	if err := codectest.Check(codec.Builtin(), codec.Spec{Name: "nonesuch"}, in); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("unknown codec: %v", err)
	}
	if err := codectest.Check(codec.Builtin(), codec.Gzip(42), in); !errors.Is(err, fault.Metadata) {
		t.Errorf("bad configuration: %v", err)
	}
}

// TestShuffle runs the suite only on arrays whose elements have the codec's element size, because
// the codec rejects partial elements.
func TestShuffle(t *testing.T) {
	for _, in := range []codec.Repr{{Shape: []int{7, 5}, Type: dtype.Float32}, {Shape: []int{3}, Type: dtype.Complex128}, {Shape: []int{9}, Type: dtype.Int16}} {
		codectest.Run(t, codec.Builtin(), codec.Shuffle(in.Type.Size()), in)
	}
}

// badArray is an array-to-array codec with one defect.
type badArray struct {
	codec.ArrayArray
	encode, decode func(c codec.ArrayArray, dst, src codec.Block) error
}

func (b badArray) Encode(dst, src codec.Block) error {
	if b.encode != nil {
		return b.encode(b.ArrayArray, dst, src)
	}
	return b.ArrayArray.Encode(dst, src)
}

func (b badArray) Decode(dst, src codec.Block) error {
	if b.decode != nil {
		return b.decode(b.ArrayArray, dst, src)
	}
	return b.ArrayArray.Decode(dst, src)
}

// TestCheckFindsInChains is TestCheckFinds for array-to-array codecs, which are only checked in
// chains.
func TestCheckFindsInChains(t *testing.T) {
	oops := func(codec.ArrayArray, codec.Block, codec.Block) error { return errors.New("oops") }
	tests := []struct {
		name string
		bad  badArray
		says string
	}{
		{"encodes nothing", badArray{encode: oops}, "encode: "},
		{"decodes nothing", badArray{decode: oops}, "concurrent decoding returned wrong elements"},
		{"panics", badArray{decode: func(codec.ArrayArray, codec.Block, codec.Block) error { panic("oops") }}, "panic: oops"},
		{"changes its source", badArray{encode: func(c codec.ArrayArray, dst, src codec.Block) error {
			err := c.Encode(dst, src)
			src.Bytes[0] ^= 1
			return err
		}}, "encode: modified its source"},
		{"loses a value", badArray{decode: func(c codec.ArrayArray, dst, src codec.Block) error {
			err := c.Decode(dst, src)
			dst.Bytes[0] ^= 1
			return err
		}}, "decode: equal false"},
	}
	in := codec.Repr{Shape: []int{3, 4}, Type: dtype.Int16}
	for _, tt := range tests {
		inner, err := codec.Builtin().Bind(codec.Transpose(1, 0), in)
		if err != nil {
			t.Fatal(err)
		}
		b := tt.bad
		b.ArrayArray = inner.(codec.ArrayArray)
		for form, made := range map[string]any{"array": b, "either": codec.Either{Array: b}} {
			table := codec.Builtin().With("bad", func(json.RawMessage, codec.Repr) (any, error) { return made, nil })
			if err := codectest.Check(table, codec.Spec{Name: "bad"}, in); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s, %s: found %v, not %q", tt.name, form, err, tt.says)
			}
		}
	}
	broken := codec.Builtin().With("bad", func(json.RawMessage, codec.Repr) (any, error) {
		inner, err := codec.Builtin().Bind(codec.Transpose(1, 0), in)
		return badArray{ArrayArray: inner.(codec.ArrayArray), decode: oops}, err
	})
	if err := codectest.CheckLossy(broken, codec.Spec{Name: "bad"}, in); err == nil || !strings.Contains(err.Error(), "round trip: ") {
		t.Errorf("lossy: found %v", err)
	}
}

// TestLossy checks that a codec that rounds passes CheckLossy and fails Check.
func TestLossy(t *testing.T) {
	in := codec.Repr{Shape: []int{5, 6}, Type: dtype.Float32}
	codectest.RunLossy(t, codec.Builtin(), codec.BitRound(3), in)
	if err := codectest.Check(codec.Builtin(), codec.BitRound(3), in); err == nil {
		t.Error("rounding was not detected")
	}
}

// TestItems runs the suite on elements of varying length.
func TestItems(t *testing.T) {
	codectest.Run(t, codec.Builtin(), codec.Spec{Name: "vlen-bytes"}, codec.Repr{Shape: []int{4, 3}, Type: dtype.Bytes})
}
