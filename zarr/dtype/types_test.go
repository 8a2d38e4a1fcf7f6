package dtype

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

func parsed(t testing.TB, s string) Type {
	t.Helper()
	typ, err := Parse(s)
	if err != nil {
		t.Fatal(s, err)
	}
	return typ
}

// TestSpellings formats and parses types in the metadata of both formats.
func TestSpellings(t *testing.T) {
	const nested = `[["p",[["x","<f4"],["y",">f4"]]],["n","|u1"],["m","<i2",[2,3]]]`
	for _, r := range []struct{ people, v2, v3, text string }{
		{"S5", `"|S5"`, `{"name":"null_terminated_bytes","configuration":{"length_bytes":5}}`, "S5"},
		{"a5", `"|S5"`, "", "S5"},
		{"<U4", `"<U4"`, `{"name":"fixed_length_utf32","configuration":{"length_bytes":16}}`, "U4"},
		{"|V6", `"|V6"`, `{"name":"raw_bytes","configuration":{"length_bytes":6}}`, "V6"},
		{"r24", `"|V3"`, `"r24"`, "r24"},
		{"string", `"|O"`, `"string"`, "string"},
		{"bytes", `"|O"`, `"bytes"`, "bytes"},
		{"variable_length_bytes", `"|O"`, `"bytes"`, "bytes"},
		{"datetime64[ns]", `"<M8[ns]"`, `{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}}`, "numpy.datetime64[ns]"},
		{"numpy.timedelta64[10ms]", `"<m8[10ms]"`, `{"name":"numpy.timedelta64","configuration":{"unit":"ms","scale_factor":10}}`, "numpy.timedelta64[10ms]"},
		{"<m8", `"<m8"`, `{"name":"numpy.timedelta64","configuration":{"unit":"generic","scale_factor":1}}`, "numpy.timedelta64"},
		{"M8[25μs]", `"<M8[25us]"`, `{"name":"numpy.datetime64","configuration":{"unit":"us","scale_factor":25}}`, "numpy.datetime64[25us]"},
		{`[["a","<i4"],["b","|S3"]]`, `[["a","<i4"],["b","|S3"]]`, `{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"int32"},` +
			`{"name":"b","data_type":{"name":"null_terminated_bytes","configuration":{"length_bytes":3}}}]}}`, `struct{"a" int32, "b" S3}`},
		{nested, nested, "", `struct{"p" struct{"x" float32, "y" float32}, "n" uint8, "m" [2 3]int16}`},
		{"bfloat16", `"bfloat16"`, `"bfloat16"`, "bfloat16"},
		{`"<f4"`, `"<f4"`, `"float32"`, "float32"},
		{"complex_float32", `"<c8"`, `"complex64"`, "complex64"},
	} {
		t.Run(r.people, func(t *testing.T) {
			typ := parsed(t, r.people)
			if typ.String() != r.text {
				t.Errorf("called %s, want %s", typ, r.text)
			}
			if got := len(typ.DefaultFill()); got != typ.Size() {
				t.Errorf("default fill of %d bytes, size %d", got, typ.Size())
			}
			if !typ.Fits(typ.Go()) || typ.Size() > 0 && !isStruct(typ) && int(typ.Go().Size()) != typ.Size() {
				t.Errorf("%v does not fit", typ.Go())
			}
			v2, err := typ.V2(Little)
			if err != nil || string(v2) != r.v2 {
				t.Errorf("v2 %s, %v, want %s", v2, err, r.v2)
			}
			object := ""
			if v, ok := typ.(VarLen); ok {
				object = v.Codec()
			}
			back, _, err := Standard().ParseV2(v2, object)
			if r.people == "r24" {
				typ = V(3) // v2 does not distinguish them
			}
			if err != nil || !Equal(back, typ) {
				t.Errorf("v2 %s reads %v, %v", v2, back, err)
			}
			typ = parsed(t, r.people)
			u, _, _ := Uniform(typ)
			v3, err := u.V3()
			if r.v3 == "" {
				return
			}
			if err != nil || string(v3) != r.v3 {
				t.Errorf("v3 %s, %v, want %s", v3, err, r.v3)
			}
			if back, err := ParseV3(v3); err != nil || !Equal(back, typ) {
				t.Errorf("v3 %s reads %v, %v", v3, back, err)
			}
		})
	}
}

func isStruct(t Type) bool { _, ok := t.(*Struct); return ok }

