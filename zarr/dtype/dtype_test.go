package dtype

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

// TestF16 compares all 65,536 patterns with the definition of binary16, and checks that midpoints
// between adjacent numbers round half to even.
func TestF16(t *testing.T) {
	value := func(h F16) float64 { // IEEE 754-2019, 3.4
		sign := 1.0
		if h>>15 == 1 {
			sign = -1
		}
		e, f := int(h>>10&0x1f), float64(h&0x3ff)
		if e == 0 {
			return sign * math.Ldexp(f, -24)
		}
		return sign * math.Ldexp(1024+f, e-25)
	}
	for i := range 1 << 16 {
		h := F16(i)
		f := h.Float32()
		switch {
		case h&0x7c00 == 0x7c00 && h&0x3ff != 0:
			if f == f || F16From(f) != h {
				t.Fatalf("%04x: NaN became %v, %04x", i, f, F16From(f))
			}
			continue
		case h&0x7fff == 0x7c00:
			if !math.IsInf(float64(f), 1-2*int(h>>15)) {
				t.Fatalf("%04x: infinity became %v", i, f)
			}
		case float64(f) != value(h) || math.Signbit(float64(f)) != (h>>15 == 1):
			t.Fatalf("%04x: %v, want %v", i, f, value(h))
		}
		if F16From(f) != h {
			t.Fatalf("%04x: %v came back as %04x", i, f, F16From(f))
		}
		if h&0x7fff >= 0x7bff {
			continue
		}
		mid := (value(h) + value(h+1)) / 2
		even := h + h&1
		for _, c := range []struct {
			f    float64
			want F16
		}{{mid, even}, {math.Nextafter(mid, value(h)), h}, {math.Nextafter(mid, value(h+1)), h + 1}} {
			if got := Round[F16](c.f); got != c.want {
				t.Fatalf("%v rounds to %04x, want %04x", c.f, got, c.want)
			}
		}
	}
	for _, c := range []struct {
		f    float32
		want F16
	}{{65519.99, 0x7bff}, {65520, 0x7c00}, {-1e30, 0xfc00}, {float32(math.Inf(1)), 0x7c00}, {math.Float32frombits(0x7f800001), 0x7e00}, {1e-30, 0}} {
		if got := F16From(c.f); got != c.want {
			t.Errorf("%v: %04x, want %04x", c.f, got, c.want)
		}
	}
}

