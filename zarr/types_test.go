package zarr_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestStringsOfOneFillAreNotStored checks that chunks that are all fill value are deleted, unless
// the fill value is null.
func TestStringsOfOneFillAreNotStored(t *testing.T) {
	st := mem.New()
	spec := zarr.Spec{Format: 2, Shape: []int{4}, Chunks: []int{2}, DType: dtype.String, Fill: "-"}
	a := mustCreate(t, st, "x", spec)
	for _, r := range []struct {
		values []string
		want   int
	}{{[]string{"a", "b", "c", "d"}, 2}, {[]string{"-", "-", "c", "-"}, 1}, {[]string{"-", "-", "-", "-"}, 0}} {
		succeed(t, zarr.Write(t.Context(), a, r.values))
		if got := len(keys(t, st)) - 2; got != r.want { // the array and the root group
			t.Errorf("%q: %d chunks, want %d", r.values, got, r.want)
		}
	}
	spec.Fill = zarr.NoFill
	b := mustCreate(t, st, "y", spec)
	succeed(t, zarr.Write(t.Context(), b, []string{"", ""}, zarr.Range(0, 2)))
	if got := keys(t, st); !slices.Contains(got, "y/0") || slices.Contains(got, "y/1") {
		t.Errorf("%v", got)
	}
	if got, err := zarr.Read[string](t.Context(), b); err != nil || !slices.Equal(got, make([]string, 4)) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestItemsOfOtherTypes(t *testing.T) {
	type word string
	type blob []byte
	st := mem.New()
	a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{2}, DType: dtype.String})
	succeed(t, zarr.Write(t.Context(), a, []word{"a", "b"}))
	if got, err := zarr.Read[word](t.Context(), a); err != nil || !slices.Equal(got, []word{"a", "b"}) {
		t.Errorf("%q, %v", got, err)
	}
	b := mustCreate(t, st, "y", zarr.Spec{Shape: []int{2}, DType: dtype.Bytes, Fill: []byte{7}})
	succeed(t, zarr.Write(t.Context(), b, []blob{{1, 0xff}}, zarr.At(1)))
	got, err := zarr.Read[blob](t.Context(), b)
	if err != nil || !bytes.Equal(got[0], []byte{7}) || !bytes.Equal(got[1], []byte{1, 0xff}) {
		t.Errorf("%x, %v", got, err)
	}
	got[0][0] = 9 // the caller owns the bytes
	if again, err := zarr.Read[[]byte](t.Context(), b); err != nil || again[0][0] != 7 {
		t.Errorf("%x, %v", again, err)
	}
	if got, err := zarr.ReadAs[[]byte](t.Context(), a); err != nil || string(got[1]) != "b" {
		t.Errorf("text as bytes: %q, %v", got, err)
	}
	if got, err := zarr.ReadAs[string](t.Context(), b, zarr.At(0)); err != nil || got[0] != "\a" {
		t.Errorf("bytes as text: %q, %v", got, err)
	}
	for name, err := range map[string]error{
		"bytes as text":    second(zarr.ReadAs[string](t.Context(), b)),
		"bytes as numbers": second(zarr.ReadAs[int](t.Context(), b)),
		"text as numbers":  second(zarr.Read[int64](t.Context(), a)),
		"text in bytes":    a.ReadBytes(t.Context(), nil),
		"bytes for text":   a.WriteBytes(t.Context(), make([]byte, 2)),
		"invalid UTF-8":    zarr.Write(t.Context(), a, []string{"a", "\xff"}),
		"numbers for text": zarr.Write(t.Context(), a, []int8{1, 2}),
	} {
		if !errors.Is(err, zarr.ErrType) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := zarr.Write(t.Context(), a, []string{"a"}); !errors.Is(err, zarr.ErrSelection) {
		t.Errorf("one string for two: %v", err)
	}
	succeed(t, second(st.Put(t.Context(), "x/c/0", []byte("junk"), store.PutOptions{})))
	if _, err := zarr.Read[string](t.Context(), a); !errors.Is(err, zarr.ErrCorrupt) {
		t.Errorf("junk: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestShortItems checks that a chunk of a million texts with 8 stored bytes is refused before
// memory for the texts is allocated.
func TestShortItems(t *testing.T) {
	st := mem.New()
	a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{1 << 20}, DType: dtype.String, Codecs: []codec.Spec{{Name: "vlen-utf8"}}})
	succeed(t, second(st.Put(t.Context(), "x/c/0", []byte("\x00\x00\x10\x00\x00\x00\x00\x00"), store.PutOptions{})))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := zarr.Read[string](t.Context(), a, zarr.Range(0, 1))
	runtime.ReadMemStats(&after)
	// The numbers of the texts take 8 MiB, twice.
	if n := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, zarr.ErrCorrupt) || n > 24<<20 {
		t.Errorf("%d bytes were allocated: %v", n, err)
	}
}

