package render

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// memory returns the memory form of a Go value.
func memory(t testing.TB, v any) []byte {
	t.Helper()
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestElements(t *testing.T) {
	inf := math.Inf(1)
	for _, r := range []struct {
		name            string
		typ             dtype.Type
		value           any
		json, csv, text string
	}{
		{"true", dtype.Bool, true, "true", "true", "true"},
		{"false", dtype.Bool, false, "false", "false", "false"},
		{"int8", dtype.Int8, int8(-128), "-128", "-128", "-128"},
		{"int16", dtype.Int16, int16(-32768), "-32768", "-32768", "-32768"},
		{"int32", dtype.Int32, int32(math.MinInt32), "-2147483648", "-2147483648", "-2147483648"},
		{"int64", dtype.Int64, int64(math.MinInt64), "-9223372036854775808", "-9223372036854775808", "-9223372036854775808"},
		{"uint8", dtype.Uint8, uint8(255), "255", "255", "255"},
		{"uint16", dtype.Uint16, uint16(65535), "65535", "65535", "65535"},
		{"uint32", dtype.Uint32, uint32(math.MaxUint32), "4294967295", "4294967295", "4294967295"},
		{"uint64", dtype.Uint64, uint64(math.MaxUint64), "18446744073709551615", "18446744073709551615", "18446744073709551615"},
		{"float16", dtype.Float16, uint16(0x2e66), "0.1", "0.1", "0.1"},
		{"float16 largest", dtype.Float16, uint16(0x7bff), "65500", "65500", "65500"},
		{"float16 smallest", dtype.Float16, uint16(1), "6e-08", "6e-08", "6e-08"},
		{"float16 minus zero", dtype.Float16, uint16(0x8000), "-0", "-0", "-0"},
		{"float16 infinity", dtype.Float16, uint16(0xfc00), `"-Infinity"`, "-Infinity", "-inf"},
		{"float16 NaN", dtype.Float16, uint16(0x7e01), `"NaN"`, "NaN", "nan"},
		{"float32", dtype.Float32, float32(0.1), "0.1", "0.1", "0.1"},
		{"float32 small", dtype.Float32, float32(1e-7), "1e-07", "1e-07", "1e-07"},
		{"float32 at the exponent", dtype.Float32, float32(1e-6), "0.000001", "0.000001", "0.000001"},
		{"float32 large", dtype.Float32, float32(1e21), "1e+21", "1e+21", "1e+21"},
		{"float64", dtype.Float64, 0.1, "0.1", "0.1", "0.1"},
		{"float64 whole", dtype.Float64, 1e20, "100000000000000000000", "100000000000000000000", "100000000000000000000"},
		{"float64 NaN", dtype.Float64, math.NaN(), `"NaN"`, "NaN", "nan"},
		{"float64 infinity", dtype.Float64, inf, `"Infinity"`, "Infinity", "inf"},
		{"complex64", dtype.Complex64, complex(float32(0.1), float32(-2)), "[0.1, -2]", "0.1-2j", "0.1-2j"},
		{"complex128", dtype.Complex128, complex(inf, math.NaN()), `["Infinity", "NaN"]`, "Infinity+NaNj", "inf+nanj"},
		{"complex128 minus", dtype.Complex128, complex(1, math.Copysign(0, -1)), "[1, -0]", "1-0j", "1-0j"},
	} {
		t.Run(r.name, func(t *testing.T) {
			for _, f := range []struct {
				s    spelling
				want string
			}{{jsonSpelling(), r.json}, {csvSpelling(), r.csv}, {textSpelling(), r.text}} {
				one, err := elements(r.typ, f.s)
				if err != nil {
					t.Fatal(err)
				}
				if got := string(one([]byte("x"), memory(t, r.value))); got != "x"+f.want {
					t.Errorf("%q, want %q", got[1:], f.want)
				}
			}
			if !json.Valid([]byte(r.json)) {
				t.Errorf("%s is not JSON", r.json)
			}
		})
	}
}

func TestEveryBasicTypeHasElements(t *testing.T) {
	for b := dtype.Bool; b <= dtype.Complex128; b++ {
		if _, err := elements(b, jsonSpelling()); err != nil {
			t.Error(err)
		}
	}
	if _, err := elements(nil, jsonSpelling()); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

// TestHalfRoundTrip checks that every float16 except NaN is formatted with at most five digits and
// parses to the same bits.
func TestHalfRoundTrip(t *testing.T) {
	one, err := elements(dtype.Float16, jsonSpelling())
	if err != nil {
		t.Fatal(err)
	}
	for h := range 1 << 16 {
		b := memory(t, uint16(h))
		s := one(nil, b)
		back, err := dtype.Float16.ParseFill(s, 3)
		if err != nil {
			t.Fatalf("%#x is %s: %v", h, s, err)
		}
		if nan := h&0x7c00 == 0x7c00 && h&0x3ff != 0; !nan && !bytes.Equal(back, b) {
			t.Fatalf("%#x is %s, which is %x", h, s, back)
		}
		digits, _, _ := strings.Cut(strings.TrimLeft(strings.ReplaceAll(strings.Trim(string(s), `-"`), ".", ""), "0"), "e")
		if s[len(s)-1] != '"' && len(strings.TrimRight(digits, "0")) > 5 {
			t.Fatalf("%#x has the digits %s", h, s)
		}
	}
}

// TestSinks checks that the output of a sink does not depend on how the elements are divided into
// bands.
func TestSinks(t *testing.T) {
	elems := memory(t, []int16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	for _, r := range []struct {
		name, format string
		shape        []int
		want         string
	}{
		{"json of one axis", "json", []int{12}, "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]\n"},
		{"json of two", "json", []int{3, 4}, "[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]\n"},
		{"json of three", "json", []int{2, 3, 2}, "[[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]\n"},
		{"json of ones", "json", []int{1, 12, 1}, "[[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11]]]\n"},
		{"csv of one axis", "csv", []int{12}, "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"},
		{"csv of two", "csv", []int{3, 4}, "0,1,2,3\n4,5,6,7\n8,9,10,11\n"},
		{"csv of three", "csv", []int{2, 3, 2}, "0,0,0,0\n0,0,1,1\n0,1,0,2\n0,1,1,3\n0,2,0,4\n0,2,1,5\n" +
			"1,0,0,6\n1,0,1,7\n1,1,0,8\n1,1,1,9\n1,2,0,10\n1,2,1,11\n"},
		{"raw", "raw", []int{3, 4}, string(elems)},
	} {
		t.Run(r.name, func(t *testing.T) {
			for _, step := range []int{2, 6, 10, 24} {
				var b bytes.Buffer
				s, err := NewSink(r.format, &b, dtype.Int16, r.shape)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Begin(); err != nil {
					t.Fatal(err)
				}
				for rest := elems; len(rest) > 0; rest = rest[min(step, len(rest)):] {
					if err := s.Write(rest[:min(step, len(rest))]); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.End(); err != nil {
					t.Fatal(err)
				}
				if b.String() != r.want {
					t.Errorf("in steps of %d: %q, want %q", step, b.String(), r.want)
				}
			}
		})
	}
}

func TestSinksOfNothing(t *testing.T) {
	for _, r := range []struct {
		format string
		shape  []int
		want   string
	}{
		{"json", []int{0}, "[]\n"}, {"json", []int{0, 3}, "[]\n"}, {"json", []int{2, 0}, "[[], []]\n"}, {"json", []int{2, 1, 0, 5}, "[[[]], [[]]]\n"},
		{"csv", []int{0}, ""}, {"csv", []int{3, 0}, ""}, {"raw", []int{0}, ""},
	} {
		var b bytes.Buffer
		s, err := NewSink(r.format, &b, dtype.Int16, r.shape)
		if err == nil {
			err = errors.Join(s.Begin(), s.End())
		}
		if err != nil || b.String() != r.want {
			t.Errorf("%s of %v: %q, %v", r.format, r.shape, b.String(), err)
		}
	}
}
