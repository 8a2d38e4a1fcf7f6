package number

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/zargo-io/zargo/zarr/dtype"
)

var all = []dtype.Type{dtype.Bool, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64,
	dtype.Float16, dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128, dtype.DateTime{Unit: dtype.Second}}

func of(t *testing.T, d dtype.Type) Type {
	t.Helper()
	n, ok := Of(d)
	if !ok {
		t.Fatalf("no number: %v", d)
	}
	return n
}

// TestOf checks that types without arithmetic in numpy are rejected.
func TestOf(t *testing.T) {
	for _, d := range []dtype.Type{dtype.String, dtype.BFloat16, dtype.Int4, dtype.ComplexFloat16, dtype.S(4)} {
		if n, ok := Of(d); ok {
			t.Errorf("%v is %+v", d, n)
		}
	}
}

// TestSame checks that casts to the same type in another byte order keep all bits, and that loading
// and storing is lossless for every type.
func TestSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range all {
		n := of(t, d)
		src := make([]byte, 1500*n.Size)
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		d.Canon(src)
		want := append([]byte{}, src...)
		d.Swap(want)
		for name, steps := range map[string][]Step{"copy": nil, "load and store": {func(*Block) {}}, "cast": {Cast(n, n)}} {
			if name == "cast" && n.Kind == Float && n.Size == 4 {
				continue
			}
			got := make([]byte, len(src))
			if err := Run(got, src, n, n.In(dtype.Big), steps...); err != nil || string(got) != string(want) {
				t.Errorf("%v, %s: differs (%v)", d, name, err)
			}
		}
	}
}

// TestPromote compares Promote with numpy.promote_types. Rows and columns are in the order of all.
func TestPromote(t *testing.T) {
	const table = `b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16
i1 i1 i2 i4 i8 i2 i4 i8 f8 f2 f4 f8 c8 c16
i2 i2 i2 i4 i8 i2 i4 i8 f8 f4 f4 f8 c8 c16
i4 i4 i4 i4 i8 i4 i4 i8 f8 f8 f8 f8 c16 c16
i8 i8 i8 i8 i8 i8 i8 i8 f8 f8 f8 f8 c16 c16
u1 i2 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16
u2 i4 i4 i4 i8 u2 u2 u4 u8 f4 f4 f8 c8 c16
u4 i8 i8 i8 i8 u4 u4 u4 u8 f8 f8 f8 c16 c16
u8 f8 f8 f8 f8 u8 u8 u8 u8 f8 f8 f8 c16 c16
f2 f2 f4 f8 f8 f2 f4 f8 f8 f2 f4 f8 c8 c16
f4 f4 f4 f8 f8 f4 f4 f8 f8 f4 f4 f8 c8 c16
f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 c16 c16
c8 c8 c8 c16 c16 c8 c8 c16 c16 c8 c8 c16 c8 c16
c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16
`
	var got []byte
	kinds := map[Kind]string{Bool: "b", Int: "i", Uint: "u", Float: "f", Complex: "c"}
	for _, a := range all[:14] {
		for i, b := range all[:14] {
			if i > 0 {
				got = append(got, ' ')
			}
			p := Promote(of(t, a), of(t, b))
			got = append(got, kinds[p.Kind]...)
			got = append(got, big.NewInt(int64(p.Size)).String()...)
		}
		got = append(got, '\n')
	}
	if string(got) != table {
		t.Errorf("got\n%swant\n%s", got, table)
	}
	if p := Promote(of(t, all[14]), of(t, dtype.Int8)); p.Kind != Time {
		t.Errorf("times and numbers are %+v", p)
	}
}

// TestConvert compares rounding of random numbers to float32 in every mode with exact arithmetic.
func TestConvert(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	modes := map[Rounding]big.RoundingMode{NearestEven: big.ToNearestEven, TowardsZero: big.ToZero, TowardsPositive: big.ToPositiveInf, TowardsNegative: big.ToNegativeInf, NearestAway: big.ToNearestAway}
	single, double, signed, unsigned := of(t, dtype.Float32), of(t, dtype.Float64), of(t, dtype.Int64), of(t, dtype.Uint64)
	for mode, m := range modes {
		for range 2000 {
			f := math.Ldexp(r.NormFloat64(), r.IntN(200)-100)
			if r.IntN(2) == 0 { // a tie, or almost a tie
				f = float64(float32(f)) * (1 + math.Ldexp(float64(r.IntN(3)), -24))
			}
			u := r.Uint64() >> r.IntN(64)
			for _, c := range []struct {
				from Type
				bits uint64
				x    *big.Float
			}{
				{double, math.Float64bits(f), big.NewFloat(f)},
				{signed, u, new(big.Float).SetInt64(int64(u))},
				{unsigned, u, new(big.Float).SetUint64(u)},
			} {
				want, _ := new(big.Float).SetPrec(24).SetMode(m).Set(c.x).Float32()
				src, dst := binary.LittleEndian.AppendUint64(nil, c.bits), make([]byte, 4)
				if err := Run(dst, src, c.from, single, Convert(c.from, single, mode, Refuse, nil)); err != nil {
					t.Fatal(err)
				}
				if got := math.Float32frombits(binary.LittleEndian.Uint32(dst)); got != want {
					t.Fatalf("%s: %v is %v, want %v", mode, c.x, got, want)
				}
			}
		}
	}
}