// TestRefusedTypes distinguishes malformed, unknown and too large types.
func TestRefusedTypes(t *testing.T) {
	deep2, deep3 := `"<i2"`, `"int8"`
	for range 40 {
		deep2 = `[["a",` + deep2 + `]]`
		deep3 = `{"name":"struct","configuration":{"fields":[{"name":"a","data_type":` + deep3 + `}]}}`
	}
	var many strings.Builder
	for i := range maxFields + 1 {
		fmt.Fprintf(&many, `,["f%d","|u1"]`, i)
	}
	v2 := func(raw string) error { _, _, err := ParseV2(json.RawMessage(raw)); return err }
	v3 := func(raw string) error { _, err := ParseV3(json.RawMessage(raw)); return err }
	people := func(s string) error { _, err := Parse(s); return err }
	field := func(f string) string { return `{"name":"struct","configuration":{"fields":[` + f + `]}}` }
	for _, r := range []struct {
		name  string
		parse func(string) error
		raw   string
		kind  error
	}{
		{"no bytes", v2, `"|S0"`, fault.Metadata},
		{"too many bytes", v2, `"|S99999999999"`, fault.Limit},
		{"beyond int", v2, `"|V99999999999999999999999"`, fault.Limit},
		{"too many code points", v2, `"<U67108864"`, fault.Limit},
		{"text without a length", v2, `"|S"`, fault.Metadata},
		{"length no number", v2, `"|Sx"`, fault.Metadata},
		{"time of 4 bytes", v2, `"<M4[s]"`, fault.Metadata},
		{"time without order", v2, `"|M8[s]"`, fault.Metadata},
		{"unit unknown", v2, `"<M8[x]"`, fault.Metadata},
		{"unit open", v2, `"<M8[s"`, fault.Metadata},
		{"scale zero", v2, `"<M8[0s]"`, fault.Metadata},
		{"scale beyond 31 bits", v2, `"<M8[2147483648s]"`, fault.Metadata},
		{"scale beyond int", v2, `"<M8[99999999999999999999s]"`, fault.Metadata},
		{"object", v2, `"|O"`, fault.Metadata},
		{"deep", v2, deep2, fault.Limit},
		{"many fields", v2, `[` + many.String()[1:] + `]`, fault.Limit},
		{"field of no elements", v2, `[["a","<i2",[0]]]`, fault.Metadata},
		{"large field", v2, `[["a","<i2",[65536,65536]]]`, fault.Limit},
		{"large shape", v2, `[["a","<i2",[99999999999]]]`, fault.Metadata},
		{"many axes", v2, `[["a","<i2",[` + strings.Repeat("1,", 40) + `1]]]`, fault.Metadata},
		{"large struct", v2, `[["a","|V67108864"],["b","|V67108864"]]`, fault.Limit},
		{"field of objects", v2, `[["a","|O"]]`, fault.Metadata},
		{"field without a name", v2, `[["","<i2"]]`, fault.Metadata},
		{"shape of one number", v2, `[["a","<i2",3]]`, nil},
		{"null", v2, `null`, fault.Metadata},
		{"r8", v3, `"r8"`, nil},
		{"r8 with a configuration", v3, `{"name":"r8","configuration":{"a":1}}`, errors.ErrUnsupported},
		{"large raw bits", v3, `"r99999999992"`, fault.Limit},
		{"length no multiple of 4", v3, `{"name":"fixed_length_utf32","configuration":{"length_bytes":6}}`, fault.Metadata},
		{"length zero", v3, `{"name":"raw_bytes","configuration":{"length_bytes":0}}`, fault.Metadata},
		{"length large", v3, `{"name":"raw_bytes","configuration":{"length_bytes":1e15}}`, fault.Limit},
		{"length missing", v3, `{"name":"raw_bytes","configuration":{}}`, fault.Metadata},
		{"length text", v3, `{"name":"raw_bytes","configuration":{"length_bytes":"x"}}`, fault.Metadata},
		{"configuration missing", v3, `"numpy.datetime64"`, fault.Metadata},
		{"configuration a list", v3, `{"name":"numpy.datetime64","configuration":[]}`, fault.Metadata},
		{"configuration with more", v3, `{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1,"tz":"UTC"}}`, errors.ErrUnsupported},
		{"scale factor missing", v3, `{"name":"numpy.datetime64","configuration":{"unit":"s"}}`, fault.Metadata},
		{"scale factor a fraction", v3, `{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1.5}}`, fault.Metadata},
		{"scale factor of 31 bits", v3, `{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":2147483647}}`, nil},
		{"scale factor beyond 31 bits", v3, `{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":2147483648}}`, fault.Metadata},
		{"scale factor 0", v3, `{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":0}}`, fault.Metadata},
		{"must_understand", v3, `{"name":"int8","must_understand":false}`, nil},
		{"unknown member", v3, `{"name":"int8","x":1}`, errors.ErrUnsupported},
		{"no name", v3, `""`, fault.Metadata},
		{"empty name", v3, `{"name":""}`, fault.Metadata},
		{"struct without fields", v3, field(``), fault.Metadata},
		{"struct without configuration", v3, `"struct"`, fault.Metadata},
		{"struct of pairs", v3, field(`["a","int8"]`), nil},
		{"pair of one", v3, field(`["a"]`), fault.Metadata},
		{"field with more", v3, field(`{"name":"a","data_type":"int8","shape":[2]}`), fault.Metadata},
		{"field a number", v3, field(`7`), fault.Metadata},
		{"field of strings", v3, field(`{"name":"a","data_type":"string"}`), fault.Metadata},
		{"field unknown", v3, field(`{"name":"a","data_type":"int9"}`), errors.ErrUnsupported},
		{"fields of one name", v3, field(`["a","int8"],["a","int8"]`), fault.Metadata},
		{"deep struct", v3, deep3, fault.Limit},
		{"many fields of v3", v3, field(strings.Repeat(`["a","int8"],`, maxFields) + `["a","int8"]`), fault.Limit},
		{"nothing", people, ``, fault.Metadata},
		{"order alone", people, `<`, errors.ErrUnsupported},
		{"raw bits of no byte", people, `r7`, fault.Metadata},
		{"time with a bad unit", people, `datetime64[x]`, fault.Metadata},
		{"size", people, `f3`, fault.Metadata},
		{"word", people, `Sunday`, fault.Metadata},
		{"other word", people, `object`, errors.ErrUnsupported},
		{"bad JSON", people, `{"name"`, fault.Metadata},
	} {
		t.Run(r.name, func(t *testing.T) {
			if err := r.parse(r.raw); r.kind == nil && err != nil || !errors.Is(err, r.kind) {
				t.Errorf("%.100s: %v, want %v", r.raw, err, r.kind)
			}
		})
	}
	for codec, kind := range map[string]error{"vlen-array": fault.Metadata, "pickle": errors.ErrUnsupported, "n5_wrapper": errors.ErrUnsupported, "": fault.Metadata} {
		if _, _, err := Standard().ParseV2(json.RawMessage(`"|O"`), codec); !errors.Is(err, kind) || !strings.Contains(err.Error(), codec) {
			t.Errorf("object by %q: %v", codec, err)
		}
	}
	if typ, _, err := Standard().ParseV2(json.RawMessage(`"|O8"`), "vlen-utf8"); err != nil || typ != Type(String) {
		t.Errorf("|O8: %v, %v", typ, err)
	}
}

