package zarr_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// objects returns n values, of all JSON types.
func objects(n int) []json.RawMessage {
	all := []string{`"x"`, `1`, `2.5`, `null`, `true`, `[1,"a",null]`, `{"k":[1,2],"é":"ü"}`, `""`, `{}`}
	items := make([]json.RawMessage, n)
	for i := range items {
		items[i] = json.RawMessage(all[i%len(all)])
	}
	return items
}

// TestObjects creates arrays of objects, writes them whole and in part, reopens them, and reads
// them whole and in part.
func TestObjects(t *testing.T) {
	for name, codecs := range map[string][]codec.Spec{"default": nil, "json2": {codec.JSON2(), codec.Zlib(1)}, "msgpack2": {codec.MsgPack2()}} {
		t.Run(name, func(t *testing.T) {
			st := mem.New()
			a, err := zarr.Create(t.Context(), st, "a", zarr.Spec{Format: 2, Shape: []int{5, 4}, Chunks: []int{2, 3}, DType: dtype.JSON, Codecs: codecs, Fill: json.RawMessage(`"none"`)})
			if err != nil {
				t.Fatal(err)
			}
			want := objects(20)
			succeed(t, zarr.Write(t.Context(), a, want))
			want[1*4+2] = json.RawMessage(`{"b":2}`)
			succeed(t, zarr.Write(t.Context(), a, []json.RawMessage{json.RawMessage(` {"b": 2} `)}, zarr.Index(1), zarr.Index(2)))
			if a, err = zarr.OpenArray(t.Context(), st, "a"); err != nil {
				t.Fatal(err)
			}
			if a.DType() != dtype.Type(dtype.JSON) || string(a.Fill()) != `"none"` {
				t.Errorf("%v, fill %s", a.DType(), a.Fill())
			}
			got, err := zarr.Read[json.RawMessage](t.Context(), a)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %v", got, err)
			}
			part, err := zarr.Read[json.RawMessage](t.Context(), a, zarr.Range(1, 2), zarr.Range(2, 4))
			if err != nil || !reflect.DeepEqual(part, want[6:8]) {
				t.Errorf("%s, %v", part, err)
			}
			items, err := a.ReadItems(t.Context(), zarr.Range(0, 1))
			if err != nil || len(items) != 4 || string(items[3]) != "null" {
				t.Errorf("%q, %v", items, err)
			}
			if err := zarr.Write(t.Context(), a, []json.RawMessage{json.RawMessage(`{`)}, zarr.Index(0), zarr.Index(0)); !errors.Is(err, zarr.ErrType) {
				t.Errorf("no JSON: %v", err)
			}
			if _, err := zarr.Read[string](t.Context(), a); !errors.Is(err, zarr.ErrType) {
				t.Errorf("as string: %v", err)
			}
			if _, err := zarr.ReadAs[string](t.Context(), a); !errors.Is(err, zarr.ErrType) {
				t.Errorf("all as string: %v", err)
			}
			if text, err := zarr.ReadAs[string](t.Context(), a, zarr.Index(0), zarr.Index(0)); err != nil || text[0] != "x" {
				t.Errorf("%q, %v", text, err)
			}
			// Chunks that contain only the fill value are not stored.
			succeed(t, zarr.Write(t.Context(), a, slices.Repeat([]json.RawMessage{json.RawMessage(`"none"`)}, 20)))
			if _, err := st.Get(t.Context(), "a/0.0", store.GetOptions{}, nil); !errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("a chunk of fill values: %v", err)
			}
		})
	}
}

// TestRagged writes and reads elements that are arrays.
func TestRagged(t *testing.T) {
	of, err := dtype.RaggedOf(dtype.Float32, dtype.Big)
	if err != nil {
		t.Fatal(err)
	}
	st := mem.New()
	a := mustCreate(t, st, "a", zarr.Spec{Format: 2, Shape: []int{5}, Chunks: []int{2}, DType: of, Fill: zarr.NoFill, Codecs: []codec.Spec{codec.Zstd(1)}})
	want := [][]float32{{1, 2.5}, {}, {-1}, {0, 0, 0}, {}}
	succeed(t, zarr.Write(t.Context(), a, want[:3], zarr.Range(0, 3)))
	type number float32
	succeed(t, zarr.Write(t.Context(), a, [][]number{{0, 0, 0}}, zarr.Index(3)))
	if a, err = zarr.OpenArray(t.Context(), st, "a"); err != nil {
		t.Fatal(err)
	}
	got, err := zarr.Read[[]float32](t.Context(), a)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	named, err := zarr.Read[[]number](t.Context(), a, zarr.Range(0, 1))
	if err != nil || !slices.Equal(named[0], []number{1, 2.5}) {
		t.Errorf("%v, %v", named, err)
	}
	for _, err := range []error{second(zarr.Read[[]float64](t.Context(), a)), second(zarr.Read[float32](t.Context(), a)), a.ReadBytes(t.Context(), nil), second(zarr.ReadAs[string](t.Context(), a))} {
		if !errors.Is(err, zarr.ErrType) {
			t.Errorf("another type: %v", err)
		}
	}
}