// TestStringBombs checks that elements which expand to more than the limit of a chunk are refused
// before they are in memory.
func TestStringBombs(t *testing.T) {
	st := mem.New()
	a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{1}, DType: dtype.String, Codecs: []codec.Spec{codec.Gzip(9)}})
	succeed(t, zarr.Write(t.Context(), a, []string{strings.Repeat("a", 1<<20)}))
	small, err := a.With(zarr.Limit(zarr.Limits{Chunk: 1 << 16}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zarr.Read[string](t.Context(), small); !errors.Is(err, zarr.ErrCorrupt) {
		t.Errorf("%v", err)
	}
	if got, err := zarr.Read[string](t.Context(), a); err != nil || len(got[0]) != 1<<20 {
		t.Errorf("%d, %v", len(got[0]), err)
	}
}

type point struct {
	N    uint8      `zarr:"n"`
	Pos  [2]float64 `zarr:"pos"`
	Name [3]byte    `zarr:"name,S3"`
}

// TestStructs writes and reads Go structs, in both formats and every byte order, and checks the
// stored bytes.
func TestStructs(t *testing.T) {
	flat := `[["pos","<f8",[2]],["n","|u1"],["name","|S3"]]`
	for _, r := range []struct {
		format    int
		typ       string
		codecs    []codec.Spec
		metadata  string
		firstByte byte // first byte of pos[0], which is 1.0
	}{
		{2, flat, []codec.Spec{}, `["pos", "<f8", [2]]`, 0},
		{2, flat, []codec.Spec{codec.Bytes(dtype.Big)}, `["pos", "<f8", [2]]`, 0}, // the field has its own byte order
		{2, strings.Replace(flat, "<", ">", 1), []codec.Spec{}, `["pos", ">f8", [2]]`, 0x3f},
	} {
		t.Run(fmt.Sprint(r.format, r.typ, r.codecs), func(t *testing.T) {
			typ, err := dtype.Parse(r.typ)
			if err != nil {
				t.Fatal(err)
			}
			st := mem.New()
			fill := point{N: 9, Pos: [2]float64{1, math.NaN()}}
			a := mustCreate(t, st, "x", zarr.Spec{Format: r.format, Shape: []int{3}, Chunks: []int{2}, DType: typ, Fill: fill, Codecs: r.codecs})
			want := []point{{1, [2]float64{1, 2}, [3]byte{'a'}}, {2, [2]float64{3, 4}, [3]byte{'b', 'c', 'd'}}}
			succeed(t, zarr.Write(t.Context(), a, want, zarr.Range(0, 2)))
			a = mustOpen(t, st, "x")
			got, err := zarr.Read[point](t.Context(), a)
			if err != nil || !slices.Equal(got[:2], want) || got[2].N != 9 || got[2].Pos[0] != 1 || !math.IsNaN(got[2].Pos[1]) {
				t.Errorf("%v, %v", got, err)
			}
			doc, err := st.Get(t.Context(), "x/.zarray", store.GetOptions{}, nil)
			if err != nil || !strings.Contains(strings.Join(strings.Fields(string(doc.Bytes)), " "), strings.ReplaceAll(strings.ReplaceAll(r.metadata, "[", "[ "), "]", " ]")) {
				t.Errorf("%s, %v", doc.Bytes, err)
			}
			chunk, err := st.Get(t.Context(), "x/0", store.GetOptions{}, nil)
			if err != nil || chunk.Bytes[0] != r.firstByte {
				t.Errorf("%x, %v", chunk.Bytes, err)
			}
		})
	}
	v3, err := dtype.Of[struct {
		A int16 `zarr:"a"`
		B bool  `zarr:"b"`
	}]()
	if err != nil {
		t.Fatal(err)
	}
	st := mem.New()
	a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{1}, DType: v3, Codecs: []codec.Spec{codec.Bytes(dtype.Big)}})
	succeed(t, a.WriteBytes(t.Context(), []byte{1, 2, 1}))
	if v, err := st.Get(t.Context(), "x/c/0", store.GetOptions{}, nil); err != nil || !bytes.Equal(v.Bytes, []byte{2, 1, 1}) {
		t.Errorf("%x, %v", v.Bytes, err)
	}
	if err := a.WriteBytes(t.Context(), []byte{1, 2, 3}); !errors.Is(err, zarr.ErrType) {
		t.Errorf("3 as a bool: %v", err)
	}
	if _, err := zarr.Read[struct{ A int16 }](t.Context(), a); !errors.Is(err, zarr.ErrType) {
		t.Errorf("another struct: %v", err)
	}
	if _, err := zarr.Create(t.Context(), st, "y", zarr.Spec{Shape: []int{1}, DType: mustParse(t, flat)}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("subarrays in v3: %v", err)
	}
	// A v2 type whose fields differ in byte order is converted for v3, and OpenOrCreate accepts it
	// as the same.
	mixed := zarr.Spec{Shape: []int{1}, DType: mustParse(t, `[["a",">i2"],["b","<i2"]]`)}
	mustCreate(t, st, "z", mixed)
	if _, err := zarr.OpenOrCreate(t.Context(), st, "z", mixed); err != nil {
		t.Error(err)
	}
	for _, format := range []int{2, 3} {
		spec := zarr.Spec{Format: format, Shape: []int{1}, DType: v3}
		name := fmt.Sprint("same", format)
		mustCreate(t, st, name, spec)
		if _, err := zarr.OpenOrCreate(t.Context(), st, name, spec); err != nil {
			t.Error(err)
		}
	}
}

