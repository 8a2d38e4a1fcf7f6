package codec_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

func vlenChain(t testing.TB, typ dtype.VarLen, shape []int, names ...string) *codec.Chain {
	t.Helper()
	specs := make([]codec.Spec, len(names))
	for i, n := range names {
		name, config, ok := strings.Cut(n, "{")
		if specs[i].Name = name; ok {
			specs[i].Config = json.RawMessage("{" + config)
		}
	}
	c, err := codec.Builtin().Chain(specs, codec.Repr{Shape: shape, Type: typ})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func texts(s ...string) [][]byte {
	items := make([][]byte, len(s))
	for i, w := range s {
		items[i] = []byte(w)
	}
	return items
}

// TestVlenBytes compares encoded text with the output of numcodecs:
// VLenUTF8().encode(np.array(["é", "", "ab"], object)).
func TestVlenBytes(t *testing.T) {
	const want = "03000000" + "02000000c3a9" + "00000000" + "020000006162"
	for _, name := range []string{"vlen-utf8", "numcodecs.vlen-utf8"} {
		c := vlenChain(t, dtype.String, []int{3}, name)
		b, err := c.Encode(nil, codec.Block{Items: texts("é", "", "ab")}, nil)
		if err != nil || hex.EncodeToString(b) != want || c.EncodedSize() != -1 || c.InPlace() {
			t.Errorf("%s: %x, %v", name, b, err)
		}
	}
}

func TestVlenRoundTrip(t *testing.T) {
	for _, names := range [][]string{{"vlen-utf8"}, {`transpose{"order":[1,0]}`, "vlen-utf8"}, {`transpose{"order":[1,0]}`, "vlen-utf8", "zstd", "crc32c"}, {"numcodecs.vlen-utf8", `numcodecs.blosc{"shuffle":-1}`}} {
		c := vlenChain(t, dtype.String, []int{2, 3}, names...)
		items := texts("a", "bc", "", "def", "ζ", "x")
		b, err := c.Encode([]byte("head"), codec.Block{Items: items}, nil)
		if err != nil {
			t.Fatal(names, err)
		}
		got := codec.Block{Items: make([][]byte, 6)}
		var s codec.Scratch
		if err := c.Decode(got, b[4:], &s); err != nil || !slices.EqualFunc(got.Items, items, bytes.Equal) {
			t.Errorf("%v: %q, %v", names, got.Items, err)
		}
		if err := c.Decode(codec.Block{Items: make([][]byte, 5)}, b[4:], &s); !errors.Is(err, fault.Selection) {
			t.Errorf("room for 5: %v", err)
		}
	}
	c := vlenChain(t, dtype.Bytes, nil, "vlen-bytes") // one element
	b, err := c.Encode(nil, codec.Block{Items: [][]byte{{0xff, 0}}}, nil)
	got := codec.Block{Items: make([][]byte, 1)}
	if err != nil || c.Decode(got, b, nil) != nil || !bytes.Equal(got.Items[0], []byte{0xff, 0}) {
		t.Errorf("%x, %q, %v", b, got.Items, err)
	}
}

func TestVlenRefuses(t *testing.T) {
	c := vlenChain(t, dtype.String, []int{2}, "vlen-utf8")
	for name, text := range map[string]string{
		"nothing": "", "three bytes": "020000", "fewer elements": "01000000" + "0000000000000000", "more elements": "03000000" + "000000000000000000000000", "count of 2^32-1": "ffffffff0000000000000000",
		"cut before an element": "02000000" + "0100000061", "cut within a length": "02000000" + "01000000610000", "element beyond": "02000000" + "0500000061620000", "length of 2^32-1": "02000000" + "ffffffff61626364",
		"bytes after": "02000000" + "0000000000000000" + "00", "no UTF-8": "02000000" + "01000000ff" + "00000000", "a surrogate": "02000000" + "03000000eda080" + "00000000",
	} {
		src, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Decode(codec.Block{Items: make([][]byte, 2)}, src, nil); !errors.Is(err, fault.Corrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.Encode(nil, codec.Block{Items: texts("a", "\xff")}, nil); !errors.Is(err, fault.Type) {
		t.Errorf("writing invalid UTF-8: %v", err)
	}
	for _, r := range []struct {
		name, config string
		repr         codec.Repr
		kind         error
	}{
		{"vlen-utf8", ``, codec.Repr{Type: dtype.Bytes}, fault.Metadata}, {"vlen-bytes", ``, codec.Repr{Type: dtype.Float32}, fault.Metadata}, {"vlen-utf8", `{"x":1}`, codec.Repr{Type: dtype.String}, fault.Metadata},
		{"vlen-utf8", ``, codec.Repr{Type: dtype.String, Shape: []int{math.MaxInt, 2}}, fault.Limit}, {"bytes", ``, codec.Repr{Type: dtype.String}, fault.Metadata},
	} {
		if _, err := codec.Builtin().Bind(codec.Spec{Name: r.name, Config: json.RawMessage(r.config)}, r.repr); !errors.Is(err, r.kind) {
			t.Errorf("%s of %v: %v", r.name, r.repr, err)
		}
	}
	big := vlenChain(t, dtype.String, []int{math.MaxInt32}, "vlen-utf8")
	if big.Worst() != math.MaxInt64 || c.Worst() != 4+2*(4+math.MaxUint32) {
		t.Errorf("bounds %d, %d", big.Worst(), c.Worst())
	}
}

// TestBytesOfOtherTypes encodes struct fields of different byte orders, numbers out of range, and a
// type with the old name of structures.
func TestBytesOfOtherTypes(t *testing.T) {
	parse := func(s string) dtype.Type {
		t.Helper()
		typ, err := dtype.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return typ
	}
	chain := func(typ dtype.Type, s codec.Spec) (*codec.Chain, error) {
		return codec.Builtin().Chain([]codec.Spec{s}, codec.Repr{Shape: []int{1}, Type: typ})
	}
	mixed := parse(`[["a","<i2"],["b",">i2"]]`)
	uniform, _, _ := dtype.Uniform(mixed)
	for _, r := range []struct {
		typ  dtype.Type
		spec codec.Spec
		want string
	}{
		{mixed, codec.Bytes(dtype.NoOrder), "01000002"}, {mixed, codec.Bytes(dtype.Big), "01000002"}, {uniform, codec.Bytes(dtype.Big), "00010002"}, {uniform, codec.Bytes(dtype.Little), "01000200"},
	} {
		c, err := chain(r.typ, r.spec)
		if err != nil {
			t.Fatal(err)
		}
		memory := []byte{1, 0, 2, 0}
		b, err := c.Encode(nil, codec.Block{Bytes: memory}, nil)
		got := codec.Block{Bytes: make([]byte, 4)}
		if err != nil || hex.EncodeToString(b) != r.want || c.Decode(got, b, nil) != nil || !bytes.Equal(got.Bytes, memory) {
			t.Errorf("%v with %v: %x, %v, back %x", r.typ, r.spec, b, err, got.Bytes)
		}
	}
	if _, err := chain(uniform, codec.Bytes(dtype.NoOrder)); err != nil {
		t.Errorf("struct without endian: %v", err)
	}
	if _, err := chain(parse(`{"name":"structured","configuration":{"fields":[["a","int16"],["b","int16"]]}}`), codec.Bytes(dtype.NoOrder)); err != nil {
		t.Errorf("structured without endian: %v", err)
	}
	for _, with := range [][]codec.Spec{{codec.Bytes(dtype.NoOrder)}, {codec.Bytes(dtype.NoOrder), codec.CRC32C()}} {
		c, err := codec.Builtin().Chain(with, codec.Repr{Shape: []int{2}, Type: dtype.Int4})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := c.Encode(nil, codec.Block{Bytes: []byte{1, 8}}, nil); !errors.Is(err, fault.Type) {
			t.Errorf("8 as int4: %x, %v", b, err)
		}
	}
	c, err := chain(dtype.Int4, codec.Bytes(dtype.NoOrder))
	if err != nil {
		t.Fatal(err)
	}
	got := []byte{0}
	if err := c.Decode(codec.Block{Bytes: got}, []byte{0x0f}, nil); err != nil || got[0] != 0xff {
		t.Errorf("-1 without its sign: %x, %v", got, err)
	}
}

func FuzzItems(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00\x01\x00\x00\x00a\x00\x00\x00\x00"), 2, true)
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff"), 1, false)
	f.Fuzz(func(t *testing.T, b []byte, n int, text bool) {
		typ := dtype.Bytes
		if text {
			typ = dtype.String
		}
		items, err := codec.Items(nil, b, max(n, 0), typ)
		if err != nil {
			if !errors.Is(err, fault.Corrupt) {
				t.Error(err)
			}
			return
		}
		if back, err := codec.AppendItems(nil, items, typ); err != nil || !bytes.Equal(back, b) {
			t.Errorf("%x became %x, %v", b, back, err)
		}
	})
}

// TestScratchAtRest checks that buffers of a Scratch for elements of varying length are reused for
// the next chunk, and freed by the garbage collector after Free.
func TestScratchAtRest(t *testing.T) {
	const size = 32 << 20
	c := vlenChain(t, dtype.String, []int{1}, "vlen-utf8", "zstd")
	stored, err := c.Encode(nil, codec.Block{Items: texts(strings.Repeat("x", size))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var s codec.Scratch
	allocated := func() (heap, total uint64) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc, m.TotalAlloc
	}
	runtime.GC()
	before, _ := allocated()
	for range 2 {
		var total [3]uint64
		for i := range total {
			_, total[i] = allocated()
			if err := c.DecodeItems(stored, &s, func(_ int, item []byte) error {
				if len(item) != size {
					t.Errorf("%d bytes", len(item))
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if total[1]-total[0] < size || total[2]-total[1] > size/2 {
			t.Errorf("%d bytes were made for the first chunk, %d for the second", total[1]-total[0], total[2]-total[1])
		}
		s.Free()
		runtime.GC()
		runtime.GC() // twice, because a pool keeps its values for one more collection
		if heap, _ := allocated(); heap > before+size/2 {
			t.Errorf("%d bytes at rest, %d before", heap, before)
		}
	}
	runtime.KeepAlive(&s)
}