// TestChecked compares checked integer steps of every size with exact arithmetic.
func TestChecked(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, d := range all[1:9] {
		n := of(t, d)
		lo, hi := n.Range()
		exact := func(u uint64) *big.Int {
			if n.Kind == Uint {
				return new(big.Int).SetUint64(u)
			}
			return big.NewInt(int64(u))
		}
		holds := func(x *big.Int) bool { return x.Cmp(big.NewInt(lo)) >= 0 && x.Cmp(new(big.Int).SetUint64(hi)) <= 0 }
		pick := func() uint64 {
			switch r.IntN(4) {
			case 0:
				return uint64(lo)
			case 1:
				return n.wrap(uint64(r.IntN(5)) - 2)
			case 2:
				return hi
			}
			return n.wrap(r.Uint64() >> r.IntN(64))
		}
		for range 3000 {
			x, offset, scale := pick(), pick(), pick()
			if scale == 0 {
				continue
			}
			for name, c := range map[string]struct {
				step Step
				want *big.Int
				ok   bool
			}{
				"there": func() (c struct {
					step Step
					want *big.Int
					ok   bool
				}) {
					diff := new(big.Int).Sub(exact(x), exact(offset))
					c.step, c.ok = Checked{n}.Minus(offset, scale), holds(diff)
					c.want = diff.Mul(diff, exact(scale))
					return c
				}(),
				"back": func() (c struct {
					step Step
					want *big.Int
					ok   bool
				}) {
					q, m := new(big.Int).DivMod(exact(x), exact(scale), new(big.Int)) // Euclidean
					if m.Sign() != 0 && exact(scale).Sign() < 0 {
						q.Sub(q, big.NewInt(1))
					}
					c.step, c.ok = Checked{n}.Over(scale, offset), holds(q)
					c.want = q.Add(q, exact(offset))
					return c
				}(),
			} {
				b := &Block{N: 1}
				b.Int[0] = x
				c.step(b)
				fits := c.ok && holds(c.want)
				if fits != (b.Err == nil) || fits && exact(b.Int[0]).Cmp(c.want) != 0 {
					t.Fatalf("%v %s: x %d offset %d scale %d: %d, %v; want %v", d, name, exact(x), exact(offset), exact(scale), exact(b.Int[0]), b.Err, c.want)
				}
			}
		}
	}
}

// TestCuts checks casts of floats that are out of range. The results must be the same on every
// machine.
func TestCuts(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		to   dtype.Type
		f    float64
		want uint64
	}{
		{dtype.Int8, 300, 44}, {dtype.Int8, -129, 127}, {dtype.Int8, 1e10, 0}, {dtype.Int8, nan, 0}, {dtype.Uint8, -1, 255},
		{dtype.Int32, 1 << 31, 1<<64 - 1<<31}, {dtype.Int32, -1<<31 - 0.5, 1<<64 - 1<<31}, {dtype.Int32, 1<<31 - 0.5, 1<<31 - 1}, {dtype.Int32, nan, 1<<64 - 1<<31},
		{dtype.Uint32, 1<<32 - 1, 1<<32 - 1}, {dtype.Uint32, -1, 1<<32 - 1}, {dtype.Uint32, inf, 0},
		{dtype.Int64, inf, 1 << 63}, {dtype.Int64, nan, 1 << 63}, {dtype.Int64, -1 << 63, 1 << 63},
		{dtype.Uint64, 1 << 63, 1 << 63}, {dtype.Uint64, inf, 0}, {dtype.Uint64, nan, 1 << 63}, {dtype.Uint64, -1, 1<<64 - 1}, {dtype.Uint64, 1.5 * (1 << 63), 3 << 62},
		{dtype.Bool, nan, 1}, {dtype.Bool, 0, 0}, {dtype.Bool, 0.1, 1},
	} {
		b := &Block{N: 1}
		b.Re[0] = tt.f
		Cast(of(t, dtype.Float64), of(t, tt.to))(b)
		if b.Int[0] != tt.want {
			t.Errorf("%v as %v is %#x, want %#x", tt.f, tt.to, b.Int[0], tt.want)
		}
	}
}

// TestDifferencesOfTimes checks that NaT propagates in differences and sums.
func TestDifferencesOfTimes(t *testing.T) {
	n := of(t, all[14])
	b := &Block{N: 4}
	copy(b.Int[:], []uint64{5, smallest, 7, 9})
	Differences(n)(b)
	if b.Int[0] != 5 || b.Int[1] != smallest || b.Int[2] != smallest || b.Int[3] != 2 {
		t.Errorf("differences %x", b.Int[:4])
	}
	Sums(n)(b)
	if b.Int[0] != 5 || b.Int[1] != smallest || b.Int[2] != smallest || b.Int[3] != smallest {
		t.Errorf("sums %x", b.Int[:4])
	}
}

func BenchmarkRun(b *testing.B) {
	f8, i2 := Type{Kind: Float, Size: 8}, Type{Kind: Int, Size: 2}
	src, dst := make([]byte, 1<<20), make([]byte, 1<<18)
	for name, steps := range map[string][]Step{
		"steps=cast":  {Cast(f8, i2)},
		"steps=scale": {Minus(f8, 3), Times(f8, 10), Around, Cast(f8, i2)},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if err := Run(dst, src, f8, i2, steps...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
