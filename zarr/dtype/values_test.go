package dtype

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

func TestTimes(t *testing.T) {
	day := func(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }
	for _, r := range []struct {
		typ  string
		i    Instant
		want time.Time
		text string
	}{
		{"Y", 50, day(2020, 1, 1), "2020"}, {"Y", -1, day(1969, 1, 1), "1969"}, {"10Y", 5, day(2020, 1, 1), "2020"},
		{"M", 601, day(2020, 2, 1), "2020-02"}, {"M", -1, day(1969, 12, 1), "1969-12"},
		{"W", 1, day(1970, 1, 8), "1970-01-08"}, {"D", 18321, day(2020, 2, 29), "2020-02-29"}, {"D", -1, day(1969, 12, 31), "1969-12-31"},
		{"h", 25, day(1970, 1, 2).Add(time.Hour), "1970-01-02T01"}, {"m", -1, day(1969, 12, 31).Add(23*time.Hour + 59*time.Minute), "1969-12-31T23:59"},
		{"s", 1582934400, day(2020, 2, 29), "2020-02-29T00:00:00"}, {"25s", 2, day(1970, 1, 1).Add(50 * time.Second), "1970-01-01T00:00:50"},
		{"ms", -1, day(1970, 1, 1).Add(-time.Millisecond), "1969-12-31T23:59:59.999"}, {"us", 1, day(1970, 1, 1).Add(time.Microsecond), "1970-01-01T00:00:00.000001"},
		{"ns", 1577836800000000001, day(2020, 1, 1).Add(1), "2020-01-01T00:00:00.000000001"},
		{"ps", 5000, day(1970, 1, 1).Add(5), "1970-01-01T00:00:00.000000005000"}, {"fs", -1000000, day(1970, 1, 1).Add(-1), "1969-12-31T23:59:59.999999999000000"},
		{"as", 1e9, day(1970, 1, 1).Add(1), "1970-01-01T00:00:00.000000001000000000"},
	} {
		typ := parsed(t, "datetime64["+r.typ+"]").(DateTime)
		got, err := typ.Time(r.i)
		if err != nil || !got.Equal(r.want) || typ.Format(r.i) != r.text {
			t.Errorf("%d in %s is %v, %v, %s; want %v, %s", r.i, r.typ, got, err, typ.Format(r.i), r.want, r.text)
		}
		if back, err := typ.Instant(got); err != nil || back != r.i {
			t.Errorf("%v in %s is %d, %v", got, r.typ, back, err)
		}
	}
	ps := DateTime{Unit: Picosecond}
	if at, err := ps.Time(-1); err != nil || at.UnixNano() != -1 || ps.Format(-1) != "1969-12-31T23:59:59.999999999999" {
		t.Errorf("a picosecond before the epoch is %v, %v, %s", at, err, ps.Format(-1))
	}
	if i, err := (DateTime{Unit: Day}).Instant(time.Date(1969, 12, 31, 23, 0, 0, 0, time.FixedZone("", -3600))); err != nil || i != 0 {
		t.Errorf("another zone: %d, %v", i, err) // the time is the epoch in UTC
	}
	for _, r := range []struct {
		typ  DateTime
		i    Instant
		kind error
		text string
	}{
		{DateTime{Unit: Second}, NaT, fault.Type, "NaT"}, {DateTime{Unit: Generic}, 5, fault.Type, "5"}, {DateTime{Unit: Year}, 1e12, fault.Limit, "1000000000000[Y]"},
		{DateTime{Unit: Year, Scale: 1 << 30}, math.MaxInt64, fault.Limit, "9223372036854775807[1073741824Y]"}, {DateTime{Unit: Day}, math.MaxInt64, fault.Limit, "9223372036854775807[D]"},
	} {
		if at, err := r.typ.Time(r.i); !errors.Is(err, r.kind) || r.typ.Format(r.i) != r.text {
			t.Errorf("%d in %v: %v, %v, %s", r.i, r.typ, at, err, r.typ.Format(r.i))
		}
	}
	if at, err := (DateTime{Unit: Second}).Time(9e18); err != nil || at.Unix() != 9e18 || int64(at.Year()) < 285e9 {
		t.Errorf("far away: %v, %v", at, err)
	}
	if _, err := (DateTime{Unit: Nanosecond}).Instant(day(3000, 1, 1)); !errors.Is(err, fault.Limit) {
		t.Errorf("3000 in nanoseconds: %v", err)
	}
	if _, err := (DateTime{Unit: Generic}).Instant(day(2000, 1, 1)); !errors.Is(err, fault.Type) {
		t.Errorf("generic: %v", err)
	}
}

