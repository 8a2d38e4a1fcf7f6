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

// FuzzFilters checks that any configuration of any filter over any bytes yields an error with a
// kind or a whole chunk, and that a chunk that can be encoded can be decoded.
func FuzzFilters(f *testing.F) {
	filters := []string{"numcodecs.delta", "numcodecs.fixedscaleoffset", "numcodecs.quantize", "numcodecs.astype", "numcodecs.bitround", "numcodecs.packbits",
		"packbits", "bitround", "reshape", "scale_offset", "cast_value"}
	types := []dtype.Type{dtype.Bool, dtype.Int8, dtype.Uint16, dtype.Int32, dtype.Uint64, dtype.Float16, dtype.Float32, dtype.Float64, dtype.Complex64,
		dtype.DateTime{Unit: dtype.Second}, dtype.Int4, dtype.S(3), dtype.ComplexFloat6E2M3FN}
	for i, config := range []string{`{"dtype":"<i4","astype":">i8"}`, `{"offset":1,"scale":2.5,"dtype":"<f8","astype":"|u1"}`, `{"digits":3,"dtype":"<f4","astype":"<f2"}`,
		`{"encode_dtype":"<c16","decode_dtype":">u2"}`, `{"keepbits":3}`, `{}`, `{"padding_encoding":"last_byte","first_bit":1,"last_bit":4}`, `{"keepbits":9}`,
		`{"shape":[[0],-1,2]}`, `{"offset":-3,"scale":2}`, `{"data_type":"int8","rounding":"nearest-away","out_of_range":"wrap","scalar_map":{"encode":[[1,2]],"decode":[]}}`} {
		f.Add(byte(i), byte(3), byte(0), []byte(config), []byte("some stored bytes, more than a few, as many as a chunk may have"))
		f.Add(byte(i), byte(7), byte(1), []byte(config), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23})
	}
	f.Fuzz(func(t *testing.T, name, typ, place byte, config, data []byte) {
		in := codec.Repr{Shape: []int{2, 4}, Type: types[int(typ)%len(types)]}
		if place&2 != 0 {
			in.Fill = make([]byte, in.Type.Size())
		}
		spec := codec.Spec{Name: filters[int(name)%len(filters)], Config: json.RawMessage(config)}
		c, err := codec.Builtin().Bind(spec, in)
		if err != nil {
			if !errors.Is(err, fault.Metadata) && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fault.Limit) {
				t.Fatalf("bind: error without kind: %v", err)
			}
			return
		}
		serial := func(t dtype.Type) codec.Spec {
			if !t.HasOrder() {
				return codec.Bytes(dtype.NoOrder)
			}
			return codec.Bytes([]dtype.Order{dtype.Little, dtype.Big}[place>>2&1])
		}
		specs := []codec.Spec{spec}
		switch c := c.(type) {
		case codec.ArrayArray:
			specs = []codec.Spec{spec, serial(c.Out().Type)}
		case codec.Either:
			if specs = []codec.Spec{serial(in.Type), spec}; c.Array != nil && place&1 == 0 {
				specs = []codec.Spec{spec, serial(c.Array.Out().Type)}
			}
		}
		chain, err := codec.Builtin().Chain(specs, in)
		if err != nil {
			t.Fatal(err)
		}
		n := 8 * in.Type.Size()
		buf := bytes.Repeat([]byte{0xa5}, n+64)
		if err := chain.Decode(codec.Block{Bytes: buf[:n]}, data, nil); err != nil && !errors.Is(err, fault.Corrupt) {
			t.Fatalf("decode: error without kind: %v", err)
		}
		if !bytes.Equal(buf[n:], bytes.Repeat([]byte{0xa5}, 64)) {
			t.Fatal("bytes beyond the chunk were changed")
		}
		src := make([]byte, n)
		copy(src, data)
		in.Type.Canon(src)
		stored, err := chain.Encode(nil, codec.Block{Bytes: src}, nil)
		if err != nil {
			return
		}
		if m := chain.EncodedSize(); m >= 0 && m != int64(len(stored)) {
			t.Fatalf("%d bytes, %d were promised", len(stored), m)
		}
		if err := chain.Decode(codec.Block{Bytes: buf[:n]}, stored, nil); err != nil && (spec.Name != "cast_value" && spec.Name != "scale_offset") {
			t.Fatalf("decodes not what it encoded: %v", err)
		}
	})
}