func TestFills(t *testing.T) {
	tests := []struct {
		dt     Basic
		format int
		json   string
		bytes  string // memory form in hex; "" is an error
		out    string // the encoded fill value; "" if it is the same
	}{
		{Bool, 3, "true", "01", ""}, {Bool, 3, "false", "00", ""}, {Bool, 3, "1", "01", "true"}, {Bool, 3, "0", "00", "false"}, {Bool, 3, "2", "", ""}, {Bool, 2, "1", "01", "true"}, {Bool, 2, "0", "00", "false"}, {Bool, 3, `"true"`, "", ""},
		{Int8, 3, "-128", "80", ""}, {Int8, 3, "128", "", ""}, {Int8, 3, "1.0", "01", "1"}, {Int8, 3, "1e2", "64", "100"}, {Int8, 3, "1.5", "", ""}, {Int8, 3, "1e400", "", ""},
		{Int8, 3, `"1"`, "01", "1"}, {Int8, 3, `"1.0"`, "", ""}, {Int8, 3, "+1", "", ""}, {Int8, 3, "NaN", "", ""}, {Int8, 3, "01", "", ""}, {Int8, 3, "[]", "", ""}, {Int8, 3, "1e999999999999", "", ""}, {Int8, 3, "1e-999999999", "", ""}, {Int8, 3, "0e999999999", "00", "0"},
		{Int64, 3, "-9223372036854775808", "0000000000000080", ""}, {Int64, 3, "9223372036854775808", "", ""},
		{Uint64, 3, "18446744073709551615", "ffffffffffffffff", ""}, {Uint64, 3, "18446744073709551616", "", ""}, {Uint64, 3, "-1", "", ""}, {Uint16, 2, "65535", "ffff", ""},
		{Float32, 3, "0.1", "cdcccc3d", ""}, {Float32, 3, "1", "0000803f", "1.0"}, {Float32, 3, "-0.0", "00000080", "-0.0"}, {Float32, 3, "-0", "00000080", "-0.0"}, {Float32, 3, "1e40", "0000807f", `"Infinity"`},
		{Float32, 3, `"NaN"`, "0000c07f", ""}, {Float32, 3, `"0x7fc00001"`, "0100c07f", ""}, {Float32, 3, `"0x7fc000"`, "", ""}, {Float32, 3, `"0x7fc00000"`, "0000c07f", `"NaN"`}, {Float32, 3, `"nan"`, "0000c07f", `"NaN"`}, {Float32, 3, `"-inf"`, "000080ff", `"-Infinity"`}, {Float32, 3, `"1.5"`, "0000c03f", "1.5"},
		// Bits of another type, with the values of zarr-python 3.4.2.
		{Float64, 3, `"0x7FC00001"`, "000000200000f87f", `"0x7ff8000020000000"`}, {Float64, 3, `"0x7e01"`, "000000000000f87f", `"NaN"`}, {Float32, 3, `"0x7ff8000000000001"`, "0000c07f", `"NaN"`}, {Float32, 3, `"0x7e01"`, "0000c07f", `"NaN"`}, {Float64, 3, `"0x3fc00000"`, "000000000000f83f", "1.5"}, {Float64, 3, `"0x7FC"`, "", ""}, {Float16, 3, `"0x3ff8000000000000"`, "003e", "1.5"},
		{Complex128, 3, `["0x7FC00001",0]`, "000000200000f87f0000000000000000", `["0x7ff8000020000000",0.0]`}, {Complex64, 3, `["1","2"]`, "", ""},
		{Float32, 2, `"NaN"`, "0000c07f", ""}, {Float32, 2, "NaN", "0000c07f", `"NaN"`}, {Float32, 2, "-Infinity", "000080ff", `"-Infinity"`}, {Float32, 3, `"0xffc00000"`, "0000c0ff", ""},
		{Float64, 3, `"-Infinity"`, "000000000000f0ff", ""}, {Float64, 3, "1e308", "a0c8eb85f3cce17f", "1e+308"}, {Float64, 3, "0.1", "9a9999999999b93f", ""}, {Float64, 3, "true", "", ""}, {Float64, 3, "null", "", ""},
		{Float16, 3, "1.0", "003c", ""}, {Float16, 3, `"0x7e01"`, "017e", ""}, {Float16, 3, `"NaN"`, "007e", ""}, {Float16, 3, "65520", "007c", `"Infinity"`}, {Float16, 3, "65519.999999999999999999", "ff7b", "65504.0"},
		// Just above and just below the midpoint of 1 and its successor, by less than a float64 can
		// represent.
		{Float16, 3, "1.00048828125000000000000000000001", "013c", "1.0009766"}, {Float16, 3, "1.00048828125", "003c", "1.0"}, {Float16, 3, "1.00048828124999999999999999999999", "003c", "1.0"},
		{Complex64, 3, `[1.5,"NaN"]`, "0000c03f0000c07f", ""}, {Complex64, 3, "0", "", ""}, {Complex64, 2, "2", "0000004000000000", "[2.0,0.0]"}, {Complex64, 3, `[1,2,3]`, "", ""}, {Complex64, 3, `[1]`, "", ""},
		{Complex64, 2, `[NaN, -Infinity]`, "0000c07f000080ff", `["NaN","-Infinity"]`}, {Complex128, 3, `["0x7ff8000000000001",-0.0]`, "010000000000f87f0000000000000080", ""},
	}
	for _, tt := range tests {
		t.Run(tt.dt.String()+" "+tt.json, func(t *testing.T) {
			got, err := tt.dt.ParseFill(json.RawMessage(tt.json), tt.format)
			if tt.bytes == "" {
				if !errors.Is(err, fault.Metadata) {
					t.Errorf("got %x, %v", got, err)
				}
				return
			}
			if err != nil || hex.EncodeToString(got) != tt.bytes {
				t.Fatalf("got %x, %v, want %s", got, err, tt.bytes)
			}
			want := tt.json
			if tt.out != "" {
				want = tt.out
			}
			if out, err := tt.dt.FormatFill(got, tt.format); err != nil || string(out) != want {
				t.Errorf("spelled %s, %v, want %s", out, err, want)
			}
		})
	}
	if out, _ := Float32.FormatFill([]byte{1, 0, 0xc0, 0x7f}, 2); string(out) != `"NaN"` {
		t.Errorf("v2 spells a NaN %s", out)
	}
	if _, err := Float32.FormatFill([]byte{1}, 3); !errors.Is(err, fault.Metadata) {
		t.Errorf("short fill: %v", err)
	}
}

