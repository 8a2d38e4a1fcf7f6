package dtype

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// reference returns the numbers of a small float according to its definition, with their patterns,
// from the smallest.
func reference(m format) (patterns []uint64, values []float64) {
	n := uint64(1) << m.bits
	if m.special != scale {
		n /= 2
	}
	for x := range n {
		exp, frac := x>>m.frac, x&(1<<m.frac-1)
		top := exp == m.expMax()
		switch {
		case m.special == ieee && top, m.special == scale && x == 0xff, m.special == fn && x == n-1:
			continue
		}
		v := math.Ldexp(1+float64(frac)/float64(uint64(1)<<m.frac), int(exp)-m.bias)
		if exp == 0 && m.special != scale {
			v = math.Ldexp(float64(frac)/float64(uint64(1)<<m.frac), 1-m.bias)
		}
		patterns, values = append(patterns, x), append(values, v)
	}
	return patterns, values
}

// TestSmallFloats compares every pattern of every small format with the definition. It compares
// rounding at, just below and just above every number and every midpoint with the nearest number.
func TestSmallFloats(t *testing.T) {
	for b := range basics {
		info := b.info()
		m := info.float
		if info.class != floating || info.unit > 2 {
			continue
		}
		t.Run(b.String(), func(t *testing.T) {
			patterns, values := reference(m)
			for i, x := range patterns {
				if got := m.value(x); got != values[i] {
					t.Fatalf("%#x is %v, want %v", x, got, values[i])
				}
				if got := m.float32(x); float64(got) != values[i] {
					t.Fatalf("%#x is %v as float32, want %v", x, got, values[i])
				}
				if m.special != scale && (values[i] != 0 || m.special != fnuz) {
					if got := m.value(x | m.sign()); got != -values[i] || !math.Signbit(got) {
						t.Fatalf("%#x is %v, want %v", x|m.sign(), got, -values[i])
					}
				}
				check := func(f float64, want uint64) {
					t.Helper()
					if got, fits := m.round(f); got != want || !fits {
						t.Fatalf("%v rounds to %#x, %v, want %#x", f, got, fits, want)
					}
					if m.special == scale || want == 0 {
						return
					}
					if got, fits := m.round(-f); got != want|m.sign() || !fits {
						t.Fatalf("%v rounds to %#x, %v", -f, got, fits)
					}
				}
				if values[i] != 0 {
					check(values[i], x)
				}
				if i+1 == len(patterns) {
					continue
				}
				mid := (values[i] + values[i+1]) / 2
				even := x + x&1
				if m.special == scale {
					even = x + 1
				}
				check(mid, even)
				check(math.Nextafter(mid, 0), x)
				check(math.Nextafter(mid, math.Inf(1)), x+1)
			}
			last := len(values) - 1
			if patterns[last] != m.largest() {
				t.Errorf("the largest is %#x, not %#x", patterns[last], m.largest())
			}
			// Half a step beyond the largest number rounds to the next number that the format
			// lacks.
			step := values[last] - values[last-1]
			if m.special == scale {
				step = values[last]
			}
			if _, fits := m.round(values[last] + step*0.51); fits {
				t.Error("a number beyond the range fits")
			}
			if m.frac > 0 {
				if x, fits := m.round(values[last] + step*0.49); x != patterns[last] || !fits {
					t.Errorf("just beyond the largest: %#x, %v", x, fits)
				}
			}
		})
	}
}

