package codec_test

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/codectest"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

func raw(name, config string) codec.Spec {
	return codec.Spec{Name: name, Config: json.RawMessage(config)}
}

func array(n int, t dtype.Type) codec.Repr { return codec.Repr{Shape: []int{n}, Type: t} }

// TestFilters runs the suite over every filter, in both positions if it has two.
func TestFilters(t *testing.T) {
	tests := []struct {
		spec codec.Spec
		in   codec.Repr
	}{
		{codec.Delta(dtype.Int16, nil), codec.Repr{Shape: []int{7, 5}, Type: dtype.Int16}},
		{codec.Delta(dtype.Uint8, dtype.Int32), array(33, dtype.Uint8)},
		{raw("numcodecs.delta", `{"dtype":"<i8","astype":">i8"}`), array(1100, dtype.DateTime{Unit: dtype.Second})},
		{codec.AsType(dtype.Uint8, dtype.Int64), array(70, dtype.Uint8)},
		{raw("numcodecs.astype", `{"encode_dtype":">f8"}`), array(0, dtype.Float64)},
		{codec.PackBools(), array(43, dtype.Bool)},
		{codec.PackBools(), codec.Repr{Shape: []int{}, Type: dtype.Bool}},
		{codec.Reshape([]int{0, 1}, -1, 1), codec.Repr{Shape: []int{3, 4, 5}, Type: dtype.Float32}},
		{codec.Reshape(), codec.Repr{Shape: []int{1, 1}, Type: dtype.Float32}},
		{codec.Reshape(-1), codec.Repr{Shape: []int{2, 3}, Type: dtype.String}},
		{codec.PackBits(), array(43, dtype.Bool)},
		{codec.PackBits(), array(9, dtype.Int4)},
		{codec.PackBits(), array(9, dtype.ComplexFloat6E2M3FN)},
		{codec.PackBits(), array(9, dtype.Complex128)},
		{raw("packbits", `{"padding_encoding":"first_byte"}`), array(5, dtype.Uint2)},
		{raw("packbits", `{"padding_encoding":"last_byte","first_bit":null}`), array(5, dtype.Float6E3M2FN)},
		{codec.CastValue(codec.CastValueOptions{Type: dtype.Int64}), array(600, dtype.Uint16)},
	}
	for _, tt := range tests {
		if tt.spec.Name == "reshape" && tt.in.Type == dtype.String {
			chain, err := codec.Builtin().Chain([]codec.Spec{tt.spec, {Name: "vlen-utf8"}}, tt.in)
			if err != nil {
				t.Fatal(err)
			}
			roundTrip(t, chain, codec.Block{Items: [][]byte{{1}, {2}, nil, {}, {3, 4}, {5}}})
			continue
		}
		codectest.Run(t, codec.Builtin(), tt.spec, tt.in)
	}
	lossy := []struct {
		spec codec.Spec
		in   codec.Repr
	}{
		{codec.Delta(dtype.Bool, nil), array(40, dtype.Bool)},
		{codec.AsType(dtype.Int64, dtype.Int16), array(40, dtype.Int64)},
		{codec.FixedScaleOffset(0, 1, dtype.Int32, dtype.Int16), array(40, dtype.Int32)},
		{codec.BitRound(7), codec.Repr{Shape: []int{3, 1100}, Type: dtype.Uint32}},
		{codec.BitRound(3), array(40, dtype.Complex64)},
		{codec.BitRound(3), array(40, dtype.BFloat16)},
		{codec.BitRound(1), array(40, dtype.Int8)},
		{codec.BitRound(60), array(40, dtype.TimeDelta{Unit: dtype.Day})},
		{raw("numcodecs.bitround", `{"keepbits":0}`), array(40, dtype.Float16)},
		{codec.Spec{Name: "packbits", Config: json.RawMessage(`{"first_bit":3,"last_bit":5}`)}, array(40, dtype.Int16)},
		{codec.CastValue(codec.CastValueOptions{Type: dtype.Int8, OutOfRange: "wrap"}), array(40, dtype.Int32)},
		{codec.CastValue(codec.CastValueOptions{Type: dtype.Int8, OutOfRange: "clamp"}), array(40, dtype.Uint64)},
	}
	for _, tt := range lossy {
		codectest.RunLossy(t, codec.Builtin(), tt.spec, tt.in)
		if err := codectest.Check(codec.Builtin(), tt.spec, tt.in); err == nil {
			t.Errorf("%v of %v loses nothing: it belongs to the others", tt.spec, tt.in.Type)
		}
	}
}

func roundTrip(t *testing.T, c *codec.Chain, src codec.Block) {
	t.Helper()
	stored, err := c.Encode(nil, src, nil)
	if err != nil {
		t.Fatal(err)
	}
	dst := codec.Block{Bytes: make([]byte, len(src.Bytes)), Items: make([][]byte, len(src.Items))}
	if err := c.Decode(dst, stored, nil); err != nil || string(dst.Bytes) != string(src.Bytes) || !slices.EqualFunc(dst.Items, src.Items, slices.Equal) {
		t.Errorf("%v, want %v (%v)", dst, src, err)
	}
}

// floats returns numbers in memory form.
func floats[T float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](v ...T) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return b
}