// TestObjectsNeedV2 checks that v3 refuses these data types, and that json2 refuses arrays.
func TestObjectsNeedV2(t *testing.T) {
	of, err := dtype.RaggedOf(dtype.Uint8, dtype.NoOrder)
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range []dtype.Type{dtype.JSON, of} {
		if _, err := zarr.Create(t.Context(), mem.New(), "a", zarr.Spec{Shape: []int{2}, Chunks: []int{2}, DType: typ}); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v in v3: %v", typ, err)
		}
	}
	if _, err := zarr.Create(t.Context(), mem.New(), "a", zarr.Spec{Format: 2, Shape: []int{2}, Chunks: []int{2}, DType: of, Codecs: []codec.Spec{codec.JSON2()}}); !errors.Is(err, zarr.ErrMetadata) {
		t.Errorf("arrays in json2: %v", err)
	}
}

// TestCategories writes text as codes of a list that lacks one of the texts. That text is read as
// "".
func TestCategories(t *testing.T) {
	st := mem.New()
	a := mustCreate(t, st, "a", zarr.Spec{Format: 2, Shape: []int{3}, Chunks: []int{2}, DType: dtype.String, Codecs: []codec.Spec{codec.Categorize(dtype.String, dtype.Uint8, "red", "green")}})
	succeed(t, zarr.Write(t.Context(), a, []string{"green", "violet", "red"}))
	if v, err := st.Get(t.Context(), "a/0", store.GetOptions{}, nil); err != nil || string(v.Bytes) != "\x02\x00" {
		t.Errorf("stored %q, %v", v.Bytes, err)
	}
	got, err := zarr.Read[string](t.Context(), a)
	if err != nil || !slices.Equal(got, []string{"green", "", "red"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestListsHaveNoOrder checks that json2 and msgpack2 store nested lists independently of the order
// in memory. The chunk is what zarr-python 2 writes for [[1,2,3],[4,5,6]] with order "F".
func TestListsHaveNoOrder(t *testing.T) {
	for name, r := range map[string]struct{ dtype, filter, chunk string }{
		"objects":  {"|O", `{"id":"json2"}`, `[[1,2,3],[4,5,6],"|O",[2,3]]`},
		"numbers":  {"<i4", `{"id":"json2"}`, `[[1,2,3],[4,5,6],"<i4",[2,3]]`},
		"msgpack2": {"|u1", `{"id":"msgpack2"}`, "\x94\x93\x01\x02\x03\x93\x04\x05\x06\xa3|u1\x92\x02\x03"},
	} {
		st := mem.New()
		zarray := `{"zarr_format":2,"shape":[2,3],"chunks":[2,3],"dtype":"` + r.dtype + `","order":"F","fill_value":0,"compressor":null,"filters":[` + r.filter + `]}`
		for key, value := range map[string]string{".zarray": zarray, "0.0": r.chunk} {
			if _, err := st.Put(t.Context(), key, []byte(value), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		a, err := zarr.OpenArray(t.Context(), st, "")
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		if a.DType().Size() == 0 {
			items, err := zarr.Read[json.RawMessage](t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range items {
				var n int
				succeed(t, json.Unmarshal(b, &n))
				got = append(got, n)
			}
		} else if got, err = zarr.ReadAs[int](t.Context(), a); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, []int{1, 2, 3, 4, 5, 6}) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestLabelsCountEachTime checks a chunk whose 4 KiB of codes decode to 4 MiB of text.
func TestLabelsCountEachTime(t *testing.T) {
	label := strings.Repeat("x", 1<<10)
	a := mustCreate(t, mem.New(), "a", zarr.Spec{Format: 2, Shape: []int{1 << 12}, DType: dtype.String, Codecs: []codec.Spec{codec.Categorize(dtype.String, dtype.Uint8, label)}})
	text := slices.Repeat([]string{label}, 1<<12)
	succeed(t, zarr.Write(t.Context(), a, text))
	if got, err := zarr.Read[string](t.Context(), a); err != nil || !slices.Equal(got, text) {
		t.Errorf("%d elements, %v", len(got), err)
	}
	small, err := a.With(zarr.Limit(zarr.Limits{Chunk: 1 << 20}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zarr.Read[string](t.Context(), small); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("4 MiB of text: %v", err)
	}
}

// TestFillIsShared reads 1024 missing elements whose fill value has 64 KiB, and checks that they
// share its memory.
func TestFillIsShared(t *testing.T) {
	fill := strings.Repeat("x", 1<<16)
	a := mustCreate(t, mem.New(), "a", zarr.Spec{Shape: []int{1 << 10}, DType: dtype.String, Fill: fill})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := zarr.Read[string](t.Context(), a)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; err != nil || len(got) != 1<<10 || got[0] != fill || got[1<<10-1] != fill || n > 8<<20 {
		t.Errorf("%d elements, %v, %d bytes were allocated", len(got), err, n)
	}
}