func TestDurations(t *testing.T) {
	for _, r := range []struct {
		typ  TimeDelta
		s    Span
		want time.Duration
	}{
		{TimeDelta{Week, 1}, 1, 7 * 24 * time.Hour}, {TimeDelta{Millisecond, 10}, -3, -30 * time.Millisecond}, {TimeDelta{Attosecond, 0}, 5e9, 5}, {TimeDelta{Nanosecond, 1}, math.MaxInt64, math.MaxInt64},
	} {
		got, err := r.typ.Duration(r.s)
		back, err2 := r.typ.Span(got)
		if err != nil || got != r.want || err2 != nil || back != r.s {
			t.Errorf("%d in %v is %v, %v; back %d, %v", r.s, r.typ, got, err, back, err2)
		}
	}
	for _, r := range []struct {
		typ  TimeDelta
		s    Span
		kind error
	}{{TimeDelta{Second, 1}, NaT, fault.Type}, {TimeDelta{Year, 1}, 1, fault.Type}, {TimeDelta{Generic, 1}, 1, fault.Type}, {TimeDelta{Second, 1}, 1e10, fault.Limit}} {
		if d, err := r.typ.Duration(r.s); !errors.Is(err, r.kind) {
			t.Errorf("%d in %v is %v, %v", r.s, r.typ, d, err)
		}
	}
	if _, err := (TimeDelta{Month, 1}).Span(time.Hour); !errors.Is(err, fault.Type) {
		t.Errorf("an hour in months: %v", err)
	}
	if _, err := (TimeDelta{Attosecond, 1}).Span(time.Hour); !errors.Is(err, fault.Limit) {
		t.Errorf("an hour in attoseconds: %v", err)
	}
	if _, err := (DateTime{"x", 1}).V3(); !errors.Is(err, fault.Metadata) {
		t.Errorf("no unit: %v", err)
	}
	if _, err := (TimeDelta{Second, -1}).V2(NoOrder); !errors.Is(err, fault.Metadata) {
		t.Errorf("no order: %v", err)
	}
}

type inner struct {
	X [3]float32 `zarr:"x"`
	N uint8      `zarr:"n"`
}

type row struct {
	Last  uint16   `zarr:"z"`
	Inner [2]inner `zarr:"p"`
	Name  [3]byte  `zarr:"name,S3"`
	When  Instant  `zarr:"t,M8[s]"`
	Small BF16     `zarr:"b"`
	Skip  string   `zarr:"-"`
	own   int
}

// TestStructsOfGo encodes and decodes Go structs with fields in any order and with padding.
func TestStructsOfGo(t *testing.T) {
	typ, err := Of[row]()
	if err != nil || typ.String() != `struct{"z" uint16, "p" [2]struct{"x" [3]float32, "n" uint8}, "name" S3, "t" numpy.datetime64[s], "b" bfloat16}` {
		t.Fatal(typ, err)
	}
	r := row{Last: 0x0102, Inner: [2]inner{{[3]float32{1, 2, 3}, 4}, {[3]float32{5, 6, 7}, 8}}, Name: [3]byte{'a', 'b'}, When: 9, Small: 0x3fc0, own: 1}
	b := make([]byte, typ.Size())
	if err := Encode(typ, b, reflect.ValueOf(r)); err != nil {
		t.Fatal(err)
	}
	want := "0201" + "0000803f0000004000004040" + "04" + "0000a0400000c0400000e040" + "08" + "616200" + "0900000000000000" + "c03f"
	if hex.EncodeToString(b) != want {
		t.Fatalf("%x, want %s", b, want)
	}
	var back row
	if err := Decode(typ, reflect.ValueOf(&back).Elem(), b); err != nil || back.Last != r.Last || back.Inner != r.Inner || back.Name != r.Name || back.When != r.When || back.Small != r.Small {
		t.Errorf("%+v, %v", back, err)
	}
	moves, err := typ.(*Struct).Moves(reflect.TypeFor[row]())
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, m := range moves {
		total += m.Size
	}
	if total != typ.Size() || len(moves) > 8 {
		t.Errorf("%v", moves)
	}
	other := parsed(t, `[["n","|u1"],["x","<f4",[3]]]`)
	if !other.Fits(reflect.TypeFor[inner]()) || other.Fits(reflect.TypeFor[row]()) || other.Fits(reflect.TypeFor[int]()) {
		t.Error("who fits")
	}
	type more struct {
		inner
		X [3]float32 `zarr:"x"`
		N uint8      `zarr:"n"`
		Y int8
	}
	type wrong struct {
		X [2]float32 `zarr:"x"`
		N uint8      `zarr:"n"`
	}
	type number struct {
		X float64 `zarr:"x"`
		N uint8   `zarr:"n"`
	}
	for _, g := range []reflect.Type{reflect.TypeFor[more](), reflect.TypeFor[wrong](), reflect.TypeFor[number](), reflect.TypeFor[struct{ X [3]float32 }]()} {
		if _, err := other.(*Struct).Moves(g); !errors.Is(err, fault.Type) {
			t.Errorf("%v: %v", g, err)
		}
	}
	nested := parsed(t, `[["p",[["a","|i1"]]]]`).(*Struct)
	if _, err := nested.Moves(reflect.TypeFor[struct {
		P int8 `zarr:"p"`
	}]()); !errors.Is(err, fault.Type) {
		t.Errorf("a number for a structure: %v", err)
	}
}