// TestOtherFills tests fill values of types other than numbers.
func TestOtherFills(t *testing.T) {
	const pair = `[["a","<i2"],["b",">f4"]]`
	for _, r := range []struct {
		typ    string
		format int
		json   string
		bytes  string // memory form in hex; "-" is an error
		out    string // the encoded fill value; "" if it is the same
	}{
		{"S4", 2, `"YWL/"`, "6162ff00", `"YWL/AA=="`}, {"S4", 3, `"YWL/"`, "6162ff00", ""}, {"S4", 2, `0`, "00000000", `"AAAAAA=="`}, {"S4", 2, `""`, "00000000", `"AAAAAA=="`}, {"S4", 3, `""`, "00000000", ""}, {"S4", 3, `0`, "-", ""},
		{"S2", 2, `"YWL/"`, "-", ""}, {"S4", 2, `"!!!"`, "-", ""}, {"S4", 2, `"YQ"`, "-", ""}, {"S4", 2, `[1]`, "-", ""}, {"S4", 2, `"YR=="`, "-", ""},
		{"V3", 2, `"AQID"`, "010203", ""}, {"V3", 2, `"AQI="`, "010200", `"AQIA"`}, {"V3", 3, `[1,2,3]`, "010203", `"AQID"`}, {"V3", 3, `[1,2]`, "-", ""}, {"V3", 2, `[1,2,3]`, "-", ""},
		{"V3", 3, `[1,2,256]`, "-", ""}, {"V3", 2, `0`, "000000", `"AAAA"`}, {"V4", 2, `"MTIzNDU2Nzg="`, "-", ""}, {"V1", 2, `"AAAA"`, "-", ""},
		{"r24", 3, `[1,2,3]`, "010203", ""}, {"r24", 3, `"AQID"`, "010203", `[1,2,3]`}, {"r24", 3, `[1,2,3,4]`, "-", ""}, {"r24", 2, `"AQID"`, "010203", ""},
		{"U2", 2, `"é😀"`, "e900000000f60100", ""}, {"U2", 3, `"a"`, "6100000000000000", ""}, {"U2", 2, `0`, "0000000000000000", `""`}, {"U2", 3, `"abc"`, "-", ""},
		{"U2", 3, `"\ud800"`, "-", ""}, {"U2", 3, `"\ufffd"`, "fdff000000000000", `"` + "\uFFFD" + `"`}, {"U2", 3, `7`, "-", ""}, {"U2", 3, `"<&"`, "3c00000026000000", ""},
		{"M8[s]", 2, `-9223372036854775808`, "0000000000000080", ""}, {"M8[s]", 3, `"NaT"`, "0000000000000080", `-9223372036854775808`}, {"m8[s]", 3, `12345`, "3930000000000000", ""},
		{"m8[s]", 3, `1.5`, "-", ""}, {"m8[s]", 3, `9223372036854775808`, "-", ""}, {"m8[s]", 3, `"now"`, "-", ""},
		{"string", 3, `"fîll"`, "66c3ae6c6c", ""}, {"string", 2, `0`, "", `""`}, {"string", 3, `0`, "-", ""}, {"string", 3, `"\udc00"`, "-", ""}, {"string", 3, `""`, "", ""},
		{"bytes", 3, `"AQI="`, "0102", ""}, {"bytes", 3, `[1,2]`, "0102", `"AQI="`}, {"bytes", 3, `[]`, "", `""`}, {"bytes", 3, `"x"`, "-", ""}, {"bytes", 2, `7`, "-", ""},
		{pair, 2, `"AQA/gAAA"`, "01000000803f", ""}, {pair, 2, `0`, "000000000000", `"AAAAAAAA"`}, {pair, 2, `"AQA="`, "010000000000", `"AQAAAAAA"`}, {pair, 2, `"AAAAAAAAAAAA"`, "-", ""},
		{pair, 3, `{"a":1,"b":"NaN"}`, "01000000c07f", ""}, {pair, 3, `{"b":1.5,"a":-1}`, "ffff0000c03f", `{"a":-1,"b":1.5}`}, {pair, 3, `{"a":1}`, "-", ""}, {pair, 3, `{"a":1,"c":2}`, "-", ""},
		{pair, 3, `{"a":1,"b":"x"}`, "-", ""}, {pair, 3, `"AQA/gAAA"`, "01000000803f", `{"a":1,"b":1.0}`}, {pair, 3, `{"a":1,"b":1,"c":2}`, "-", ""}, {pair, 3, `[]`, "-", ""}, {pair, 3, `null`, "-", ""},
		{`[["m","<i2",[2,2]],["k","|b1"]]`, 3, `{"m":[[1,2],[3,4]],"k":true}`, "010002000300040001", ""}, {`[["m","<i2",[2,2]]]`, 3, `{"m":[[1,2],[3]]}`, "-", ""},
		{`[["k","|b1"]]`, 2, `"Bw=="`, "01", `"AQ=="`},
		{"int4", 3, `-8`, "f8", ""}, {"int4", 3, `8`, "-", ""}, {"uint2", 3, `3`, "03", ""}, {"uint2", 3, `4`, "-", ""},
		{"bfloat16", 3, `"NaN"`, "c07f", ""}, {"bfloat16", 3, `0.1`, "cd3d", "0.100097656"}, {"bfloat16", 3, `"0x7fc1"`, "c17f", ""}, {"bfloat16", 3, `1e39`, "807f", `"Infinity"`},
		{"float8_e4m3", 3, `"NaN"`, "7c", ""}, {"float8_e3m4", 3, `"NaN"`, "78", ""}, {"float8_e5m2", 3, `"NaN"`, "7e", ""}, {"float8_e4m3fn", 3, `"NaN"`, "7f", ""},
		{"float8_e4m3fn", 3, `"0xff"`, "ff", ""}, {"float8_e4m3fn", 3, `449`, "7e", "448.0"}, {"float8_e4m3fn", 3, `465`, "-", ""}, {"float8_e4m3fn", 3, `"Infinity"`, "-", ""}, {"float8_e5m2fnuz", 3, `"NaN"`, "80", ""},
		{"float8_e5m2fnuz", 3, `-0.0`, "00", "0.0"}, {"float8_e8m0fnu", 3, `"NaN"`, "ff", ""}, {"float8_e8m0fnu", 3, `0.5`, "7e", ""}, {"float8_e8m0fnu", 3, `-1.0`, "-", ""}, {"float8_e8m0fnu", 3, `0.0`, "-", ""},
		{"float6_e3m2fn", 3, `"NaN"`, "-", ""}, {"float6_e3m2fn", 3, `28.0`, "1f", ""}, {"float6_e3m2fn", 3, `"0x20"`, "20", "-0.0"}, {"float6_e3m2fn", 3, `"0x40"`, "-", ""}, {"float4_e2m1fn", 3, `-6.0`, "0f", ""}, {"float4_e2m1fn", 3, `7`, "-", ""}, {"float4_e2m1fn", 2, `"Dw=="`, "0f", ""}, {"float4_e2m1fn", 2, `-6.0`, "0f", `"Dw=="`}, {"float4_e2m1fn", 3, `"Dw=="`, "-", ""},
		{"complex_float8_e5m2", 3, `[1.0,"NaN"]`, "3c7e", ""}, {"complex_bfloat16", 3, `[1.0,-2.0]`, "803f00c0", ""}, {"complex_float64", 3, `[0.0,0.0]`, strings.Repeat("00", 16), ""},
		// Rounding to float64 first would result in the midpoint, and then in the even neighbour.
		{"bfloat16", 3, `1.00390625000000000000000000000000001`, "813f", "1.0078125"}, {"bfloat16", 3, `1.00390625`, "803f", "1.0"},
	} {
		t.Run(fmt.Sprintf("%s v%d %s", r.typ, r.format, r.json), func(t *testing.T) {
			typ := parsed(t, r.typ)
			got, err := typ.ParseFill(json.RawMessage(r.json), r.format)
			if r.bytes == "-" {
				if !errors.Is(err, fault.Metadata) {
					t.Errorf("got %x, %v", got, err)
				}
				return
			}
			if err != nil || got == nil || hex.EncodeToString(got) != r.bytes {
				t.Fatalf("got %x, %v, want %s", got, err, r.bytes)
			}
			want := r.json
			if r.out != "" {
				want = r.out
			}
			out, err := typ.FormatFill(got, r.format)
			if err != nil || string(out) != want {
				t.Fatalf("spelled %s, %v, want %s", out, err, want)
			}
			if back, err := typ.ParseFill(out, r.format); err != nil || !bytes.Equal(back, got) {
				t.Errorf("%s reads %x, %v", out, back, err)
			}
		})
	}
	for s, fill := range map[string]string{"S4": "00", "U2": "00", "V3": "00", "r24": "00", "M8[s]": "00", pair: "00", "int4": "10", "string": "ff", "U1": "00d80000", "bool": "02"} {
		b, _ := hex.DecodeString(fill)
		if out, err := parsed(t, s).FormatFill(b, 3); !errors.Is(err, fault.Metadata) {
			t.Errorf("%s of %s spelled %s, %v", s, fill, out, err)
		}
	}
}

