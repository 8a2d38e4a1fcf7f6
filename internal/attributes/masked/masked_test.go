package masked

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/zargo-io/zargo/zarr/dtype"
)

var nan32 = binary.LittleEndian.AppendUint32(nil, 0x7fc00000)

func f32(f float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(f)) }
func f64(f float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)) }
func i64(n int64) []byte   { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }

// TestToV3 compares the attributes with those that FillValueCoder.encode of xarray 2026.9 writes.
func TestToV3(t *testing.T) {
	for _, tt := range []struct {
		name  string
		t     dtype.Type
		fill  []byte
		attrs map[string]any
		want  string
	}{
		{"int16", dtype.Int16, []byte{0, 0x80}, nil, `{"_FillValue":-32768}`},
		{"uint8", dtype.Uint8, []byte{255}, map[string]any{"units": "1"}, `{"_FillValue":255,"units":"1"}`},
		{"int64", dtype.Int64, i64(math.MinInt64), nil, `{"_FillValue":-9223372036854775808}`},
		{"zero is missing too", dtype.Int64, i64(0), nil, `{"_FillValue":0}`},
		{"float32", dtype.Float32, f32(-999), nil, `{"_FillValue":"AAAAAAA4j8A="}`},
		{"NaN", dtype.Float32, nan32, nil, `{"_FillValue":"AAAAAAAA+H8="}`},
		{"Go's NaN", dtype.Float64, f64(math.NaN()), nil, `{"_FillValue":"AAAAAAAA+H8="}`},
		{"float16", dtype.Float16, []byte{0, 0x3c}, nil, `{"_FillValue":"AAAAAAAA8D8="}`},
		{"complex64", dtype.Complex64, append(f32(1), f32(0)...), nil, `{"_FillValue":["AAAAAAAA8D8=","AAAAAAAAAAA="]}`},
		{"bool", dtype.Bool, []byte{1}, nil, `{"_FillValue":true}`},
		{"the fill value wins in v2", dtype.Int16, []byte{1, 0}, map[string]any{Attr: json.Number("5")}, `{"_FillValue":1}`},
		{"undefined", dtype.Int16, nil, map[string]any{"a": "b"}, `{"a":"b"}`},
		{"undefined, an attribute", dtype.Float64, nil, map[string]any{Attr: json.Number("-999")}, `{"_FillValue":"AAAAAAA4j8A="}`},
		{"undefined, a name", dtype.Float64, nil, map[string]any{Attr: "NaN"}, `{"_FillValue":"AAAAAAAA+H8="}`},
		{"undefined, of integers", dtype.Int16, nil, map[string]any{Attr: json.Number("-999.0")}, `{"_FillValue":-999}`},
		{"beyond the data type", dtype.Int16, nil, map[string]any{Attr: json.Number("65535")}, `{"_FillValue":65535}`},
		{"text", dtype.String, []byte("x"), nil, `null`},
		{"what xarray does not decode", dtype.BFloat16, []byte{0, 0}, nil, `null`},
	} {
		attrs, said := ToV3(tt.t, tt.fill, tt.attrs)
		got, err := json.Marshal(attrs)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.name, got, err, tt.want)
		}
		if before, _ := json.Marshal(tt.attrs); (said == "") != (string(before) == string(got)) && !isText(tt.t) {
			t.Errorf("%s: said %q", tt.name, said)
		}
	}
}

func TestToV2(t *testing.T) {
	number := func(n string) map[string]any { return map[string]any{Attr: json.Number(n)} }
	float := func(f float64) map[string]any { return map[string]any{Attr: encodeFloat(f), "units": "K"} }
	for _, tt := range []struct {
		name  string
		t     dtype.Type
		fill  []byte
		attrs map[string]any
		want  string // expected attributes, fill value, and whether that is undefined
	}{
		{"the same", dtype.Int16, []byte{0, 0x80}, number("-32768"), "map[] <nil> false"},
		{"another", dtype.Int16, []byte{0, 0}, number("-32768"), "map[] -32768 false"},
		{"none", dtype.Int16, []byte{0, 0}, nil, "map[] <nil> true"},
		{"none, of another fill value", dtype.Uint8, []byte{7}, nil, "map[] <nil> true"},
		{"none, NaN", dtype.Float32, nan32, nil, "map[] <nil> false"},
		{"NaN and NaN", dtype.Float32, nan32, float(math.NaN()), "map[units:K] <nil> false"},
		{"NaN and a number", dtype.Float32, nan32, float(-999), "map[units:K] -999 false"},
		{"a number and NaN", dtype.Float64, f64(0), float(math.NaN()), "map[units:K] <nil> true"},
		{"infinity", dtype.Float64, f64(0), float(math.Inf(-1)), "map[units:K] -Inf false"},
		{"rounded", dtype.Float32, f32(0.1), float(0.1), "map[units:K] <nil> false"},
		{"complex", dtype.Complex64, make([]byte, 8), map[string]any{Attr: []any{encodeFloat(1), encodeFloat(-2)}}, "map[] (1-2i) false"},
		{"not encoded as in v3", dtype.Float64, f64(0), number("-999"), "map[] -999 false"},
		{"beyond the data type", dtype.Int16, []byte{0, 0}, number("65535"), "map[_FillValue:65535] <nil> true"},
		{"text", dtype.String, []byte{}, nil, "map[] <nil> true"},
		{"times", dtype.DateTime{Unit: dtype.Second, Scale: 1}, i64(0), nil, "map[] <nil> false"},
	} {
		v := ToV2(tt.t, tt.fill, tt.attrs)
		if got := fmt.Sprint(v.Attrs, v.Fill, v.Undefined); got != tt.want {
			t.Errorf("%s: %s, want %s (%s)", tt.name, got, tt.want, v.Said)
		}
	}
}

// TestThereAndBack checks that the attributes and the fill value of a v2 array are restored by
// ToV2.
func TestThereAndBack(t *testing.T) {
	for name, tt := range map[string]struct {
		t    dtype.Type
		fill []byte
	}{
		"i2": {dtype.Int16, []byte{1, 0x80}}, "u8": {dtype.Uint64, i64(-1)}, "f4": {dtype.Float32, f32(9.96921e36)}, "f8": {dtype.Float64, f64(-1e-300)},
		"f2": {dtype.Float16, []byte{0, 0x7c}}, "c16": {dtype.Complex128, append(f64(1), f64(math.Inf(1))...)}, "b1": {dtype.Bool, []byte{0}},
	} {
		attrs, _ := ToV3(tt.t, tt.fill, nil)
		if v := ToV2(tt.t, tt.fill, attrs); v.Fill != nil || v.Undefined || len(v.Attrs) > 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