func TestOfOthers(t *testing.T) {
	type name string
	type key [4]byte
	for _, r := range []struct {
		got  func() (Type, error)
		want string
	}{
		{Of[string], "string"}, {Of[name], "string"}, {Of[[]byte], "bytes"}, {Of[[4]byte], "V4"}, {Of[key], "V4"}, {Of[[4]rune], "U4"}, {Of[BF16], "bfloat16"},
		{Of[Complex[F16]], "complex_float16"}, {Of[int8], "int8"}, {Of[struct{ A [2]Complex[BF16] }], `struct{"A" [2]complex_bfloat16}`},
	} {
		if typ, err := r.got(); err != nil || typ.String() != r.want {
			t.Errorf("%v, %v, want %s", typ, err, r.want)
		}
	}
	type loop struct{ P *loop }
	for i, of := range []func() (Type, error){Of[Instant], Of[Span], Of[int], Of[struct{}], Of[[0]byte], Of[time.Time], Of[[]int], Of[loop], Of[struct{ S string }], Of[struct {
		A int8 `zarr:"a,no such"`
	}], Of[struct {
		A int8 `zarr:"a,f4"`
	}]} {
		if typ, err := of(); err == nil {
			t.Errorf("%d: %v", i, typ)
		}
	}
}

func TestFitsOthers(t *testing.T) {
	for _, r := range []struct {
		typ  string
		g    reflect.Type
		want bool
	}{
		{"S4", reflect.TypeFor[[4]byte](), true}, {"S4", reflect.TypeFor[[3]byte](), false}, {"S4", reflect.TypeFor[[4]F8E5M2](), false}, {"U4", reflect.TypeFor[[4]uint32](), true}, {"U4", reflect.TypeFor[string](), false},
		{"string", reflect.TypeFor[[]byte](), false}, {"bytes", reflect.TypeFor[[]byte](), true}, {"bytes", reflect.TypeFor[[]F8E5M2](), false},
		{"M8[s]", reflect.TypeFor[Instant](), true}, {"M8[s]", reflect.TypeFor[int64](), true}, {"M8[s]", reflect.TypeFor[Span](), false}, {"m8[ns]", reflect.TypeFor[time.Duration](), false}, {"m8[s]", reflect.TypeFor[Span](), true},
		{"i8", reflect.TypeFor[Instant](), false}, {"u1", reflect.TypeFor[F8E5M2](), false}, {"float8_e5m2", reflect.TypeFor[F8E5M2](), true}, {"float8_e5m2", reflect.TypeFor[F8E5M2FNUZ](), false},
		{"int4", reflect.TypeFor[int8](), true}, {"complex_bfloat16", reflect.TypeFor[[2]BF16](), true}, {"complex_bfloat16", reflect.TypeFor[[2]F16](), false},
	} {
		if got := parsed(t, r.typ).Fits(r.g); got != r.want {
			t.Errorf("%s fits %v: %v", r.typ, r.g, got)
		}
	}
}