// TestOrders checks that the fields of a structure keep their byte orders in v2, and lose them in
// v3.
func TestOrders(t *testing.T) {
	const mixed = `[["a","<i2"],["p",[["x",">f4"]],[2]],["s","|S1"],["b",">u2",[2]]]`
	s := parsed(t, mixed).(*Struct)
	if s.HasOrder() {
		t.Error("a v2 structure wants an order")
	}
	if v2, err := s.V2(NoOrder); err != nil || string(v2) != mixed {
		t.Errorf("%s, %v", v2, err)
	}
	stored, _ := hex.DecodeString("0100" + "3f800000" + "c0000000" + "61" + "00020003")
	want, _ := hex.DecodeString("0100" + "0000803f" + "000000c0" + "61" + "02000300")
	got := append(bytes.Clone(stored), stored...)
	Reorder(s, Little)(got)
	if !bytes.Equal(got, append(bytes.Clone(want), want...)) {
		t.Errorf("memory form %x", got)
	}
	u, order, one := Uniform(s)
	if order != Little || one || !u.HasOrder() || !Equal(u, s) {
		t.Errorf("%v, %v, %v", u, order, one)
	}
	if Reorder(u, Little) != nil || Reorder(u, Big) == nil || Reorder(Int8, Big) != nil || Reorder(Int16, Big) == nil {
		t.Error("who is reordered")
	}
	big := InOrder(u, Big)
	if v2, err := big.V2(Little); err != nil || string(v2) != strings.ReplaceAll(mixed, "<", ">") {
		t.Errorf("%s, %v", v2, err)
	}
	if _, order, one := Uniform(big); order != Big || !one {
		t.Errorf("%v, %v", order, one)
	}
	if InOrder(Int16, Big) != Type(Int16) {
		t.Error("a plain type changed")
	}
	swapped := bytes.Clone(want)
	u.Swap(swapped)
	all := bytes.Clone(want)
	Reorder(big, NoOrder)(all)
	if !bytes.Equal(swapped, all) || bytes.Equal(swapped, want) {
		t.Errorf("%x, %x", swapped, all)
	}
	s.Swap(swapped) // every field has its own byte order
	if !bytes.Equal(swapped, all) {
		t.Error("Swap touched fields that have an order of their own")
	}
	if _, err := s.V3(); !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fault.Metadata) {
		t.Errorf("v3: %v", err)
	}
	if Equal(u, Int8) || Equal(Int8, u) || Equal(u, nil) || !Equal(nil, nil) || Equal(u, parsed(t, `[["a","<i2"]]`)) {
		t.Error("Equal")
	}
}

