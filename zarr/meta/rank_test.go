package meta

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

func TestRank(t *testing.T) {
	for _, n := range []int{64, 65, 100_000} {
		ones := "[" + strings.Repeat("1,", n-1) + "1]"
		v3 := `{"zarr_format":3,"node_type":"array","shape":%s,"data_type":"int8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":%[1]s}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes"}]}`
		edges := `{"zarr_format":3,"node_type":"array","shape":%s,"data_type":"int8","chunk_grid":{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":%[1]s}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes"}]}`
		v2 := `{"zarr_format":2,"shape":%s,"chunks":%[1]s,"dtype":"|i1","order":"F","fill_value":0,"filters":null,"compressor":null}`
		v1 := `{"zarr_format":1,"shape":%s,"chunks":%[1]s,"dtype":"|i1","order":"C","fill_value":0,"compression":"none","compression_opts":null}`
		_, regular := ParseV3("a/zarr.json", fmt.Appendf(nil, v3, ones))
		_, rectilinear := ParseV3("a/zarr.json", fmt.Appendf(nil, edges, ones))
		_, second := Parser{}.ArrayV2("a/.zarray", fmt.Appendf(nil, v2, ones), "", nil)
		_, first := Parser{}.ArrayV1("a/meta", fmt.Appendf(nil, v1, ones), "", nil)
		for i, err := range []error{regular, rectilinear, second, first} {
			var at *fault.MetaError
			switch {
			case n <= 64 && err != nil:
				t.Errorf("document %d, rank %d: %v", i, n, err)
			case n > 64 && (!errors.Is(err, fault.Limit) || !errors.As(err, &at) || at.Pointer != "/shape" || len(err.Error()) > 200):
				t.Errorf("document %d, rank %d: %.300v", i, n, err)
			}
		}
		shape := make([]int, n)
		for i := range shape {
			shape[i] = 1
		}
		a := &Array{Format: 3, Shape: shape, Grid: Grid{Shape: shape}, DType: dtype.Int8, Fill: []byte{0}, Keys: KeyEncoding{Name: "default", Separator: "/"}, Codecs: []Named{{Name: "bytes"}}}
		if _, err := a.EncodeV3(); errors.Is(err, fault.Limit) != (n > 64) || n <= 64 && err != nil {
			t.Errorf("encode rank %d: %.300v", n, err)
		}
	}
}