func TestValue(t *testing.T) {
	epoch := time.Unix(0, 0)
	for _, r := range []struct {
		typ  string
		v    any
		want string // hex; "?" if ok is false, "!" for an error
	}{
		{"S4", "ab", "61620000"}, {"S4", []byte("ab"), "61620000"}, {"S4", "abcde", "!"}, {"S4", [4]byte{1}, "01000000"}, {"S4", 5, "?"},
		{"V2", []byte{1, 2}, "0102"}, {"V2", []byte{1}, "!"}, {"r16", "ab", "6162"}, {"U2", "é", "e900000000000000"}, {"U2", "abc", "!"}, {"U2", "\xff", "!"}, {"U2", [2]rune{1, 2}, "0100000002000000"},
		{"string", "ab", "6162"}, {"bytes", []byte{}, ""}, {"bytes", "ab", "?"}, {"string", nil, "?"},
		{"M8[s]", epoch.Add(time.Second), "0100000000000000"}, {"M8[s]", epoch.Add(1), "!"}, {"M8[s]", Instant(5), "0500000000000000"}, {"M8", epoch, "!"},
		{"m8[ms]", 3 * time.Millisecond, "0300000000000000"}, {"m8[ms]", time.Duration(1), "!"}, {"m8[Y]", time.Hour, "!"}, {"m8[ms]", "x", "?"},
		{"float32", float32(1), "0000803f"}, {"float32", 1.0, "?"}, {"complex_float16", Complex[F16]{0x3c00, 0}, "003c0000"}, {`[["A","<i2"]]`, struct{ A int16 }{7}, "0700"},
	} {
		b, ok, err := Value(parsed(t, r.typ), r.v)
		got := hex.EncodeToString(b)
		if !ok {
			got = "?"
		} else if err != nil {
			got = "!"
			if !errors.Is(err, fault.Type) {
				t.Errorf("%v as %s: %v", r.v, r.typ, err)
			}
		}
		if got != r.want {
			t.Errorf("%v as %s: %s, %v, want %s", r.v, r.typ, got, err, r.want)
		}
	}
	if Text([]byte("a\x00b\x00")) != "a\x00b" || Runes([]rune{'a', 0, 0}) != "a" {
		t.Error("padding")
	}
	if err := Encode(Int8, make([]byte, 1), reflect.ValueOf("x")); !errors.Is(err, fault.Type) {
		t.Errorf("a string for a number: %v", err)
	}
	if err := Decode(Int8, reflect.ValueOf(new(string)).Elem(), []byte{1}); !errors.Is(err, fault.Type) {
		t.Errorf("a number for a string: %v", err)
	}
}

// as converts one element and returns it as text: "!" for an element that does not fit, "?" if
// there is no conversion.
func as[T any](t *testing.T, typ string, v any) string {
	t.Helper()
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		t.Fatal(err)
	}
	dt := parsed(t, typ)
	if err := Converts(dt, reflect.TypeFor[T]()); err != nil {
		if !errors.Is(err, fault.Type) {
			t.Error(err)
		}
		return "?"
	}
	dst := make([]T, 1)
	if err := Convert(dt, dst, b); err != nil {
		if !errors.Is(err, fault.Type) || !strings.Contains(err.Error(), "element 0") {
			t.Error(err)
		}
		return "!"
	}
	return fmt.Sprint(dst[0])
}