// TestFilterBytes compares filters with the bytes that numcodecs 0.16.6 stores. The filters are
// after "bytes", as in v2.
func TestFilterBytes(t *testing.T) {
	tests := []struct {
		name   string
		spec   codec.Spec
		typ    dtype.Type
		array  []byte
		stored string
		back   []byte
	}{
		{"delta wraps", raw("numcodecs.delta", `{"dtype":"|u1"}`), dtype.Uint8, floats[uint8](5, 3, 255), "05fefc", nil},
		{"delta big-endian", raw("numcodecs.delta", `{"dtype":"<i2","astype":">i4"}`), dtype.Int16, floats[int16](1, -1, 7), "00000001fffffffe00000008", nil},
		{"delta of truth", raw("numcodecs.delta", `{"dtype":"|b1"}`), dtype.Bool, []byte{1, 1, 0, 0, 1}, "0100010001", []byte{1, 1, 1, 1, 1}},
		{"scale", raw("numcodecs.fixedscaleoffset", `{"offset":1000,"scale":10,"dtype":"<f8","astype":"|u1"}`), dtype.Float64,
			floats(1000, 1000.05, 1000.15, 1000.25, 1001), "000001020a", floats(1000, 1000, 1000.1, 1000.2, 1001.0)},
		{"scale whole numbers", raw("numcodecs.fixedscaleoffset", `{"offset":7,"scale":2,"dtype":"|u1"}`), dtype.Uint8, floats[uint8](7, 8, 3, 200), "0002f882", []byte{7, 8, 131, 72}},
		{"scale without astype", raw("numcodecs.fixedscaleoffset", `{"offset":0.5,"scale":1,"dtype":"<f4"}`), dtype.Float32, floats[float32](1, 2), "0000000000000040", floats[float32](0.5, 2.5)},
		{"quantize", raw("numcodecs.quantize", `{"digits":1,"dtype":"<f8","astype":"<f4"}`), dtype.Float64, floats(0, 1./9, 2./9), "000000000000003e0000803e", floats(0, 0.125, 0.25)},
		{"bits of infinity and NaN", raw("numcodecs.bitround", `{"keepbits":0}`), dtype.Float32,
			floats(float32(math.Inf(1)), math.Float32frombits(0x7fffffff), math.Float32frombits(0x7f7fffff), 1.5, -1.5), "0000807f000000800000807f00000040000000c0",
			floats(float32(math.Inf(1)), math.Float32frombits(0x80000000), float32(math.Inf(1)), 2, -2)},
		{"bits", raw("numcodecs.packbits", `{}`), dtype.Bool, []byte{1, 0, 0, 1}, "0490", nil},
		{"astype", raw("numcodecs.astype", `{"encode_dtype":"<i2","decode_dtype":"<f8"}`), dtype.Float64, floats(1.9, -1.9, 70000, math.NaN(), 1e10), "0100ffff701100000000",
			floats(1, -1, 4464.0, 0, 0)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			serial := codec.Bytes(dtype.Little)
			if !tt.typ.HasOrder() {
				serial = codec.Bytes(dtype.NoOrder)
			}
			chain, err := codec.Builtin().Chain([]codec.Spec{serial, tt.spec}, array(len(tt.array)/tt.typ.Size(), tt.typ))
			if err != nil {
				t.Fatal(err)
			}
			stored, err := chain.Encode(nil, codec.Block{Bytes: tt.array}, nil)
			if err != nil || hex.EncodeToString(stored) != tt.stored {
				t.Errorf("stored %x, want %s (%v)", stored, tt.stored, err)
			}
			want := tt.back
			if want == nil {
				want = tt.array
			}
			got := make([]byte, len(tt.array))
			if err := chain.Decode(codec.Block{Bytes: got}, stored, nil); err != nil || string(got) != string(want) {
				t.Errorf("decoded %x, want %x (%v)", got, want, err)
			}
		})
	}
}

// TestFilterPlaces checks that a filter stores the same bytes before and after "bytes", and that
// each filter of a chain views the output of the previous one.
func TestFilterPlaces(t *testing.T) {
	delta, cast, round := raw("numcodecs.delta", `{"dtype":"<i4"}`), raw("numcodecs.astype", `{"encode_dtype":"<f4","decode_dtype":"<i4"}`), raw("numcodecs.bitround", `{"keepbits":2}`)
	in := array(4, dtype.Int32)
	src := codec.Block{Bytes: floats[int32](100, 205, 103, 104)}
	var stored [][]byte
	for _, specs := range [][]codec.Spec{
		{delta, cast, round, codec.Bytes(dtype.Little)},
		{codec.Bytes(dtype.Little), delta, cast, round},
		{delta, codec.Bytes(dtype.Little), cast, round},
	} {
		chain, err := codec.Builtin().Chain(specs, in)
		if err != nil {
			t.Fatal(err)
		}
		b, err := chain.Encode(nil, src, nil)
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, b)
	}
	if want := floats[float32](96, 112, -96, 1); string(stored[0]) != string(want) {
		t.Errorf("stored %x, want %x", stored[0], want)
	}
	if string(stored[0]) != string(stored[1]) || string(stored[0]) != string(stored[2]) {
		t.Errorf("places differ: %x", stored)
	}
	if _, err := codec.Builtin().Chain([]codec.Spec{delta, codec.Bytes(dtype.Little)}, array(4, dtype.Int64)); !errors.Is(err, fault.Metadata) {
		t.Errorf("int32 differences of int64: %v", err)
	}
}

