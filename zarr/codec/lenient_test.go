package codec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// decodings are the results of decoding a chunk by default, with a report function, and strictly.
type decodings struct {
	plain, strict error
	told          []rule.Finding
	got           [][]byte // by default and with the report
}

func decodeAll(t *testing.T, in codec.Repr, stored []byte, specs ...codec.Spec) (d decodings) {
	t.Helper()
	n, err := in.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	decode := func(table *codec.Table) error {
		c, err := table.Chain(specs, in)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, n)
		d.got = append(d.got, b)
		return c.Decode(codec.Block{Bytes: b}, stored, nil)
	}
	d.plain = decode(codec.Builtin())
	if err := decode(codec.Builtin().WithFindings(func(f rule.Finding) error { d.told = append(d.told, f); return nil })); !errors.Is(err, d.plain) && (err == nil) != (d.plain == nil) {
		t.Errorf("by default %v, with a report %v", d.plain, err)
	}
	d.strict = decode(codec.Builtin().WithFindings(func(f rule.Finding) error { return &rule.Error{Rule: f.Rule, Text: f.Text} }))
	d.got = d.got[:2]
	return d
}

// TestBytesAfterBlosc checks that padding of up to 16 elements after a blosc frame is ignored.
// Until 2021 z5 made blosc chunks 16 elements longer than the frame; zarr_implementations has some.
// numcodecs ignores any number of bytes after a frame, TensorStore none.
func TestBytesAfterBlosc(t *testing.T) {
	for _, typ := range []dtype.Type{dtype.Uint8, dtype.Int32, dtype.Float64} {
		in := codec.Repr{Shape: []int{512}, Type: typ}
		want := bytes.Repeat([]byte{1, 0, 0, 1, 0, 0, 1, 0}, 64*typ.Size())
		for _, spec := range []codec.Spec{codec.FromNumcodecs("blosc", json.RawMessage(`{"cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}`)), codec.Blosc(codec.BloscOptions{Level: codec.Stored})} {
			specs := []codec.Spec{codec.Bytes(dtype.Little), spec}
			frame, err := mustChain(t, in, specs...).Encode(nil, codec.Block{Bytes: want}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{0, 1, 16, 16 * typ.Size(), 16*typ.Size() + 1, 4096, len(frame)} {
				for _, more := range []byte{0, 0xa5} {
					d := decodeAll(t, in, append(slices.Clone(frame), bytes.Repeat([]byte{more}, n)...), specs...)
					switch {
					case n == 0:
						if d.plain != nil || d.strict != nil || len(d.told) != 0 {
							t.Errorf("%v, the frame alone: %v, %v, %v", typ, d.plain, d.strict, d.told)
						}
					case n > 16*typ.Size():
						if !errors.Is(d.plain, fault.Corrupt) || !errors.Is(d.strict, fault.Corrupt) || len(d.told) != 0 {
							t.Errorf("%v, %d bytes more: %v, %v, %v", typ, n, d.plain, d.strict, d.told)
						}
					case d.plain != nil || rule.Of(d.strict) != rule.TrailingBytes || len(d.told) != 1 || d.told[0].Rule != rule.TrailingBytes:
						t.Errorf("%v, %d bytes more: %v, %v, %v", typ, n, d.plain, d.strict, d.told)
					case !bytes.Equal(d.got[0], want) || !bytes.Equal(d.got[1], want):
						t.Errorf("%v, %d bytes more: other values", typ, n)
					}
				}
			}
			for _, n := range []int{1, 8, len(frame) / 2} { // a truncated frame is always corrupt
				if d := decodeAll(t, in, frame[:len(frame)-n], specs...); !errors.Is(d.plain, fault.Corrupt) {
					t.Errorf("%v, %d bytes less: %v", typ, n, d.plain)
				}
			}
		}
	}
}

// TestZerosAfterGzip checks that zeros after the last member are ignored, as in Python's gzip and
// numcodecs. TensorStore ignores them in v3 but not in v2. Other bytes are rejected, and so are
// zeros between members. Any bytes after zlib streams are ignored.
func TestZerosAfterGzip(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcdef"), 256)
	in := codec.Repr{Shape: []int{len(want)}, Type: dtype.Uint8}
	for _, spec := range []codec.Spec{codec.Gzip(5), codec.FromNumcodecs("gzip", json.RawMessage(`{"level":1}`))} {
		specs := []codec.Spec{codec.Bytes(dtype.NoOrder), spec}
		stream, err := mustChain(t, in, specs...).Encode(nil, codec.Block{Bytes: want}, nil)
		if err != nil {
			t.Fatal(err)
		}
		empty, err := mustChain(t, codec.Repr{Shape: []int{0}, Type: dtype.Uint8}, specs...).Encode(nil, codec.Block{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 2, 9, 10, 11, 512, 9000} {
			for name, before := range map[string][]byte{"one member": stream, "two members": slices.Concat(stream, empty)} {
				d := decodeAll(t, in, append(slices.Clone(before), make([]byte, n)...), specs...)
				if d.plain != nil || rule.Of(d.strict) != rule.TrailingBytes || len(d.told) != 1 || d.told[0].Rule != rule.TrailingBytes || !bytes.Equal(d.got[0], want) {
					t.Errorf("%s and %d zeros: %v, %v, %v", name, n, d.plain, d.strict, d.told)
				}
			}
		}
		for name, after := range map[string][]byte{
			"garbage": []byte("ab"), "zeros and garbage": {0, 0, 1}, "garbage and zeros": {1, 0, 0}, "half a header": stream[:5], "a header and zeros": append(slices.Clone(stream[:10]), 0, 0, 0, 0),
			"zeros between members": append([]byte{0, 0}, empty...), "a cut member": empty[:len(empty)-1],
		} {
			if d := decodeAll(t, in, slices.Concat(stream, after), specs...); !errors.Is(d.plain, fault.Corrupt) || len(d.told) != 0 {
				t.Errorf("%s: %v, %v", name, d.plain, d.told)
			}
		}
	}
	specs := []codec.Spec{codec.Bytes(dtype.NoOrder), codec.Zlib(1)}
	stream, err := mustChain(t, in, specs...).Encode(nil, codec.Block{Bytes: want}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []string{"\x00\x00", "garbage", string(stream)} { // numcodecs ignores all of them
		d := decodeAll(t, in, append(slices.Clone(stream), after...), specs...)
		if d.plain != nil || rule.Of(d.strict) != rule.TrailingBytes || len(d.told) != 1 || !bytes.Equal(d.got[0], want) {
			t.Errorf("zlib and %q: %v, %v, %v", after, d.plain, d.strict, d.told)
		}
	}
}

// TestLeniencesAreNotWritten checks that violations that are tolerated on reading are normalised or
// rejected in new metadata.
func TestLeniencesAreNotWritten(t *testing.T) {
	in := codec.Repr{Shape: []int{4}, Type: dtype.Int32, Fill: make([]byte, 4)}
	got, err := codec.Builtin().Normalize([]codec.Spec{{Name: "bytes"}}, in)
	if err != nil || string(got[0].Config) != `{"endian":"little"}` {
		t.Errorf("bytes: %v, %v", got, err)
	}
	if got, err := codec.Builtin().Normalize([]codec.Spec{codec.Bytes(dtype.Little), codec.Gzip(-1)}, in); !errors.Is(err, fault.Metadata) {
		t.Errorf("gzip of level -1: %v, %v", got, err)
	}
	if got, err := codec.Builtin().Normalize([]codec.Spec{{Name: "endian", Config: json.RawMessage(`{"endian":"little"}`)}}, in); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("endian: %v, %v", got, err)
	}
	shard := codec.Spec{Name: "sharding_indexed", Config: json.RawMessage(`{"chunk_shape":[2],"codecs":[{"name":"endian","configuration":{"endian":"big"}}],"index_codecs":["endian"]}`)}
	got, err = codec.Builtin().Normalize([]codec.Spec{shard}, in)
	if err != nil || bytes.Contains(got[0].Config, []byte(`"name":"endian"`)) || !bytes.Contains(got[0].Config, []byte(`"big"`)) {
		t.Errorf("a shard: %s, %v", got, err)
	}
}
