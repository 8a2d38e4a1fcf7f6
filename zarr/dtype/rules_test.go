package dtype

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

// TestFillsRefused checks that almost valid fill values are refused.
func TestFillsRefused(t *testing.T) {
	long := strings.Repeat("1", 1200)
	for _, r := range []struct {
		typ    string
		format int
		values []string
	}{
		{"bool", 3, []string{`2`, `-0`, `"0"`, `0.0`, `1.0`, `"false"`, `null`, ``}},
		{"bool", 2, []string{`2`, `0.5`, `"0"`, `-0`, ``}},
		{"int16", 3, []string{`0.4`, `1.5`, `1e-1`, `1e5`, `32768`, `-32769`, `1e400`, `--1`, `+1`, `1x`, `"1.0"`, `true`, long, ``}},
		{"int16", 2, []string{`"1.0"`, `"1e2"`, `" 0"`, `"0 "`, `"0x0"`, `"+1"`, `"00"`, `"0_0"`, `"-"`, `""`, `"`, `"32768"`, `"-32769"`, `"zero"`, `"٣"`, `"\u0030"`, `"` + long + `"`}},
		{"uint8", 2, []string{`"-1"`, `"256"`}},
		{"uint64", 3, []string{`-1`, `18446744073709551616`, `36893488147419103232.0`, `1e30`}},
		{"float32", 3, []string{`1x`, `--1`, `+1`, `.5`, `tru`, `"1.0 "`, `"7fc0000x"`, `"0x7fc000"`, `"0xzzzzzzzz"`, `nan`, `+Infinity`, `"++NaN"`, `"++Infinity"`, `"infin"`, `"in"`, `""`, long, `"`, ``}},
		{"float16", 3, []string{`1x`, `[1]`, long, `"0x7e"`, ``}},
		{"float6_e3m2fn", 3, []string{`"0x40"`, `"0xff"`}},
		{"complex64", 3, []string{`1`, `[1]`, `[1,2,3]`, `[1,2`, `1,2]`, `[1 2]`, `["x",1]`, `[1,"x"]`, `[]`, `null`}},
		{"complex64", 2, []string{`[1]`, `[1,2,3]`, `[1,2`, `"x"`, `["0x7fc00001",0]`}},
		{"float32", 2, []string{`"0x7fc00000"`, `""`, `" 1"`, `"nan"`, `"1e"`, `"\"1\""`, `"true"`, `"1 "`, `"` + long + `"`}},
		{"r24", 3, []string{`[1,2,1.5]`, `[1,2,-1]`, `[1,2,256]`, `[1,2,1e30]`, `[1,2,"3"]`, `[1,2]`, `[]`, `null`, `{}`, `1`}},
		{"string", 3, []string{`x`, ``, `"\ud800"`, `null`}},
	} {
		typ := parsed(t, r.typ)
		for _, v := range r.values {
			if got, err := typ.ParseFill(json.RawMessage(v), r.format); !errors.Is(err, fault.Metadata) {
				t.Errorf("%s v%d: %.40q is read as %x, %v", r.typ, r.format, v, got, err)
			}
		}
	}
}

// TestFillsAtTheEdge checks that the largest and smallest values, and the white space that JSON
// allows, are accepted.
func TestFillsAtTheEdge(t *testing.T) {
	for _, r := range [][3]string{
		{"int16", "32767", "ff7f"}, {"int16", "-32768", "0080"}, {"int16", " 1 ", "0100"}, {"int16", "0", "0000"}, {"int16", "-0.0e3", "0000"}, {"int16", "1e2", "6400"},
		{"uint64", "18446744073709551615", "ffffffffffffffff"}, {"uint64", "18446744073709551615.0", "ffffffffffffffff"}, {"r24", "[0,255,1]", "00ff01"},
		{"float32", " 1 ", "0000803f"}, {"complex64", ` [ 1 , "NaN" ] `, "0000803f0000c07f"}, {"float8_e5m2", `"0xff"`, "ff"}, {"string", ` "é" `, "c3a9"},
	} {
		got, err := parsed(t, r[0]).ParseFill(json.RawMessage(r[1]), 3)
		if err != nil || fmt.Sprintf("%x", got) != r[2] {
			t.Errorf("%s: %s is %x, %v, want %s", r[0], r[1], got, err, r[2])
		}
	}
}