// TestFilterRefuses checks that invalid configurations and types without arithmetic are rejected.
func TestFilterRefuses(t *testing.T) {
	f8 := array(4, dtype.Float64)
	tests := []struct {
		spec codec.Spec
		in   codec.Repr
		kind error
	}{
		{raw("numcodecs.delta", `{}`), f8, fault.Metadata},
		{raw("numcodecs.delta", `{"dtype":"<f8","x":1}`), f8, fault.Metadata},
		{raw("numcodecs.delta", `{"dtype":7}`), f8, fault.Metadata},
		{raw("numcodecs.delta", `{"dtype":"<f99999999999999999999"}`), f8, fault.Metadata},
		{raw("numcodecs.delta", `{"dtype":"<U4"}`), f8, errors.ErrUnsupported},
		{raw("numcodecs.delta", `{"dtype":"<M8[s]","astype":"<f8"}`), f8, fault.Metadata},
		{raw("numcodecs.delta", `[]`), f8, fault.Metadata},
		{raw("numcodecs.fixedscaleoffset", `{"scale":1,"dtype":"<f8"}`), f8, fault.Metadata},
		{raw("numcodecs.fixedscaleoffset", `{"offset":0,"scale":0,"dtype":"<f8"}`), f8, fault.Metadata},
		{raw("numcodecs.fixedscaleoffset", `{"offset":0,"scale":0.0}`), f8, fault.Metadata},
		{raw("numcodecs.fixedscaleoffset", `{"offset":0,"scale":"NaN"}`), f8, fault.Metadata},
		{raw("numcodecs.fixedscaleoffset", `{"offset":1e999,"scale":1}`), f8, fault.Metadata},
		{raw("numcodecs.fixedscaleoffset", `{"offset":0,"scale":1}`), array(4, dtype.Complex64), errors.ErrUnsupported},
		{raw("numcodecs.fixedscaleoffset", `{"offset":0,"scale":1}`), array(4, dtype.String), errors.ErrUnsupported},
		{raw("numcodecs.quantize", `{"dtype":"<f8"}`), f8, fault.Metadata},
		{raw("numcodecs.quantize", `{"digits":400}`), f8, fault.Metadata},
		{raw("numcodecs.quantize", `{"digits":2,"astype":"<i4"}`), f8, fault.Metadata},
		{raw("numcodecs.quantize", `{"digits":2}`), array(4, dtype.U(3)), errors.ErrUnsupported},
		{raw("numcodecs.astype", `{}`), f8, fault.Metadata},
		{raw("numcodecs.astype", `{"encode_dtype":"<f4","decode_dtype":"<m8[s]"}`), array(4, dtype.TimeDelta{Unit: dtype.Second}), fault.Metadata},
		{raw("numcodecs.bitround", `{}`), f8, fault.Metadata},
		{raw("numcodecs.bitround", `{"keepbits":-1}`), f8, fault.Metadata},
		{raw("bitround", `{"keepbits":0}`), f8, fault.Metadata},
		{raw("bitround", `{"keepbits":1}`), array(4, dtype.String), errors.ErrUnsupported},
		{raw("numcodecs.packbits", `{"x":1}`), array(4, dtype.Bool), fault.Metadata},
		{raw("packbits", `{"padding_encoding":"middle"}`), f8, fault.Metadata},
		{raw("packbits", `{"first_bit":64}`), f8, fault.Metadata},
		{raw("packbits", `{"first_bit":5,"last_bit":4}`), f8, fault.Metadata},
		{raw("packbits", `{}`), array(4, dtype.S(3)), errors.ErrUnsupported},
		{raw("packbits", `{}`), codec.Repr{Shape: []int{1 << 30, 1 << 29}, Type: dtype.Uint8}, fault.Limit},
		{raw("scale_offset", `{"offset":0,"scale":0}`), f8, fault.Metadata},
		{raw("scale_offset", `{"scale":"NaN"}`), f8, fault.Metadata},
		{raw("scale_offset", `{"scale":1,"astype":"<f4"}`), f8, fault.Metadata},
		{raw("scale_offset", `{"scale":0}`), array(4, dtype.Int8), fault.Metadata},
		{raw("scale_offset", `{"offset":300}`), array(4, dtype.Uint8), fault.Metadata},
		{raw("scale_offset", `{}`), array(4, dtype.Bool), errors.ErrUnsupported},
		{raw("cast_value", `{}`), f8, fault.Metadata},
		{raw("cast_value", `{"data_type":"bool"}`), f8, errors.ErrUnsupported},
		{raw("cast_value", `{"data_type":"uint8","rounding":"up"}`), f8, fault.Metadata},
		{raw("cast_value", `{"data_type":"float32","out_of_range":"wrap"}`), f8, fault.Metadata},
		{raw("cast_value", `{"data_type":"uint8","scalar_map":{"encode":[[1]]}}`), f8, fault.Metadata},
		{raw("cast_value", `{"data_type":"uint8","scalar_map":{"encode":[[1,256]]}}`), f8, fault.Metadata},
		{raw("cast_value", `{"data_type":"uint8","scalar_map":{"sideways":[]}}`), f8, fault.Metadata},
		{raw("cast_value", `{"data_type":"uint8","scalar_map":[]}`), f8, fault.Metadata},
		{raw("cast_value", `{"data_type":"uint8","scalar_map":{"decode":7}}`), f8, fault.Metadata},
		{raw("cast_value", `{"data_type":"uint8"}`), codec.Repr{Shape: []int{4}, Type: dtype.Float64, Fill: floats(math.NaN())}, fault.Metadata},
		{codec.Spec{Name: "zfp"}, f8, errors.ErrUnsupported},
		{codec.Spec{Name: "numcodecs.zfpy"}, f8, errors.ErrUnsupported},
		{codec.Spec{Name: "numcodecs.pcodec"}, f8, errors.ErrUnsupported},
	}
	for _, tt := range tests {
		if _, err := codec.Builtin().Bind(tt.spec, tt.in); !errors.Is(err, tt.kind) {
			t.Errorf("%v of %v: %v, want %v", tt.spec, tt.in.Type, err, tt.kind)
		}
	}
}