func TestNames(t *testing.T) {
	for b := range basics {
		v3, err := b.V3()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParseV3(v3); err != nil || got != Type(b) {
			t.Errorf("%s: %v, %v", v3, got, err)
		}
		if got, err := ParseV3(json.RawMessage(`{"name":` + string(v3) + `,"configuration":{}}`)); err != nil || got != Type(b) {
			t.Errorf("%s as an object: %v, %v", v3, got, err)
		}
		for _, o := range []Order{Little, Big} {
			v2, err := b.V2(o)
			if b.info().v2 == "" && (!b.inTensorStore() || o == Big && b.HasOrder()) {
				if !errors.Is(err, errors.ErrUnsupported) {
					t.Errorf("%v %v in v2: %s, %v", b, o, v2, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			got, order, err := ParseV2(v2)
			if !b.HasOrder() {
				o = NoOrder
			}
			if err != nil || got != Type(b) || order != o {
				t.Errorf("%s: %v %v, %v", v2, got, order, err)
			}
		}
		for _, s := range []string{b.String(), cmp.Or(b.info().v2, b.String()), string(v3)} {
			if got, err := Parse(s); err != nil || got != Type(b) {
				t.Errorf("%s: %v, %v", s, got, err)
			}
		}
		if got := len(b.DefaultFill()); got != b.Size() || b.Size() != int(b.Go().Size()) {
			t.Errorf("%v: sizes %d, %d, %d", b, got, b.Size(), b.Go().Size())
		}
	}
}

func TestNamesThatFail(t *testing.T) {
	for raw, kind := range map[string]error{`"float33"`: errors.ErrUnsupported, `{"name":"numpy.datetime64"}`: fault.Metadata,
		`{"name":"int8","configuration":{"x":1}}`: errors.ErrUnsupported, `{}`: fault.Metadata, `3`: fault.Metadata, `null`: fault.Metadata, `{"name":7}`: fault.Metadata} {
		if got, err := ParseV3(json.RawMessage(raw)); !errors.Is(err, kind) {
			t.Errorf("v3 %s: %v, %v", raw, got, err)
		}
	}
	for raw, kind := range map[string]error{`"|f4"`: fault.Metadata, `"<f3"`: fault.Metadata, `"f4"`: fault.Metadata, `""`: fault.Metadata, `7`: fault.Metadata, `"=f4"`: fault.Metadata,
		`"|U4"`: fault.Metadata, `"|O"`: fault.Metadata, `"<M8[sec]"`: fault.Metadata, `"<t5"`: errors.ErrUnsupported, `[["a","|O"]]`: fault.Metadata, `"<f16"`: fault.Metadata} {
		if got, _, err := ParseV2(json.RawMessage(raw)); !errors.Is(err, kind) {
			t.Errorf("v2 %s: %v, %v", raw, got, err)
		}
	}
	if _, err := Float32.V2(NoOrder); !errors.Is(err, fault.Metadata) {
		t.Errorf("float32 without order: %v", err)
	}
}

func TestSwapAndCanon(t *testing.T) {
	for dt, want := range map[Basic][]byte{Int8: {1, 2, 3, 4, 5, 6, 7, 8}, Float16: {2, 1, 4, 3, 6, 5, 8, 7}, Complex64: {4, 3, 2, 1, 8, 7, 6, 5}, Uint64: {8, 7, 6, 5, 4, 3, 2, 1}} {
		b := []byte{1, 2, 3, 4, 5, 6, 7, 8}
		if dt.Swap(b); !bytes.Equal(b, want) {
			t.Errorf("%v: %v", dt, b)
		}
	}
	b := []byte{0, 1, 2, 255}
	if Bool.Canon(b); !bytes.Equal(b, []byte{0, 1, 1, 1}) {
		t.Errorf("bool: %v", b)
	}
	if Int8.Canon(b); !slices.Equal(b, []byte{0, 1, 1, 1}) {
		t.Errorf("int8: %v", b)
	}
}

type celsius float32

func TestFits(t *testing.T) {
	tests := []struct {
		name string
		dt   Type
		t    reflect.Type
		want bool
	}{
		{"natural", Float32, reflect.TypeFor[float32](), true},
		{"named", Float32, reflect.TypeFor[celsius](), true},
		{"wider", Float32, reflect.TypeFor[float64](), false},
		{"other sign", Int8, reflect.TypeFor[uint8](), false},
		{"half", Float16, reflect.TypeFor[F16](), true},
		{"bits are no number", Float16, reflect.TypeFor[uint16](), false},
		{"nor a number bits", Uint16, reflect.TypeFor[F16](), false},
		{"int has no fixed size", Int64, reflect.TypeFor[int](), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.dt.Fits(tt.t); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
	if dt, err := Of[celsius](); err != nil || dt != Type(Float32) {
		t.Errorf("Of[celsius]: %v, %v", dt, err)
	}
	if _, err := Of[int](); !errors.Is(err, fault.Type) {
		t.Errorf("Of[int]: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`"float32"`, `{"name":"int8"}`, `"<f4"`, `[["a","<i4"]]`, `"0x7fc00001"`, `[1,"NaN"]`, `1e400`, `-0.0`, `true`, `{"name":"r16","configuration":{}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if dt, err := ParseV3(raw); (dt == nil) == (err == nil) {
			t.Errorf("%v, %v", dt, err)
		}
		if dt, _, err := ParseV2(raw); (dt == nil) == (err == nil) {
			t.Errorf("%v, %v", dt, err)
		}
		for b := range basics {
			for _, format := range []int{2, 3} {
				fill, err := b.ParseFill(raw, format)
				if err != nil {
					continue
				}
				again, err := b.FormatFill(fill, format)
				if err != nil {
					t.Fatal(err)
				}
				back, err := b.ParseFill(again, format)
				if err != nil || !bytes.Equal(back, fill) && !(format == 2 && bytes.Contains(again, []byte("NaN"))) {
					t.Errorf("%v %q: %x spelled %s reads %x, %v", b, raw, fill, again, back, err)
				}
			}
		}
	})
}
