package pcodec_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/codectest"
	"github.com/zargo-io/zargo/zarr/codec/pcodec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

var types = []dtype.Type{
	dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16, dtype.Int32, dtype.Uint32, dtype.Int64, dtype.Uint64,
	dtype.Float16, dtype.Float32, dtype.Float64, dtype.DateTime{Unit: "s", Scale: 1},
	dtype.ComplexFloat16, dtype.Complex64, dtype.Complex128,
}

// TestArray checks the contract of the codec of an array.
func TestArray(t *testing.T) {
	for _, typ := range types {
		codectest.Run(t, pcodec.Add(codec.Builtin()), pcodec.Level(8), codec.Repr{Shape: []int{20, 19}, Type: typ})
	}
	for _, shape := range [][]int{{}, {0}, {1}, {3000}} {
		codectest.Run(t, pcodec.Add(codec.Builtin()), codec.Spec{Name: pcodec.ShortName}, codec.Repr{Shape: shape, Type: dtype.Float32})
	}
}

// TestBytes checks the contract of the codec after "bytes".
func TestBytes(t *testing.T) {
	for _, typ := range types {
		if typ.HasOrder() {
			codectest.Run(t, pcodec.Add(codec.Builtin()), pcodec.Level(8), codec.Repr{Shape: []int{20, 19}, Type: typ, Order: dtype.Little})
		}
	}
}

// TestRoundTrip encodes and decodes random arrays with random settings.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 2000 {
		typ := types[i%len(types)]
		src := content(r, r.IntN(2000)*typ.Size(), typ.Size())
		config := fmt.Sprintf(`{"level":%d,"equal_pages_up_to":%d}`, r.IntN(13), 1+r.IntN(1500))
		if r.IntN(2) == 0 {
			config = fmt.Sprintf(`{"level":%d,"delta_encoding_order":%d}`, r.IntN(13), r.IntN(8))
		}
		c := chain(t, typ, len(src), config)
		stored, err := c.Encode(nil, codec.Block{Bytes: src}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(src))
		if err := c.Decode(codec.Block{Bytes: got}, stored, nil); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%v %s of %d bytes: equal %v, %v", typ, config, len(src), bytes.Equal(got, src), err)
		}
	}
}

// content returns n bytes of little-endian integers of size bytes: random, smooth or repeated.
func content(r *rand.Rand, n, size int) []byte {
	b := make([]byte, n)
	kind, spread := r.IntN(4), uint64(1)<<r.IntN(20)
	x := r.Uint64()
	for i := range n / size {
		switch kind {
		case 0:
			x = r.Uint64()
		case 1:
			x += r.Uint64N(spread) - spread/2
		case 2:
			x = uint64(i) * spread
		case 3:
			if x = 7; r.IntN(10) == 0 {
				x = r.Uint64()
			}
		}
		for k := range size {
			b[i*size+k] = byte(x >> (8 * k))
		}
	}
	return b
}

// TestSizes checks that the encoder finds the structure of simple arrays, and that random ones take
// little more than their bytes.
func TestSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	tests := []struct {
		name string
		of   func(i int) uint32
		most int
	}{
		{"constant", func(int) uint32 { return 99 }, 40},
		{"line", func(i int) uint32 { return uint32(7 * i) }, 50},
		{"square", func(i int) uint32 { return uint32(i * i) }, 60},
		{"8 bits", func(int) uint32 { return 1<<20 + r.Uint32N(256) }, 10_050},
		{"one in 16", func(int) uint32 { return r.Uint32N(16) / 15 * 1000 }, 500},
		{"random", func(int) uint32 { return r.Uint32() }, 40_060},
	}
	for _, tt := range tests {
		src := make([]byte, 0, 40_000)
		for i := range 10_000 {
			v := tt.of(i)
			src = append(src, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
		stored, err := chain(t, dtype.Uint32, len(src), `{}`).Encode(nil, codec.Block{Bytes: src}, nil)
		if err != nil || len(stored) > tt.most {
			t.Errorf("%s: %d bytes, want at most %d, %v", tt.name, len(stored), tt.most, err)
		}
	}
}

// TestBind checks configurations and data types.
func TestBind(t *testing.T) {
	f4 := codec.Repr{Shape: []int{4}, Type: dtype.Float32}
	all := `{"level":8,"mode_spec":"auto","delta_spec":"try_consecutive","paging_spec":"equal_pages_up_to","delta_encoding_order":null,"equal_pages_up_to":262144}`
	tests := []struct {
		name, config string
		in           codec.Repr
		want         error
	}{
		{"all members", all, f4, nil},
		{"level", `{"level":13}`, f4, fault.Metadata},
		{"level is text", `{"level":"8"}`, f4, fault.Metadata},
		{"unknown member", `{"levels":8}`, f4, fault.Metadata},
		{"unknown mode", `{"mode_spec":"fast"}`, f4, fault.Metadata},
		{"unknown delta", `{"delta_spec":"fast"}`, f4, fault.Metadata},
		{"unknown paging", `{"paging_spec":"exact"}`, f4, fault.Metadata},
		{"order", `{"delta_encoding_order":8}`, f4, fault.Metadata},
		{"empty pages", `{"equal_pages_up_to":0}`, f4, fault.Metadata},
		{"many pages", `{"equal_pages_up_to":1099511627776}`, f4, nil},
		{"order without delta", `{"delta_spec":"none","delta_encoding_order":1}`, f4, nil},
		{"order of lookback", `{"delta_spec":"try_lookback","delta_encoding_order":1}`, f4, nil},
		{"no delta", `{"delta_spec":"no_op"}`, f4, nil},
		{"no object", `[]`, f4, fault.Metadata},
		{"bool", `{}`, codec.Repr{Shape: []int{4}, Type: dtype.Bool}, errors.ErrUnsupported},
		{"complex", `{}`, codec.Repr{Shape: []int{4}, Type: dtype.Complex64}, nil},
		{"complex of 16 bits", `{}`, codec.Repr{Shape: []int{4}, Type: dtype.ComplexBFloat16}, errors.ErrUnsupported},
		{"text", `{}`, codec.Repr{Shape: []int{4}, Type: dtype.String}, errors.ErrUnsupported},
		{"big-endian", `{}`, codec.Repr{Shape: []int{4}, Type: dtype.Int32, Order: dtype.Big}, errors.ErrUnsupported},
	}
	for _, tt := range tests {
		_, err := pcodec.Add(codec.Builtin()).Normalize([]codec.Spec{{Name: pcodec.Name, Config: []byte(tt.config)}}, tt.in)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func ExampleAdd() {
	ctx, st := context.Background(), mem.New()
	table := zarr.Extensions(pcodec.Add(codec.Builtin()), nil)
	spec := zarr.Spec{Shape: []int{1000}, DType: dtype.Float64, Codecs: []codec.Spec{pcodec.Level(8)}}
	a, err := zarr.Create(ctx, st, "a", spec, table)
	if err != nil {
		panic(err)
	}
	values := make([]float64, 1000)
	for i := range values {
		values[i] = float64(i)
	}
	if err := zarr.Write(ctx, a, values); err != nil {
		panic(err)
	}
	got, err := zarr.Read[float64](ctx, a)
	fmt.Println(got[999], err)
	// Output: 999 <nil>
}