// TestOnlyDecodes checks that configurations that numcodecs can decode but not encode are
// read-only.
func TestOnlyDecodes(t *testing.T) {
	for _, tt := range []struct {
		spec codec.Spec
		typ  dtype.Type
	}{
		{raw("numcodecs.fixedscaleoffset", `{"offset":1000,"scale":1}`), dtype.Uint8},
		{raw("numcodecs.fixedscaleoffset", `{"offset":0,"scale":-1}`), dtype.Uint32},
		{raw("numcodecs.fixedscaleoffset", `{"offset":0,"scale":99999999999999999999}`), dtype.Int64},
		{raw("numcodecs.bitround", `{"keepbits":30}`), dtype.Float32},
		{raw("numcodecs.bitround", `{"keepbits":3}`), dtype.Int32},
		{raw("bitround", `{"keepbits":3}`), dtype.S(5)},
	} {
		serial := codec.Bytes(dtype.NoOrder)
		if tt.typ.HasOrder() {
			serial = codec.Bytes(dtype.Little)
		}
		for _, specs := range [][]codec.Spec{{tt.spec, serial}, {serial, tt.spec}} {
			chain, err := codec.Builtin().Chain(specs, array(3, tt.typ))
			if err != nil {
				t.Fatal(err)
			}
			b := codec.Block{Bytes: make([]byte, 3*tt.typ.Size())}
			if err := chain.Decode(b, make([]byte, 3*tt.typ.Size()), nil); err != nil {
				t.Errorf("%v: %v", tt.spec, err)
			}
			if _, err := chain.Encode(nil, b, nil); !errors.Is(err, fault.Metadata) && !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%v encodes: %v", tt.spec, err)
			}
		}
	}
}

// TestKeepAllBits checks that the registry's bitround accepts more bits than the numbers have.
func TestKeepAllBits(t *testing.T) {
	for _, tt := range []struct {
		typ   dtype.Type
		array []byte
	}{
		{dtype.Float32, floats[float32](0.1, -1e-45, float32(math.Inf(1)))},
		{dtype.Float64, floats(0.1, math.NaN(), math.Copysign(0, -1))},
		{dtype.Int8, floats[int8](-128, 127, -1)},
	} {
		chain, err := codec.Builtin().Chain([]codec.Spec{raw("bitround", `{"keepbits":64}`), {Name: "bytes", Config: json.RawMessage(`{"endian":"little"}`)}}, array(3, tt.typ))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := chain.Encode(nil, codec.Block{Bytes: tt.array}, nil); err != nil || string(got) != string(tt.array) {
			t.Errorf("%v: %x, %v, want %x", tt.typ, got, err, tt.array)
		}
	}
}