func mustParse(t *testing.T, s string) dtype.Type {
	t.Helper()
	typ, err := dtype.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// TestOtherGoForms reads and writes elements as Go types other than plain numbers, through views
// and through copies.
func TestOtherGoForms(t *testing.T) {
	roundTrip(t, dtype.S(3), [][3]byte{{'a'}, {'b', 'c', 'd'}})
	roundTrip(t, dtype.U(2), [][2]rune{{'é'}, {'字', 0x1f600}})
	roundTrip(t, dtype.R(2), [][2]byte{{1, 2}, {3}})
	roundTrip(t, dtype.DateTime{Unit: dtype.Second}, []dtype.Instant{5, dtype.NaT})
	roundTrip(t, dtype.TimeDelta{Unit: dtype.Day, Scale: 7}, []dtype.Span{-1, 2})
	roundTrip(t, dtype.BFloat16, []dtype.BF16{0x3f80, 0x7fc1})
	roundTrip(t, dtype.Float8E4M3FN, []dtype.F8E4M3FN{1, 0xff})
	roundTrip(t, dtype.Int4, []int8{-8, 7})
	roundTrip(t, dtype.ComplexFloat16, []dtype.Complex[dtype.F16]{{0x3c00, 0x7e01}, {}})
}

func roundTrip[T comparable](t *testing.T, typ dtype.Type, values []T) {
	t.Helper()
	for _, o := range []dtype.Order{dtype.Little, dtype.Big} {
		st := mem.New()
		spec := zarr.Spec{Shape: []int{3}, Chunks: []int{2}, DType: typ, Codecs: []codec.Spec{codec.Bytes(dtype.NoOrder)}}
		if typ.HasOrder() {
			spec.Codecs = []codec.Spec{codec.Bytes(o)}
		}
		a := mustCreate(t, st, "x", spec)
		if err := zarr.Write(t.Context(), a, values, zarr.Range(1, 3)); err != nil {
			t.Errorf("%v: %v", typ, err)
			continue
		}
		a, err := zarr.OpenArray(t.Context(), st, "x")
		if err != nil {
			t.Errorf("%v: %v", typ, err)
			continue
		}
		if got, err := zarr.Read[T](t.Context(), a, zarr.Range(1, 3)); err != nil || !slices.Equal(got, values) {
			t.Errorf("%v: %v, %v, want %v", typ, got, err, values)
		}
	}
}

func TestReadAs(t *testing.T) {
	st := mem.New()
	a := mustCreate(t, st, "f", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Float64, Fill: 2})
	succeed(t, zarr.Write(t.Context(), a, []float64{300, 0.5}, zarr.Range(2, 4)))
	if got, err := zarr.ReadAs[int16](t.Context(), a, zarr.Range(0, 3)); err != nil || !slices.Equal(got, []int16{2, 2, 300}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := zarr.ReadAs[float32](t.Context(), a); err != nil || !slices.Equal(got, []float32{2, 2, 300, 0.5}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := zarr.ReadAs[float64](t.Context(), a, zarr.At(3)); err != nil || got[0] != 0.5 {
		t.Errorf("%v, %v", got, err)
	}
	for name, err := range map[string]error{"element 2": second(zarr.ReadAs[int8](t.Context(), a)), "element 3": second(zarr.ReadAs[int](t.Context(), a)), "cannot be converted": second(zarr.ReadAs[string](t.Context(), a))} {
		if !errors.Is(err, zarr.ErrType) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := zarr.ReadAs[int](t.Context(), a, zarr.At(4)); !errors.Is(err, zarr.ErrSelection) {
		t.Errorf("beyond: %v", err)
	}
	day := time.Date(2020, 2, 29, 0, 0, 0, 0, time.UTC)
	b := mustCreate(t, st, "t", zarr.Spec{Shape: []int{1}, DType: dtype.DateTime{Unit: dtype.Day}, Fill: day})
	if got, err := zarr.ReadAs[time.Time](t.Context(), b); err != nil || !got[0].Equal(day) {
		t.Errorf("%v, %v", got, err)
	}
	c := mustCreate(t, st, "u", zarr.Spec{Shape: []int{1}, DType: dtype.U(4), Fill: "é"})
	if got, err := zarr.ReadAs[string](t.Context(), c); err != nil || got[0] != "é" {
		t.Errorf("%q, %v", got, err)
	}
}

// meters is a user's data type: a float32 of another name.
type meters struct{ dtype.Basic }

func (meters) String() string                            { return "x.meters" }
func (meters) V3() (json.RawMessage, error)              { return json.RawMessage(`"x.meters"`), nil }
func (m meters) V2(dtype.Order) (json.RawMessage, error) { return json.RawMessage(`"meters"`), nil }

// TestTypes checks that a user's data type is known only to callers that pass it.
func TestTypes(t *testing.T) {
	table := dtype.Standard().With("x.meters", func(json.RawMessage) (dtype.Type, error) { return meters{dtype.Float32}, nil }).WithV2("meters", meters{dtype.Float32})
	for _, format := range []int{2, 3} {
		st := mem.New()
		a := mustCreate(t, st, "g/x", zarr.Spec{Format: format, Shape: []int{2}, DType: meters{dtype.Float32}}, zarr.Extensions(nil, table))
		succeed(t, zarr.Write(t.Context(), a, []float32{1, 2}))
		g, err := zarr.OpenGroup(t.Context(), st, "g", zarr.Extensions(nil, table))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for m, err := range g.Members(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			if got, err := zarr.Read[float32](t.Context(), m.(*zarr.Array)); err != nil || !slices.Equal(got, []float32{1, 2}) {
				t.Errorf("v%d: %v, %v", format, got, err)
			}
		}
		if n != 1 {
			t.Errorf("v%d: %d members", format, n)
		}
		if _, err := zarr.OpenArray(t.Context(), st, "g/x"); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("v%d without the table: %v", format, err)
		}
	}
	if _, err := zarr.OpenArray(t.Context(), mem.New(), "", zarr.Extensions(nil, nil)); !errors.Is(err, zarr.ErrSelection) {
		t.Errorf("no table: %v", err)
	}
}