// TestUnitsRefused checks that invalid units, also in a Go value, and invalid configurations are
// refused.
func TestUnitsRefused(t *testing.T) {
	for _, typ := range []Type{DateTime{Unit: "x"}, TimeDelta{Unit: ""}, DateTime{Unit: "μs"}} {
		if v3, err := typ.V3(); !errors.Is(err, fault.Metadata) {
			t.Errorf("%#v is written as %s, %v", typ, v3, err)
		}
		if v2, err := typ.V2(Little); !errors.Is(err, fault.Metadata) {
			t.Errorf("%#v is written as %s in v2, %v", typ, v2, err)
		}
	}
	for _, text := range []string{`M8[x]`, `M8[0s]`, `M8[2147483648s]`, `M8[99999999999999999999s]`, `M8[s`, `M8s]`} {
		if typ, err := Parse(text); !errors.Is(err, fault.Metadata) {
			t.Errorf("%s: %v, %v", text, typ, err)
		}
	}
	for _, length := range []string{`"4"`, `null`, `4.5`, `0`, `[]`} {
		if typ, err := ParseV3(json.RawMessage(`{"name":"raw_bytes","configuration":{"length_bytes":` + length + `}}`)); !errors.Is(err, fault.Metadata) {
			t.Errorf("a length of %s: %v, %v", length, typ, err)
		}
	}
	for _, text := range []string{"μ", "µ"} { // the Greek letter, and the sign
		if typ, err := Parse("M8[" + text + "s]"); err != nil || typ != Type(DateTime{Microsecond, 1}) {
			t.Errorf("%q: %v, %v", text, typ, err)
		}
	}
	for _, config := range []string{``, `,"configuration":null`, `,"configuration":[]`, `,"configuration":{}`, `,"configuration":{"unit":"s"}`, `,"configuration":{"unit":"s","scale_factor":0}`, `,"configuration":{"unit":7,"scale_factor":1}`,
		`,"configuration":{"unit":"s","scale_factor":"1"}`, `,"configuration":{"unit":"s","scale_factor":null}`} {
		if typ, err := ParseV3(json.RawMessage(`{"name":"numpy.datetime64"` + config + `}`)); !errors.Is(err, fault.Metadata) {
			t.Errorf("%s: %v, %v", config, typ, err)
		}
	}
}

// TestNumbersInQuotes checks that floats in quotes are accepted in v2. The specification does not
// define them, but all readers except zarrs accept them.
func TestNumbersInQuotes(t *testing.T) {
	for _, r := range [][3]string{{"float32", `"1.5"`, "0000c03f"}, {"float64", `"-2e3"`, "0000000000409fc0"}, {"complex64", `["1","-0.0"]`, "0000803f00000080"}} {
		got, err := parsed(t, r[0]).ParseFill(json.RawMessage(r[1]), 2)
		if err != nil || fmt.Sprintf("%x", got) != r[2] {
			t.Errorf("%s: %s is %x, %v, want %s", r[0], r[1], got, err, r[2])
		}
	}
}

// TestFillsOfOtherWriters checks the fill values of other writers: the v2 integers of n5-zarr, Fiji
// and early versions of bioformats2raw, zarr-python's bool of v3 that was passed as a number, and
// infinity with a sign, which zarr-python accepts. TensorStore refuses all of them.
func TestFillsOfOtherWriters(t *testing.T) {
	for _, r := range []struct {
		typ    string
		format int
		raw    string
		want   string
	}{
		{"int32", 2, `"0"`, "00000000"}, {"uint8", 2, `"255"`, "ff"}, {"int16", 2, `"-32768"`, "0080"}, {"int8", 1, `"-0"`, "00"},
		{"uint64", 2, `"18446744073709551615"`, "ffffffffffffffff"}, {"int4", 2, `"-8"`, "f8"},
		{"bool", 3, `0`, "00"}, {"bool", 3, `1`, "01"},
		{"float32", 3, `"+Infinity"`, "0000807f"}, {"float16", 2, `"+Infinity"`, "007c"}, {"complex64", 3, `["+Infinity","NaN"]`, "0000807f0000c07f"}, {"bfloat16", 3, `"+Infinity"`, "807f"},
	} {
		got, err := parsed(t, r.typ).ParseFill(json.RawMessage(r.raw), r.format)
		if err != nil || fmt.Sprintf("%x", got) != r.want {
			t.Errorf("%s v%d: %s is %x, %v, want %s", r.typ, r.format, r.raw, got, err, r.want)
		}
	}
}

// TestPadding: zarr-python 2 stored numpy's aligned structures with their padding, in fields
// TestPadding checks structures with padding. zarr-python 2 stored numpy's aligned structures with
// their padding, in fields without a name. numpy names these by their index.
func TestPadding(t *testing.T) {
	const stored = `[["a","|i1"],["","|V3"],["b","<i4"],["c","|i1"],["","|V3"]]`
	typ, _, err := ParseV2(json.RawMessage(stored))
	if err != nil {
		t.Fatal(err)
	}
	if v2, err := typ.V2(NoOrder); err != nil || string(v2) != `[["a","|i1"],["f1","|V3"],["b","<i4"],["c","|i1"],["f4","|V3"]]` {
		t.Errorf("%s, %v", v2, err)
	}
	for _, bad := range []string{`[["","|V3"],["f0","<i4"]]`, `[["","<i4"]]`, `[[null,"|V3"]]`} {
		if typ, _, err := ParseV2(json.RawMessage(bad)); !errors.Is(err, fault.Metadata) {
			t.Errorf("%s: %v, %v", bad, typ, err)
		}
	}
}

// TestMembersOfDataTypes checks that the last of two members with the same name counts, even if the
// first is invalid, and that must_understand is a bool.
func TestMembersOfDataTypes(t *testing.T) {
	typ, err := ParseV3(json.RawMessage(`{"name":"numpy.datetime64","configuration":{"unit":7,"unit":"s","scale_factor":1}}`))
	if err != nil || typ != Type(DateTime{Unit: "s", Scale: 1}) {
		t.Errorf("%v, %v", typ, err)
	}
	for value, ok := range map[string]bool{"true": true, "false": true, "null": false, "0": false, `"no"`: false, "{}": false} {
		_, err := ParseV3(json.RawMessage(`{"name":"int8","must_understand":` + value + `}`))
		if ok && err != nil || !ok && !errors.Is(err, fault.Metadata) {
			t.Errorf("must_understand %s: %v", value, err)
		}
	}
}