// TestFilterCorrupt checks that partial elements and more bytes than expected are corrupt.
func TestFilterCorrupt(t *testing.T) {
	for _, tt := range []struct {
		spec   codec.Spec
		typ    dtype.Type
		stored string
	}{
		{raw("numcodecs.delta", `{"dtype":"<i4"}`), dtype.Int32, "000000"},
		{raw("numcodecs.delta", `{"dtype":"<i4"}`), dtype.Int32, "0000000000000000"},
		{raw("numcodecs.packbits", `{}`), dtype.Bool, ""},
		{raw("numcodecs.packbits", `{}`), dtype.Bool, "08ff"},
		{raw("numcodecs.packbits", `{}`), dtype.Bool, "01"},
		{raw("numcodecs.packbits", `{}`), dtype.Bool, "06ff"},
		{raw("numcodecs.bitround", `{"keepbits":1}`), dtype.Float32, "0000000000"},
	} {
		chain, err := codec.Builtin().Chain([]codec.Spec{{Name: "bytes", Config: json.RawMessage(`{"endian":"little"}`)}, tt.spec}, array(1, tt.typ))
		if err != nil {
			t.Fatal(err)
		}
		stored, err := hex.DecodeString(tt.stored)
		if err != nil {
			t.Fatal(err)
		}
		if err := chain.Decode(codec.Block{Bytes: make([]byte, tt.typ.Size())}, stored, nil); !errors.Is(err, fault.Corrupt) {
			t.Errorf("%v of %q: %v", tt.spec, tt.stored, err)
		}
	}
	c, err := codec.Builtin().Bind(raw("numcodecs.delta", `{"dtype":"<i4"}`), array(1, dtype.Int32))
	if err != nil {
		t.Fatal(err)
	}
	b := c.(codec.Either).Bytes
	if _, err := b.Encode(nil, make([]byte, 6)); !errors.Is(err, fault.Metadata) {
		t.Errorf("encode 6 bytes: %v", err)
	}
	if n := b.EncodedSize(6); n != -1 {
		t.Errorf("EncodedSize(6) = %d", n)
	}
	bits, err := codec.Builtin().Chain([]codec.Spec{raw("numcodecs.packbits", `{}`), codec.Bytes(dtype.NoOrder)}, array(5, dtype.Bool))
	if err != nil {
		t.Fatal(err)
	}
	for _, stored := range [][]byte{{2, 0xff}, {9, 0xff}} {
		if err := bits.Decode(codec.Block{Bytes: make([]byte, 5)}, stored, nil); !errors.Is(err, fault.Corrupt) {
			t.Errorf("bits %x: %v", stored, err)
		}
	}
	for _, spec := range []string{`{"padding_encoding":"first_byte"}`, `{"padding_encoding":"last_byte"}`} {
		bits, err := codec.Builtin().Chain([]codec.Spec{raw("packbits", spec)}, array(5, dtype.Bool))
		if err != nil {
			t.Fatal(err)
		}
		if err := bits.Decode(codec.Block{Bytes: make([]byte, 5)}, []byte{4, 4}, nil); !errors.Is(err, fault.Corrupt) {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// TestPackBits checks the bit order of the registry's packbits, lowest bit first.
func TestPackBits(t *testing.T) {
	for _, tt := range []struct {
		config string
		typ    dtype.Type
		array  []byte
		stored string
		back   []byte
	}{
		{`{}`, dtype.Bool, []byte{1, 0, 0, 1, 0, 0, 0, 0, 1}, "0901", nil},
		{`{"padding_encoding":"first_byte"}`, dtype.Bool, []byte{1, 0, 0, 1}, "0409", nil},
		{`{"padding_encoding":"last_byte"}`, dtype.Bool, []byte{1, 0, 0, 1}, "0904", nil},
		{`{}`, dtype.Int4, []byte{0xff, 0x07, 0xf8}, "7f08", nil},
		{`{}`, dtype.Uint2, []byte{3, 0, 1, 2, 1}, "9301", nil},
		{`{"last_bit":11}`, dtype.Uint16, floats[uint16](0xabc, 0xfdef), "bcfade", floats[uint16](0xabc, 0xdef)},
		{`{"first_bit":4,"last_bit":7}`, dtype.Int16, floats[int16](0x7f, -0x5a), "a7", floats[int16](0x70, -0x60)},
		{`{"first_bit":1,"last_bit":64}`, dtype.Uint64, nil, "", nil},
		{`{"first_bit":0}`, dtype.Complex64, floats[float32](1, -2), "0000803f000000c0", nil},
	} {
		chain, err := codec.Builtin().Chain([]codec.Spec{raw("packbits", tt.config)}, array(len(tt.array)/tt.typ.Size(), tt.typ))
		if tt.array == nil {
			if !errors.Is(err, fault.Metadata) {
				t.Errorf("%s: %v", tt.config, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		stored, err := chain.Encode(nil, codec.Block{Bytes: tt.array}, nil)
		if err != nil || hex.EncodeToString(stored) != tt.stored {
			t.Errorf("%s of %v: stored %x, want %s (%v)", tt.config, tt.typ, stored, tt.stored, err)
		}
		want := tt.back
		if want == nil {
			want = tt.array
		}
		got := make([]byte, len(tt.array))
		if err := chain.Decode(codec.Block{Bytes: got}, stored, nil); err != nil || string(got) != string(want) {
			t.Errorf("%s of %v: decoded %x, want %x (%v)", tt.config, tt.typ, got, want, err)
		}
	}
	chain, err := codec.Builtin().Chain([]codec.Spec{codec.PackBits()}, array(1, dtype.Bool))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chain.Encode(nil, codec.Block{Bytes: []byte{2}}, nil); !errors.Is(err, fault.Type) {
		t.Errorf("a truth value of 2: %v", err)
	}
}

// TestReshape checks that valid shapes are accepted and invalid shapes are rejected.
func TestReshape(t *testing.T) {
	for _, tt := range []struct {
		shape []int
		to    string
		want  []int // nil means an error
	}{
		{[]int{100, 50, 64, 3}, `[[0,1],[2],3]`, []int{5000, 64, 3}},
		{[]int{6, 4}, `[-1]`, []int{24}},
		{[]int{6, 4}, `[2,-1,4]`, []int{2, 3, 4}},
		{[]int{6, 4}, `[[0],[],[1]]`, []int{6, 1, 4}},
		{[]int{6, 4}, `[3,2,4.0]`, []int{3, 2, 4}},
		{[]int{}, `[]`, []int{}},
		{[]int{0, 4}, `[[0,1]]`, []int{0}},
		{[]int{6, 4}, `[[1],[0]]`, nil},
		{[]int{6, 4}, `[[1,0]]`, nil},
		{[]int{6, 4}, `[[0,0]]`, nil},
		{[]int{6, 4}, `[[0,2]]`, nil},
		{[]int{6, 4}, `[[-1],4]`, nil},
		{[]int{6, 4}, `[-1,-1]`, nil},
		{[]int{6, 4}, `[5,-1]`, nil},
		{[]int{6, 4}, `[0,-1]`, nil},
		{[]int{6, 4}, `[24,0.5]`, nil},
		{[]int{6, 4}, `["24"]`, nil},
		{[]int{6, 4}, `[6]`, nil},
		{[]int{6, 4}, `[null]`, nil},
		{[]int{6, 4}, `{}`, nil},
		{[]int{6, 4}, `null`, nil},
		{[]int{4, 6}, `[2,[1],2]`, nil},
		{[]int{2, 3, 2}, `[[0,2],3]`, nil},
		{[]int{2, 2}, `[2147483647,2147483647,2147483647,2147483647,2147483647]`, nil},
	} {
		c, err := codec.Builtin().Bind(raw("reshape", `{"shape":`+tt.to+`}`), codec.Repr{Shape: tt.shape, Type: dtype.Int8, Fill: []byte{3}})
		switch {
		case tt.want == nil:
			if !errors.Is(err, fault.Metadata) {
				t.Errorf("%v to %s: %v", tt.shape, tt.to, err)
			}
		case err != nil:
			t.Errorf("%v to %s: %v", tt.shape, tt.to, err)
		default:
			if out := c.(codec.ArrayArray).Out(); !slices.Equal(out.Shape, tt.want) || out.Type != dtype.Int8 || string(out.Fill) != "\x03" {
				t.Errorf("%v to %s: %v", tt.shape, tt.to, out)
			}
		}
	}
}

// TestReshapeManyAxes binds a reshape to as many axes as metadata can have. An earlier version took
// quadratic time.
func TestReshapeManyAxes(t *testing.T) {
	const axes = 20000
	var list []string
	for i := range axes {
		list = append(list, fmt.Sprintf("[%d]", i))
	}
	in := codec.Repr{Shape: slices.Repeat([]int{1}, axes), Type: dtype.Int8}
	c, err := codec.Builtin().Bind(raw("reshape", `{"shape":[`+strings.Join(list, ",")+`]}`), in)
	if err != nil || len(c.(codec.ArrayArray).Out().Shape) != axes {
		t.Error(err)
	}
}

// TestCastValue checks the roundings, ranges and scalar maps of cast_value.
func TestCastValue(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	halves := floats(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.4, -0.6)
	tests := []struct {
		config string
		typ    dtype.Type
		array  []byte
		want   []byte // nil means an error
	}{
		{`{"data_type":"int8"}`, dtype.Float64, halves, floats[int8](-2, -2, 0, 0, 2, 2, 0, -1)},
		{`{"data_type":"int8","rounding":"towards-zero"}`, dtype.Float64, halves, floats[int8](-2, -1, 0, 0, 1, 2, 0, 0)},
		{`{"data_type":"int8","rounding":"towards-positive"}`, dtype.Float64, halves, floats[int8](-2, -1, 0, 1, 2, 3, 1, 0)},
		{`{"data_type":"int8","rounding":"towards-negative"}`, dtype.Float64, halves, floats[int8](-3, -2, -1, 0, 1, 2, 0, -1)},
		{`{"data_type":"int8","rounding":"nearest-away"}`, dtype.Float64, halves, floats[int8](-3, -2, -1, 1, 2, 3, 0, -1)},
		{`{"data_type":"uint8"}`, dtype.Float64, floats(255.4, -0.5), floats[uint8](255, 0)},
		{`{"data_type":"uint8"}`, dtype.Float64, floats(255.5), nil},
		{`{"data_type":"uint8"}`, dtype.Float64, floats(-1.0), nil},
		{`{"data_type":"uint8","out_of_range":"clamp"}`, dtype.Float64, floats(300, -300, inf, -inf), floats[uint8](255, 0, 255, 0)},
		{`{"data_type":"uint8","out_of_range":"clamp"}`, dtype.Float64, floats(nan), nil},
		{`{"data_type":"uint8","out_of_range":"wrap"}`, dtype.Float64, floats(300, -1, 1e19, -1e19), floats[uint8](44, 255, 0, 0)},
		{`{"data_type":"int64","out_of_range":"wrap"}`, dtype.Float64, floats(math.Ldexp(1, 63), math.Ldexp(3, 64), -math.Ldexp(3, 62)), floats[int64](math.MinInt64, 0, 1<<62)},
		{`{"data_type":"uint8","out_of_range":"wrap"}`, dtype.Float64, floats(inf), nil},
		{`{"data_type":"int64","out_of_range":"clamp"}`, dtype.Float64, floats(1e300, -1e300, math.Ldexp(1, 63)), floats[int64](math.MaxInt64, math.MinInt64, math.MaxInt64)},
		{`{"data_type":"uint64","out_of_range":null}`, dtype.Float64, floats(math.Ldexp(1, 63)), floats[uint64](1 << 63)},
		{`{"data_type":"int8"}`, dtype.Int32, floats[int32](127, -128), floats[int8](127, -128)},
		{`{"data_type":"int8"}`, dtype.Int32, floats[int32](128), nil},
		{`{"data_type":"uint8"}`, dtype.Int32, floats[int32](-1), nil},
		{`{"data_type":"int8"}`, dtype.Uint64, floats[uint64](1 << 63), nil},
		{`{"data_type":"int8","out_of_range":"clamp"}`, dtype.Int32, floats[int32](128, -129), floats[int8](127, -128)},
		{`{"data_type":"int8","out_of_range":"wrap"}`, dtype.Int32, floats[int32](128, -129), floats[int8](-128, 127)},
		{`{"data_type":"uint64","out_of_range":"wrap"}`, dtype.Int64, floats[int64](-1), floats[uint64](math.MaxUint64)},
		{`{"data_type":"float32"}`, dtype.Float64, floats(0.1, -inf, 1e-46, 5e-324), floats[float32](0.1, float32(-inf), 0, 0)},
		{`{"data_type":"float32","rounding":"towards-positive"}`, dtype.Float64, floats(0.1, -0.1, 5e-324), floats(math.Nextafter32(float32(0.1), 0.1), math.Nextafter32(-0.1, 0), math.SmallestNonzeroFloat32)},
		{`{"data_type":"float32","rounding":"nearest-away"}`, dtype.Float64, floats(1 + math.Ldexp(1, -24)), floats[float32](1 + 1.0/(1<<23))},
		{`{"data_type":"float32"}`, dtype.Float64, floats(1e39), nil},
		{`{"data_type":"float32","out_of_range":"clamp"}`, dtype.Float64, floats(1e39, -1e39, inf), floats[float32](math.MaxFloat32, -math.MaxFloat32, float32(inf))},
		{`{"data_type":"float32"}`, dtype.Int64, floats[int64](1<<24+1, 1<<24+3, -1<<24-1, math.MaxInt64), floats[float32](1<<24, 1<<24+4, -1<<24, 1<<63)},
		{`{"data_type":"float32","rounding":"towards-zero"}`, dtype.Int64, floats[int64](1<<24+1, -1<<24-1, 3), floats[float32](1<<24, -1<<24, 3)},
		{`{"data_type":"float32","rounding":"towards-positive"}`, dtype.Int64, floats[int64](1<<24+1, -1<<24-1), floats[float32](1<<24+2, -1<<24)},
		{`{"data_type":"float32","rounding":"towards-negative"}`, dtype.Uint64, floats[uint64](1<<24+1, math.MaxUint64), floats(1<<24, math.Nextafter32(1<<64, 0))},
		{`{"data_type":"float64","rounding":"nearest-away"}`, dtype.Uint64, floats[uint64](1<<53+1, 1<<63), floats[float64](1<<53+2, 1<<63)},
		{`{"data_type":"float16"}`, dtype.Int32, floats[int32](65504), floats[uint16](0x7bff)},
		{`{"data_type":"float16"}`, dtype.Int32, floats[int32](70000), nil},
		{`{"data_type":"float16","out_of_range":"clamp"}`, dtype.Int32, floats[int32](-70000), floats[uint16](0xfbff)},
		{`{"data_type":"uint8","scalar_map":{"encode":[["NaN",255],["NaN",1],[3.5,7],["-Infinity",0]],"decode":[[255,"NaN"]]}}`, dtype.Float64,
			floats(nan, 3.5, -inf, 4), floats[uint8](255, 7, 0, 4)},
		{`{"data_type":"int16","scalar_map":{"encode":[[7,300],[7,301]]}}`, dtype.Uint8, floats[uint8](7, 8), floats[int16](300, 8)},
		{`{"data_type":"int16","scalar_map":null}`, dtype.Uint8, floats[uint8](7), floats[int16](7)},
	}
	for _, tt := range tests {
		chain, err := codec.Builtin().Chain([]codec.Spec{raw("cast_value", tt.config), {Name: "bytes", Config: json.RawMessage(`{"endian":"little"}`)}}, array(len(tt.array)/tt.typ.Size(), tt.typ))
		if err != nil {
			t.Errorf("%s: %v", tt.config, err)
			continue
		}
		got, err := chain.Encode(nil, codec.Block{Bytes: tt.array}, nil)
		if tt.want == nil {
			if !errors.Is(err, fault.Type) {
				t.Errorf("%s: %x, %v", tt.config, got, err)
			}
		} else if err != nil || string(got) != string(tt.want) {
			t.Errorf("%s of %x: %x, want %x (%v)", tt.config, tt.array, got, tt.want, err)
		}
	}
	chain, err := codec.Builtin().Chain([]codec.Spec{raw("cast_value", `{"data_type":"int16","scalar_map":{"decode":[[-1,255]]}}`), codec.Bytes(dtype.Little)}, array(1, dtype.Uint8))
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	if err := chain.Decode(codec.Block{Bytes: b}, []byte{0xff, 0xff}, nil); err != nil || b[0] != 255 {
		t.Errorf("-1 decodes to %d, %v", b[0], err)
	}
	if err := chain.Decode(codec.Block{Bytes: b}, []byte{0xff, 0xfe}, nil); !errors.Is(err, fault.Corrupt) {
		t.Errorf("-257 as uint8: %v", err)
	}
}

// TestScaleOffset checks that scale_offset computes in the array's own type.
func TestScaleOffset(t *testing.T) {
	tests := []struct {
		config string
		typ    dtype.Type
		array  []byte
		want   []byte // nil means an error
	}{
		{`{"offset":5,"scale":0.1}`, dtype.Float32, floats[float32](15, 5), floats((15-5)*float32(0.1), 0)},
		{`{}`, dtype.Float64, floats(1.5), floats(1.5)},
		{`{"offset":-1,"scale":3}`, dtype.Int8, floats[int8](41, -42), floats[int8](126, -123)},
		{`{"offset":-1,"scale":3}`, dtype.Int8, floats[int8](42), nil},
		{`{"offset":1}`, dtype.Int8, floats[int8](-128), nil},
		{`{"offset":1}`, dtype.Int64, floats[int64](math.MinInt64), nil},
		{`{"scale":-1}`, dtype.Int64, floats[int64](math.MinInt64), nil},
		{`{"scale":3}`, dtype.Int64, floats[int64](1 << 62), nil},
		{`{"offset":1}`, dtype.Uint8, floats[uint8](0), nil},
		{`{"scale":2}`, dtype.Uint64, floats[uint64](1 << 63), nil},
		{`{"offset":1,"scale":2}`, dtype.Uint64, floats[uint64](1 << 63), floats[uint64](math.MaxUint64 - 1)},
	}
	for _, tt := range tests {
		chain, err := codec.Builtin().Chain([]codec.Spec{raw("scale_offset", tt.config), {Name: "bytes", Config: json.RawMessage(`{"endian":"little"}`)}}, array(len(tt.array)/tt.typ.Size(), tt.typ))
		if err != nil {
			t.Errorf("%s: %v", tt.config, err)
			continue
		}
		got, err := chain.Encode(nil, codec.Block{Bytes: tt.array}, nil)
		if tt.want == nil {
			if !errors.Is(err, fault.Type) {
				t.Errorf("%s: %x, %v", tt.config, got, err)
			}
			continue
		}
		if err != nil || string(got) != string(tt.want) {
			t.Errorf("%s of %x: %x, want %x (%v)", tt.config, tt.array, got, tt.want, err)
		}
		back := make([]byte, len(tt.array))
		if err := chain.Decode(codec.Block{Bytes: back}, got, nil); err != nil || string(back) != string(tt.array) {
			t.Errorf("%s: back %x, want %x (%v)", tt.config, back, tt.array, err)
		}
	}
	for _, tt := range []struct {
		config string
		typ    dtype.Type
		stored []byte
		want   []byte // nil means corrupt data
	}{
		{`{"scale":2}`, dtype.Int8, floats[int8](-3, 3), floats[int8](-2, 1)}, // rounded down
		{`{"offset":100}`, dtype.Int8, floats[int8](28), nil},
		{`{"offset":200}`, dtype.Uint8, floats[uint8](56), nil},
		{`{"scale":-1}`, dtype.Int64, floats[int64](math.MinInt64), nil},
		{`{"offset":1}`, dtype.Uint64, floats[uint64](math.MaxUint64), nil},
	} {
		chain, err := codec.Builtin().Chain([]codec.Spec{raw("scale_offset", tt.config), {Name: "bytes", Config: json.RawMessage(`{"endian":"little"}`)}}, array(len(tt.stored)/tt.typ.Size(), tt.typ))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(tt.stored))
		err = chain.Decode(codec.Block{Bytes: got}, tt.stored, nil)
		if tt.want == nil && !errors.Is(err, fault.Corrupt) || tt.want != nil && (err != nil || string(got) != string(tt.want)) {
			t.Errorf("%s of %x: %x, want %x (%v)", tt.config, tt.stored, got, tt.want, err)
		}
	}
}

// TestFilterFill checks that codecs before sharding also encode the fill value, and that sharding
// omits inner chunks equal to the result.
func TestFilterFill(t *testing.T) {
	tests := []struct {
		specs []codec.Spec
		typ   dtype.Type
		fill  []byte
		want  []byte
	}{
		{[]codec.Spec{codec.ScaleOffset(5, 2), codec.CastValue(codec.CastValueOptions{Type: dtype.Int8})}, dtype.Float32, floats[float32](7), floats[int8](4)},
		{[]codec.Spec{codec.Delta(dtype.Int32, dtype.Int64)}, dtype.Int32, floats[int32](-7), floats[int64](-7)},
		{[]codec.Spec{codec.FixedScaleOffset(1, 2, dtype.Float64, dtype.Uint8)}, dtype.Float64, floats(7.0), floats[uint8](7)},
		{[]codec.Spec{codec.FixedScaleOffset(1, 2, dtype.Float64, dtype.Uint8)}, dtype.Float64, floats(math.NaN()), nil},
		{[]codec.Spec{codec.BitRound(2)}, dtype.Float64, floats(math.NaN()), floats(math.NaN())},
		{[]codec.Spec{codec.Reshape(-1)}, dtype.Float64, floats(3.0), floats(3.0)},
	}
	for _, tt := range tests {
		in := codec.Repr{Shape: []int{4}, Type: tt.typ, Fill: tt.fill}
		for _, s := range tt.specs {
			c, err := codec.Builtin().Bind(s, in)
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := c.(codec.Either); ok {
				c = e.Array
			}
			in = c.(codec.ArrayArray).Out()
		}
		if string(in.Fill) != string(tt.want) || (in.Fill == nil) != (tt.want == nil) {
			t.Errorf("%v: fill %x, want %x", tt.specs, in.Fill, tt.want)
		}
	}
	in := codec.Repr{Shape: []int{8}, Type: dtype.Float32, Fill: floats[float32](7)}
	specs := []codec.Spec{codec.ScaleOffset(5, 2), codec.CastValue(codec.CastValueOptions{Type: dtype.Int8}), codec.Reshape(2, 4),
		codec.Sharding(codec.ShardingOptions{Chunk: []int{1, 4}, Codecs: []codec.Spec{codec.Delta(dtype.Int8, nil), codec.Bytes(dtype.NoOrder)}})}
	chain, err := codec.Builtin().Chain(specs, in)
	if err != nil {
		t.Fatal(err)
	}
	src := codec.Block{Bytes: floats[float32](7, 7, 7, 7, 7, 6, 5, 7)}
	stored, err := chain.Encode(nil, src, nil)
	if want := 4 + 2*16 + 4; err != nil || len(stored) != want || string(stored[:4]) != "\x04\xfe\xfe\x04" {
		t.Errorf("a shard with one chunk of fill value has %d bytes, want %d: %x (%v)", len(stored), want, stored, err)
	}
	roundTrip(t, chain, src)
}

// TestFiltersFirst checks that the v3 form of a v2 pipeline stores the same bytes.
func TestFiltersFirst(t *testing.T) {
	big, zstd := codec.Bytes(dtype.Big), codec.Zstd(1)
	beDelta, beCast := raw("numcodecs.delta", `{"dtype":">i4","astype":"<i4"}`), raw("numcodecs.astype", `{"encode_dtype":">i8","decode_dtype":"<i4"}`)
	leDelta := codec.Delta(dtype.Int32, nil)
	in := array(3, dtype.Int32)
	tests := []struct {
		specs, want []codec.Spec // nil means an error
	}{
		{[]codec.Spec{big, zstd}, []codec.Spec{big, zstd}},
		{[]codec.Spec{big, beDelta, beCast, zstd}, []codec.Spec{beDelta, beCast, big, zstd}},
		{[]codec.Spec{codec.Transpose(0), big, beDelta}, []codec.Spec{codec.Transpose(0), beDelta, codec.Bytes(dtype.Little)}},
		{[]codec.Spec{big, leDelta}, nil},
		{[]codec.Spec{big, zstd, beDelta}, nil},
		{[]codec.Spec{big, raw("numcodecs.delta", `{"dtype":"|u1"}`)}, nil},
		{[]codec.Spec{codec.PackBits()}, []codec.Spec{codec.PackBits()}},
	}
	for _, tt := range tests {
		got, err := codec.Builtin().FiltersFirst(tt.specs, in)
		if tt.want == nil {
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%v: %v, %v", tt.specs, got, err)
			}
			continue
		}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%v: %v, want %v (%v)", tt.specs, got, tt.want, err)
			continue
		}
		var stored [2][]byte
		for i, specs := range [][]codec.Spec{tt.specs, got} {
			chain, err := codec.Builtin().Chain(specs, in)
			if err != nil {
				t.Fatal(err)
			}
			if stored[i], err = chain.Encode(nil, codec.Block{Bytes: floats[int32](3, -4, 1<<30)}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if string(stored[0]) != string(stored[1]) {
			t.Errorf("%v stores %x, %v stores %x", tt.specs, stored[0], got, stored[1])
		}
	}
	for _, s := range []codec.Spec{codec.Gzip(42), {Name: "nonesuch"}} {
		if _, err := codec.Builtin().FiltersFirst([]codec.Spec{big, s}, in); err == nil {
			t.Errorf("%v: no error", s)
		}
	}
}