func TestStructParts(t *testing.T) {
	s := parsed(t, `[["k","|b1"],["p",[["x","<f4",[3]],["n","|u1"]],[2]],["i","<i4"]]`).(*Struct)
	for _, r := range []struct {
		path    string
		offset  int
		shape   []int
		strides []int
		typ     Type
	}{
		{"k", 0, nil, nil, Bool}, {"i", 27, nil, nil, Int32}, {"p", 1, []int{2}, []int{13}, nil}, {"p.x", 1, []int{2, 3}, []int{13, 4}, Float32}, {"p.n", 13, []int{2}, []int{13}, Uint8},
	} {
		f, strides, ok := s.Lookup(strings.Split(r.path, ".")...)
		if !ok || f.Offset != r.offset || fmt.Sprint(f.Shape) != fmt.Sprint(r.shape) || fmt.Sprint(strides) != fmt.Sprint(r.strides) || r.typ != nil && f.Type != r.typ {
			t.Errorf("%s: %+v, %v, %v", r.path, f, strides, ok)
		}
	}
	for _, path := range [][]string{nil, {"z"}, {"k", "x"}, {"p", "z"}} {
		if f, _, ok := s.Lookup(path...); ok {
			t.Errorf("%v: %+v", path, f)
		}
	}
	if f := s.Fields(); len(f) != 3 || f[1].Size() != 26 || f[1].Elems() != 2 || s.Legacy() {
		t.Errorf("%+v", f)
	}
	b := make([]byte, s.Size())
	b[0] = 7
	if err := s.Check(b); !errors.Is(err, fault.Type) || !strings.Contains(err.Error(), `"k"`) {
		t.Errorf("Check: %v", err)
	}
	s.Canon(b)
	if b[0] != 1 || s.Check(b) != nil {
		t.Errorf("Canon: %x", b)
	}
	if err := U(1).Check([]byte{0, 0, 0x11, 0}); !errors.Is(err, fault.Type) {
		t.Errorf("U: %v", err)
	}
	if err := Int4.Check([]byte{7, 8}); !errors.Is(err, fault.Type) {
		t.Errorf("int4: %v", err)
	}
	if err := Int8.Check([]byte{255}); err != nil {
		t.Error(err)
	}
	one := []byte{0x0f, 0x17, 0xf8}
	if Int4.Canon(one); !bytes.Equal(one, []byte{0xff, 0x07, 0xf8}) {
		t.Errorf("int4: %x", one)
	}
	if Uint2.Canon(one); !bytes.Equal(one, []byte{3, 3, 0}) {
		t.Errorf("uint2: %x", one)
	}
	legacy, err := ParseV3(json.RawMessage(`{"name":"structured","configuration":{"fields":[["a","int16"]]}}`))
	if err != nil || !legacy.(*Struct).Legacy() {
		t.Fatal(legacy, err)
	}
	if v3, err := legacy.V3(); err != nil || !strings.Contains(string(v3), `"struct"`) {
		t.Errorf("%s, %v", v3, err)
	}
	for _, fields := range [][]Field{{{Name: "a"}}, {{Name: "a", Type: String}}, {{Name: "a", Type: Int8, Shape: []int{0}}}, {{Name: "a", Type: Int8, Shape: make([]int, 33)}}} {
		if s, err := NewStruct(fields...); err == nil {
			t.Errorf("%v", s)
		}
	}
	small, err := NewStruct(Field{Name: "a", Type: BFloat16})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := small.V2(Little); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a small float as a field of v2: %v", err)
	}
}

