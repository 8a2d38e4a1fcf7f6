package pcodec_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/pcodec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestStored reads arrays of both formats whose chunk pcodec wrote, with the metadata that
// zarr-python writes.
func TestStored(t *testing.T) {
	const settings = `"level":8,"mode_spec":"auto","delta_spec":"auto","paging_spec":"equal_pages_up_to","delta_encoding_order":null,"equal_pages_up_to":262144`
	tests := []struct{ name, key, chunk, metadata string }{
		{"v2", ".zarray", "0.0", `{"zarr_format":2,"shape":[30,10],"chunks":[30,10],"dtype":"<f8","compressor":{"id":"pcodec",` + settings + `},"fill_value":0,"order":"C","filters":null}`},
		{"v3", "zarr.json", "c/0/0", `{"zarr_format":3,"node_type":"array","shape":[30,10],"data_type":"float64","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[30,10]}},` +
			`"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"numcodecs.pcodec","configuration":{` + settings + `}}]}`},
		{"short name", "zarr.json", "c/0/0", `{"zarr_format":3,"node_type":"array","shape":[30,10],"data_type":"float64","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[30,10]}},` +
			`"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"pcodec","configuration":{` + settings + `}}]}`},
	}
	var v vector
	for _, v = range vectors(t) {
		if v.name == "1.1.0/classic_float64" {
			break
		}
	}
	for _, tt := range tests {
		st := mem.New()
		for key, value := range map[string][]byte{tt.key: []byte(tt.metadata), tt.chunk: v.stored} {
			if _, err := st.Put(t.Context(), "a/"+key, value, store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		a, err := zarr.OpenArray(t.Context(), st, "a", zarr.Extensions(pcodec.Add(codec.Builtin()), nil))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got, err := zarr.Read[float64](t.Context(), a)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var b []byte
		for _, f := range got {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
		}
		if !bytes.Equal(b, v.values) {
			t.Errorf("%s: other numbers", tt.name)
		}
	}
}

// TestFormats writes arrays of both formats and orders, and reads them.
func TestFormats(t *testing.T) {
	tests := []struct {
		name string
		spec zarr.Spec
		key  string
		want string // in the metadata
	}{
		{"v2", zarr.Spec{Format: 2, DType: dtype.Uint8}, ".zarray", `"compressor": {"id": "pcodec", "level": 8}`},
		{"v2, order F", zarr.Spec{Format: 2, DType: dtype.Uint8, Order: "F"}, ".zarray", `"order": "F"`},
		{"v3", zarr.Spec{Format: 3, DType: dtype.Uint8}, "zarr.json", `"codecs": [{"name": "numcodecs.pcodec", "configuration": {"level": 8}}]`},
		{"v3, order F", zarr.Spec{Format: 3, DType: dtype.Uint8, Order: "F"}, "zarr.json", `"transpose"`},
	}
	for _, tt := range tests {
		st, table := mem.New(), zarr.Extensions(pcodec.Add(codec.Builtin()), nil)
		tt.spec.Shape, tt.spec.Codecs = []int{4, 25}, []codec.Spec{pcodec.Level(8)}
		a, err := zarr.Create(t.Context(), st, "a", tt.spec, table)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		v, err := st.Get(t.Context(), "a/"+tt.key, store.GetOptions{}, nil)
		if plain := strings.Join(strings.Fields(string(v.Bytes)), ""); err != nil || !strings.Contains(plain, strings.ReplaceAll(tt.want, " ", "")) {
			t.Errorf("%s: %s, %v", tt.name, v.Bytes, err)
		}
		src := make([]uint8, 100)
		for i := range src {
			src[i] = uint8(i * i)
		}
		if err := zarr.Write(t.Context(), a, src); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if a, err = zarr.OpenArray(t.Context(), st, "a", table); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got, err := zarr.Read[uint8](t.Context(), a); err != nil || !slices.Equal(got, src) {
			t.Errorf("%s: %v, %v", tt.name, got, err)
		}
	}
}

// TestFiltersFirst converts v2 pipelines to v3. pcodec takes the place of "bytes".
func TestFiltersFirst(t *testing.T) {
	for _, typ := range []dtype.Type{dtype.Float32, dtype.Uint8} {
		order := dtype.NoOrder
		if typ.HasOrder() {
			order = dtype.Little
		}
		specs := []codec.Spec{codec.Transpose(1, 0), codec.Bytes(order), pcodec.Level(8), codec.CRC32()}
		got, err := pcodec.Add(codec.Builtin()).FiltersFirst(specs, codec.Repr{Shape: []int{2, 3}, Type: typ})
		var names []string
		for _, s := range got {
			names = append(names, s.Name)
		}
		if want := []string{"transpose", pcodec.Name, "numcodecs.crc32"}; err != nil || !slices.Equal(names, want) {
			t.Errorf("%v: %q, want %q, %v", typ, names, want, err)
		}
	}
}