func TestConvert(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for i, r := range []struct{ got, want string }{
		{as[int8](t, "i4", int32(-128)), "-128"}, {as[int8](t, "i4", int32(128)), "!"}, {as[uint8](t, "i1", int8(-1)), "!"}, {as[uint64](t, "i8", int64(5)), "5"}, {as[int](t, "u8", uint64(1<<63)), "!"}, {as[int](t, "u8", uint64(7)), "7"},
		{as[float64](t, "i8", int64(1<<53)), "9.007199254740992e+15"}, {as[float64](t, "i8", int64(1<<53+1)), "!"}, {as[float64](t, "i8", int64(math.MaxInt64)), "!"}, {as[float64](t, "u8", uint64(math.MaxUint64)), "!"}, {as[float64](t, "i8", int64(math.MinInt64)), "-9.223372036854776e+18"},
		{as[float32](t, "f8", 0.1), "!"}, {as[float32](t, "f8", 0.5), "0.5"}, {as[float32](t, "f8", nan), "NaN"}, {as[float32](t, "f8", inf), "+Inf"}, {as[float32](t, "f8", 1e300), "!"}, {as[float64](t, "f4", float32(0.1)), "0.10000000149011612"},
		{as[int](t, "f8", 3.0), "3"}, {as[int](t, "f8", 3.5), "!"}, {as[int](t, "f8", nan), "!"}, {as[int](t, "f8", inf), "!"}, {as[int64](t, "f8", 0x1p63), "!"}, {as[int64](t, "f8", -0x1p63), "-9223372036854775808"}, {as[uint64](t, "f8", 0x1p64), "!"}, {as[uint8](t, "f8", -1.0), "!"}, {as[uint8](t, "f8", 255.0), "255"},
		{as[int](t, "b1", true), "1"}, {as[float64](t, "b1", false), "0"}, {as[bool](t, "b1", true), "true"}, {as[bool](t, "u1", uint8(1)), "?"},
		{as[float64](t, "c16", complex(2, 0)), "2"}, {as[float64](t, "c16", complex(2, 1)), "!"}, {as[int](t, "c8", complex64(4)), "4"}, {as[int](t, "c8", complex64(4i)), "!"}, {as[complex64](t, "c16", complex(0.5, 0.25)), "(0.5+0.25i)"}, {as[complex64](t, "c16", complex(0.1, 0)), "!"}, {as[complex128](t, "f4", float32(2)), "(2+0i)"}, {as[complex128](t, "u8", uint64(1<<53+1)), "!"},
		{as[float32](t, "bfloat16", uint16(0x3fc0)), "1.5"}, {as[int](t, "float8_e4m3fn", uint8(0x7e)), "448"}, {as[int](t, "int4", int8(-8)), "-8"}, {as[BF16](t, "f8", 1.5), "16320"}, {as[BF16](t, "f8", 1.001), "!"}, {as[F8E4M3FN](t, "f8", nan), "127"}, {as[F4E2M1FN](t, "f8", nan), "!"}, {as[F4E2M1FN](t, "i8", int64(6)), "7"}, {as[F16](t, "u8", uint64(1<<60+1)), "!"},
		{as[complex64](t, "complex_bfloat16", [2]uint16{0x3f80, 0xbf80}), "(1-1i)"},
		{as[string](t, "S4", [4]byte{'a', 'b'}), "ab"}, {as[[]byte](t, "S4", [4]byte{'a', 'b'}), "[97 98]"}, {as[[]byte](t, "V2", [2]byte{1, 0}), "[1 0]"}, {as[string](t, "V2", [2]byte{1, 0}), "?"}, {as[[]byte](t, "r16", [2]byte{1, 0}), "[1 0]"},
		{as[string](t, "U2", [2]rune{'é', 0}), "é"}, {as[string](t, "U2", [2]rune{0x110000, 0}), "!"}, {as[[]byte](t, "U2", [2]rune{1, 0}), "?"}, {as[int](t, "S1", [1]byte{}), "?"}, {as[string](t, "i4", int32(1)), "?"},
		{as[time.Time](t, "M8[s]", int64(1)), "1970-01-01 00:00:01 +0000 UTC"}, {as[time.Time](t, "M8[ps]", int64(1)), "!"}, {as[time.Time](t, "M8[s]", int64(NaT)), "!"}, {as[time.Time](t, "m8[s]", int64(1)), "?"}, {as[time.Time](t, "i8", int64(1)), "?"},
		{as[time.Duration](t, "m8[ms]", int64(5)), "5ms"}, {as[time.Duration](t, "m8[ps]", int64(5)), "!"}, {as[time.Duration](t, "m8[Y]", int64(5)), "!"}, {as[time.Duration](t, "M8[s]", int64(5)), "?"},
		{as[float64](t, "M8[s]", int64(5)), "5"}, {as[int](t, "M8[s]", int64(NaT)), "!"}, {as[Span](t, "i8", int64(5)), "?"}, {as[int64](t, "m8[s]", int64(NaT)), "-9223372036854775808"},
		{as[float32](t, "f4", float32(0.1)), "0.1"}, {as[chan int](t, "f4", float32(0)), "?"}, {as[struct{ A int16 }](t, `[["A","<i2"]]`, int16(3)), "{3}"},
	} {
		if r.got != r.want {
			t.Errorf("%d: %s, want %s", i, r.got, r.want)
		}
	}
	if n := (num{kind: 'c', re: 1, im: 2}); n.String() != "(1+2i)" || (num{kind: 'b', u: 1}).String() != "1" || (num{kind: 'i', i: -1}).String() != "-1" {
		t.Error(n)
	}
}

// TestNothingSwaps checks that Swap does not change types without byte order.
func TestNothingSwaps(t *testing.T) {
	for _, s := range []string{"S4", "V4", "r32", "string", "bytes", "M8[s]", "m8[s]", "U1"} {
		typ := parsed(t, s)
		b := []byte{1, 2, 3, 4, 5, 6, 7, 8}
		want := bytes.Clone(b)
		typ.Canon(b)
		if !typ.HasOrder() {
			typ.Swap(b)
		} else {
			typ.Swap(b)
			typ.Swap(b)
		}
		if !bytes.Equal(b, want) {
			t.Errorf("%s: %v", s, b)
		}
	}
}
