package codec_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestVectors compares encoded small arrays with the bytes that
// integration/numcodecs/python/vectors.py recorded from numcodecs.
func TestVectors(t *testing.T) {
	f, err := os.Open("testdata/filters.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var v struct {
			ID, Array, Stored, Back string
			Config, DType           json.RawMessage
		}
		succeed(t, json.Unmarshal(lines.Bytes(), &v))
		typ, order, err := dtype.ParseV2(v.DType)
		if err != nil {
			t.Fatal(err)
		}
		unhex := func(s string) []byte {
			b, err := hex.DecodeString(s)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		array, stored, back := unhex(v.Array), unhex(v.Stored), unhex(v.Back)
		for _, b := range [][]byte{array, back} {
			if order == dtype.Big {
				typ.Swap(b)
			}
			typ.Canon(b)
		}
		spec := codec.FromNumcodecs(v.ID, v.Config)
		chain, err := codec.Builtin().Chain([]codec.Spec{codec.Bytes(order), spec}, codec.Repr{Shape: []int{len(array) / typ.Size()}, Type: typ})
		if err != nil {
			t.Errorf("%v of %s: %v", spec, v.DType, err)
			continue
		}
		if got, err := chain.Encode(nil, codec.Block{Bytes: array}, nil); err != nil || string(got) != string(stored) {
			t.Errorf("%v of %s %x: stored %x, want %x (%v)", spec, v.DType, array, got, stored, err)
		}
		got := make([]byte, len(array))
		if err := chain.Decode(codec.Block{Bytes: got}, stored, nil); err != nil || string(got) != string(back) {
			t.Errorf("%v of %s: decoded %x, want %x (%v)", spec, v.DType, got, back, err)
		}
	}
	if n < 500 {
		t.Errorf("only %d vectors", n)
	}
}

// TestFilterSpecs checks that constructors write the configurations of numcodecs and the registry,
// and that Bind accepts all of them.
func TestFilterSpecs(t *testing.T) {
	nan := [][2]json.RawMessage{{json.RawMessage(`"NaN"`), json.RawMessage(`0`)}}
	for want, tt := range map[string]struct {
		spec codec.Spec
		typ  dtype.Type
	}{
		`numcodecs.delta{"dtype":"<i4"}`:                                                       {codec.Delta(dtype.Int32, nil), dtype.Int32},
		`numcodecs.astype{"encode_dtype":"|u1","decode_dtype":"<f8"}`:                          {codec.AsType(dtype.Float64, dtype.Uint8), dtype.Float64},
		`numcodecs.fixedscaleoffset{"offset":1000.0,"scale":0.1,"dtype":"<f8","astype":"<u2"}`: {codec.FixedScaleOffset(1000, 0.1, dtype.Float64, dtype.Uint16), dtype.Float64},
		`numcodecs.quantize{"digits":-2,"dtype":"<f4"}`:                                        {codec.Quantize(-2, dtype.Float32, nil), dtype.Float32},
		`numcodecs.packbits`:                   {codec.PackBools(), dtype.Bool},
		`bitround{"keepbits":7}`:               {codec.BitRound(7), dtype.Float32},
		`packbits`:                             {codec.PackBits(), dtype.Int4},
		`packbits{"first_bit":1,"last_bit":2}`: {codec.Spec{Name: "packbits", Config: json.RawMessage(`{"first_bit":1,"last_bit":2}`)}, dtype.Int4},
		`reshape{"shape":[[0],-1]}`:            {codec.Reshape([]int{0}, -1), dtype.Int4},
		`scale_offset{"offset":5,"scale":0.1}`: {codec.ScaleOffset(5, 0.1), dtype.Float32},
		`cast_value{"data_type":"int8"}`:       {codec.CastValue(codec.CastValueOptions{Type: dtype.Int8, OutOfRange: "error"}), dtype.Float32},
		`cast_value{"data_type":"int8","rounding":"towards-zero","out_of_range":"clamp"}`: {codec.CastValue(codec.CastValueOptions{Type: dtype.Int8, Rounding: "towards-zero", OutOfRange: "clamp"}), dtype.Float32},
		`cast_value{"data_type":"int8","scalar_map":{"encode":[["NaN",0]]}}`:              {codec.CastValue(codec.CastValueOptions{Type: dtype.Int8, Encode: nan}), dtype.Float32},
		`cast_value{"data_type":"float32","scalar_map":{"decode":[["NaN",0]]}}`:           {codec.CastValue(codec.CastValueOptions{Type: dtype.Float32, Decode: nan}), dtype.Int8},
	} {
		if got := tt.spec.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if _, err := codec.Builtin().Bind(tt.spec, array(4, tt.typ)); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, s := range []codec.Spec{codec.Reshape(func() {}), codec.ScaleOffset(0, math.Inf(1)), codec.Delta(dtype.String, nil), codec.FixedScaleOffset(math.Inf(1), 1, dtype.Float64, nil), codec.CastValue(codec.CastValueOptions{})} {
		if _, err := codec.Builtin().Bind(s, array(4, dtype.Float64)); err == nil {
			t.Errorf("%v binds", s)
		}
	}
}