func TestTables(t *testing.T) {
	own := Standard().With("x.meters", func(json.RawMessage) (Type, error) { return Float32, nil }).WithV2("meters", Float32)
	for _, s := range []string{"x.meters", "meters", `"x.meters"`, "[[\"a\",\"meters\"]]"} {
		typ, err := own.Parse(s)
		if err != nil || typ.Size() != 4 {
			t.Errorf("%s: %v, %v", s, typ, err)
		}
		if _, err := Parse(s); err == nil {
			t.Errorf("%s is known to everybody", s)
		}
	}
	if typ, o, err := own.ParseV2(json.RawMessage(`"meters"`), ""); err != nil || o != Little || typ != Type(Float32) {
		t.Errorf("%v, %v, %v", typ, o, err)
	}
	if names := own.Names(); len(names) < 50 || names[len(names)-1] != "x.meters" {
		t.Errorf("%q", names)
	}
	var zero Table
	if typ, err := zero.With("a", func(json.RawMessage) (Type, error) { return nil, errors.ErrUnsupported }).WithV2("b", Int8).Parse("a"); typ != nil || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v, %v", typ, err)
	}
}

func FuzzTypes(f *testing.F) {
	for _, s := range []string{`"<M8[25s]"`, `"|S5"`, `"r24"`, `[["a",[["b",">U2"]],[2,3]]]`, `{"name":"struct","configuration":{"fields":[["a","int4"],{"name":"b","data_type":"bfloat16"}]}}`,
		`{"name":"numpy.datetime64","configuration":{"unit":"μs","scale_factor":10}}`, `{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}`, `"|O"`, `"string"`} {
		for _, fill := range []string{`"YWJj"`, `0`, `{"a":1,"b":"0x7fc1"}`, `[1,2,3]`, `"NaT"`, `"\ud83d"`} {
			f.Add([]byte(s), []byte(fill))
		}
	}
	f.Fuzz(func(t *testing.T, raw, fill []byte) {
		var all []Type
		if typ, err := ParseV3(raw); err == nil {
			all = append(all, typ)
		}
		if typ, _, err := Standard().ParseV2(raw, "vlen-utf8"); err == nil {
			all = append(all, typ)
		}
		if typ, err := Parse(string(raw)); err == nil {
			all = append(all, typ)
		}
		for _, typ := range all {
			if typ.Size() < 0 || typ.Size() > MaxSize || len(typ.String()) > 300 {
				t.Fatalf("%v of %d bytes", typ, typ.Size())
			}
			if u, _, _ := Uniform(typ); u != nil {
				if v3, err := u.V3(); err == nil {
					if back, err := ParseV3(v3); err != nil || !Equal(back, typ) {
						t.Errorf("%s reads %v, %v", v3, back, err)
					}
				}
			}
			if typ.Size() > 1<<16 {
				continue // larger types take seconds and test nothing else
			}
			for _, format := range []int{2, 3} {
				b, err := typ.ParseFill(fill, format)
				if err != nil {
					continue
				}
				if typ.Size() > 0 && len(b) != typ.Size() {
					t.Fatalf("%v: fill value of %d bytes", typ, len(b))
				}
				out, err := typ.FormatFill(b, format)
				if err != nil {
					t.Fatalf("%v: %x: %v", typ, b, err)
				}
				if back, err := typ.ParseFill(out, format); err != nil || !bytes.Equal(back, b) && !bytes.Contains(out, []byte("NaN")) {
					t.Errorf("%v: %x spelled %s reads %x, %v", typ, b, out, back, err)
				}
			}
		}
	})
}
