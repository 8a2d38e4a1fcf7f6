package zfp_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/codectest"
	"github.com/zargo-io/zargo/zarr/codec/zfp"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

// TestArrays reads arrays of zarr-python in both formats; see testdata/arrays.py.
func TestArrays(t *testing.T) {
	st, err := zip.Open(t.Context(), dir.New("testdata"), "arrays.zip")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"v2_accuracy", "v2_reversible", "v2_delta", "v2_scaled", "v2_times",
		"v3_accuracy", "v3_rate", "v3_zstd", "v3_sharded",
	} {
		want, err := st.Get(t.Context(), name+"/values", store.GetOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := zarr.OpenArray(t.Context(), st, name, zarr.Extensions(zfp.Add(codec.Builtin()), nil))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := elements(t, a); err != nil || !bytes.Equal(got, want.Bytes) {
			t.Errorf("%s: equal %v, %v", name, bytes.Equal(got, want.Bytes), err)
		}
	}
}

// elements reads an array and returns its elements in memory form.
func elements(t *testing.T, a *zarr.Array) ([]byte, error) {
	t.Helper()
	switch a.DType() {
	case dtype.Int32:
		return memory[int32](t, a)
	case dtype.Float32:
		return memory[float32](t, a)
	case dtype.Float64:
		return memory[float64](t, a)
	}
	return memory[dtype.Instant](t, a)
}

func memory[T any](t *testing.T, a *zarr.Array) ([]byte, error) {
	t.Helper()
	values, err := zarr.Read[T](t.Context(), a)
	if err != nil {
		return nil, err
	}
	return binary.Append(nil, binary.LittleEndian, values)
}

// TestPlain reads an array of the codec "zfp" whose chunk libzfp encoded.
func TestPlain(t *testing.T) {
	all := streams(t, "testdata/streams.zip")
	s := all[slices.IndexFunc(all, func(s stream) bool { return s.Name == "float32_zarrs_2d" })]
	st := mem.New()
	metadata := `{"zarr_format":3,"node_type":"array","shape":[5,6],"data_type":"float32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[5,6]}},` +
		`"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"zfp","configuration":` + string(s.Config) + `}]}`
	for key, value := range map[string][]byte{"zarr.json": []byte(metadata), "c/0/0": s.stored} {
		if _, err := st.Put(t.Context(), "a/"+key, value, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	a, err := zarr.OpenArray(t.Context(), st, "a", zarr.Extensions(zfp.Add(codec.Builtin()), nil))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := elements(t, a); err != nil || !bytes.Equal(got, s.values) {
		t.Errorf("equal %v, %v", bytes.Equal(got, s.values), err)
	}
	if err := zarr.Write(t.Context(), a, slices.Repeat([]float32{1}, 30)); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("write: %v", err)
	}
}

// TestFixtures decodes the fixtures of numcodecs with its four configurations; see
// testdata/fixtures.py. Their headers have one axis, even if the array has more.
func TestFixtures(t *testing.T) {
	all := streams(t, "testdata/fixtures.zip")
	if len(all) != 8 {
		t.Errorf("%d fixtures", len(all))
	}
	for _, config := range []string{
		`{"compression_kwargs":{"rate":-1},"mode":2,"precision":-1,"rate":-1,"tolerance":-1}`,
		`{"compression_kwargs":{"tolerance":-1},"mode":4,"precision":-1,"rate":-1,"tolerance":-1}`,
		`{"compression_kwargs":{"precision":-1},"mode":3,"precision":-1,"rate":-1,"tolerance":-1}`,
	} {
		for _, s := range all {
			for _, specs := range [][]codec.Spec{nil, {codec.Bytes(dtype.Little)}} {
				specs = append(specs, codec.Spec{Name: zfp.NumcodecsName, Config: []byte(config)})
				c, err := zfp.Add(codec.Builtin()).Chain(specs, codec.Repr{Shape: s.Shape, Type: s.dtype(t)})
				if err != nil {
					t.Fatal(err)
				}
				dst := make([]byte, len(s.values))
				if err := c.Decode(codec.Block{Bytes: dst}, s.stored, nil); err != nil || !bytes.Equal(dst, s.values) {
					t.Errorf("%s %s: equal %v, %v", s.Name, config, bytes.Equal(dst, s.values), err)
				}
			}
		}
	}
}

// TestFiltersFirst converts a v2 pipeline to v3. zfpy takes the place of "bytes".
func TestFiltersFirst(t *testing.T) {
	specs := []codec.Spec{codec.Bytes(dtype.Little), {Name: zfp.NumcodecsName}, codec.CRC32()}
	got, err := zfp.Add(codec.Builtin()).FiltersFirst(specs, codec.Repr{Shape: []int{2, 3}, Type: dtype.Float32})
	var names []string
	for _, s := range got {
		names = append(names, s.Name)
	}
	if want := []string{zfp.NumcodecsName, "numcodecs.crc32"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, want %q, %v", names, want, err)
	}
}

// TestScalar decodes an array without axes, and one without elements.
func TestScalar(t *testing.T) {
	spec := codec.Spec{Name: zfp.Name, Config: []byte(`{"mode":"reversible"}`)}
	for _, tt := range []struct {
		shape  []int
		stored []byte
		want   []byte
	}{
		{nil, make([]byte, 8), make([]byte, 4)},
		{[]int{0}, nil, nil},
	} {
		c, err := zfp.Add(codec.Builtin()).Chain([]codec.Spec{spec}, codec.Repr{Shape: tt.shape, Type: dtype.Float32})
		if err != nil {
			t.Fatal(err)
		}
		dst := bytes.Repeat([]byte{1}, len(tt.want))
		if err := c.Decode(codec.Block{Bytes: dst}, tt.stored, nil); err != nil || !bytes.Equal(dst, tt.want) {
			t.Errorf("%v: %v, %v", tt.shape, dst, err)
		}
	}
}

// TestBoxes decodes random boxes of arrays to strided memory.
func TestBoxes(t *testing.T) {
	for i, s := range streams(t, "testdata/streams.zip") {
		if i%10 > 0 {
			continue
		}
		c, err := zfp.Add(codec.Builtin()).Chain([]codec.Spec{s.spec()}, codec.Repr{Shape: s.Shape, Type: s.dtype(t)})
		if err != nil {
			t.Fatal(err)
		}
		if err := codectest.Boxes(c, s.stored, codec.Block{Bytes: s.values}, 20, uint64(i)); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}