// roundAll rounds float32s with all upper halves and some lower ones. It omits NaNs if the format
// has none.
func roundAll[T SmallFloat]() string {
	h := sha256.New()
	m := T(0).format()
	for hi := range uint32(1 << 16) {
		for _, lo := range []uint32{0, 1, 0x7fff, 0x8000, 0x8001, 0xffff} {
			f := math.Float32frombits(hi<<16 | lo)
			if f != f {
				f = float32(math.NaN()) // payloads are not compared
				if m.special == finite {
					continue
				}
			}
			if m.special == scale && hi&0x7f80 == 0 {
				continue // ml_dtypes rounds every subnormal above 2^-127 to 2^-126, which is not the nearest
			}
			x := uint16(Round[T](float64(f)))
			h.Write([]byte{byte(x), byte(x >> 8)})
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// TestRoundAsMLDtypes compares Round with ml_dtypes 0.6.0. testdata/small_floats.py computes a
// digest of its results.
func TestRoundAsMLDtypes(t *testing.T) {
	for _, r := range []struct{ name, got, want string }{
		{"bfloat16", roundAll[BF16](), "840d63637fa5c101"},
		{"float16", roundAll[F16](), "79599846c8a06d37"},
		{"float8_e3m4", roundAll[F8E3M4](), "18a6e8d3e0c8363c"},
		{"float8_e4m3", roundAll[F8E4M3](), "46835a4c27fdf82f"},
		{"float8_e4m3b11fnuz", roundAll[F8E4M3B11FNUZ](), "f1b6a9b87686728c"},
		{"float8_e4m3fn", roundAll[F8E4M3FN](), "323176c3827ab372"},
		{"float8_e4m3fnuz", roundAll[F8E4M3FNUZ](), "d379103e660c930e"},
		{"float8_e5m2", roundAll[F8E5M2](), "b9d362316c4a4588"},
		{"float8_e5m2fnuz", roundAll[F8E5M2FNUZ](), "60ad8cc1588c4722"},
		{"float8_e8m0fnu", roundAll[F8E8M0FNU](), "0d623d6d991b8312"},
		{"float6_e2m3fn", roundAll[F6E2M3FN](), "ee996170fdbf14e1"},
		{"float6_e3m2fn", roundAll[F6E3M2FN](), "b5c487b8fc88933f"},
		{"float4_e2m1fn", roundAll[F4E2M1FN](), "f70eb4711a803c62"},
	} {
		if r.got != r.want {
			t.Errorf("%s: %s, want %s", r.name, r.got, r.want)
		}
	}
}

// TestNaNs checks that conversions keep the sign and payload of a NaN as far as the formats have
// them.
func TestNaNs(t *testing.T) {
	for x := range uint32(1 << 16) {
		if h := BF16(x); h.Float32() != h.Float32() && Round[BF16](float64keep(h.Float32())) != h {
			t.Fatalf("%#x is %#x", x, math.Float32bits(h.Float32()))
		}
	}
	minus := math.Copysign(math.NaN(), -1)
	for _, r := range []struct {
		name      string
		got, want uint8
	}{
		{"e4m3fn", uint8(Round[F8E4M3FN](minus)), 0xff}, {"e5m2", uint8(Round[F8E5M2](minus)), 0xfe}, {"e5m2fnuz", uint8(Round[F8E5M2FNUZ](minus)), 0x80},
		{"e8m0fnu", uint8(Round[F8E8M0FNU](minus)), 0xff}, {"e2m1fn", uint8(Round[F4E2M1FN](math.NaN())), 8}, {"e8m0fnu of 0", uint8(Round[F8E8M0FNU](0)), 0xff},
		{"e4m3fn below", uint8(Round[F8E4M3FN](-1e9)), 0xff}, {"e2m1fn above", uint8(Round[F4E2M1FN](1e9)), 7}, {"e5m2 above", uint8(Round[F8E5M2](1e9)), 0x7c},
	} {
		if r.got != r.want {
			t.Errorf("%s: %#x, want %#x", r.name, r.got, r.want)
		}
	}
	if f := F8E4M3FN(0xff).Float32(); f == f || !math.Signbit(float64(f)) {
		t.Errorf("a negative NaN is %v", f)
	}
	if c := (Complex[F8E5M2]{0x3c, 0xbc}).Complex64(); c != 1-1i {
		t.Errorf("1-1i is %v", c)
	}
}

// TestSmallFloat32 calls the method of every type, to detect one that uses the wrong format.
func TestSmallFloat32(t *testing.T) {
	check := func(name string, got, want float32) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	check("e3m4", F8E3M4(0x31).Float32(), 1.0625)
	check("e4m3", F8E4M3(0x39).Float32(), 1.125)
	check("e4m3b11fnuz", F8E4M3B11FNUZ(0x59).Float32(), 1.125)
	check("e4m3fn", F8E4M3FN(0x7e).Float32(), 448)
	check("e4m3fnuz", F8E4M3FNUZ(0x7f).Float32(), 240)
	check("e5m2", F8E5M2(0x7b).Float32(), 57344)
	check("e5m2fnuz", F8E5M2FNUZ(0x41).Float32(), 1.25)
	check("e8m0fnu", F8E8M0FNU(0x80).Float32(), 2)
	check("e2m3fn", F6E2M3FN(0xdf).Float32(), 7.5) // upper bits do not count
	check("e3m2fn", F6E3M2FN(0xdf).Float32(), 28)
	check("e2m1fn", F4E2M1FN(0xf7).Float32(), 6)
	check("bfloat16", BF16(0x3fc0).Float32(), 1.5)
}

// TestSmallNamesOfV2 compares the names in v2 with those that TensorStore 0.1.86 accepts.
// TensorStore refuses the other small numbers.
func TestSmallNamesOfV2(t *testing.T) {
	takes := strings.Fields("int2 int4 bfloat16 float8_e3m4 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn")
	for b := Int2; b < numBasic; b++ {
		name := json.RawMessage(strconv.Quote(b.String()))
		wrote, werr := b.V2(Little)
		read, _, rerr := ParseV2(name)
		if slices.Contains(takes, b.String()) {
			if werr != nil || rerr != nil || string(wrote) != string(name) || read != Type(b) {
				t.Errorf("%v: writes %s, %v, reads %v, %v", b, wrote, werr, read, rerr)
			}
		} else if !errors.Is(werr, errors.ErrUnsupported) || !errors.Is(rerr, errors.ErrUnsupported) {
			t.Errorf("%v: writes %s, %v, reads %v, %v", b, wrote, werr, read, rerr)
		}
	}
}
