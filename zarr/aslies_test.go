package zarr_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// seen is a store that records the addresses of the values that it is passed.
type seen struct {
	store.Store
	at chan uintptr
}

func (s seen) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if strings.Contains(key, "/c/") {
		s.at <- uintptr(unsafe.Pointer(&b[0]))
	}
	return s.Store.Put(ctx, key, b, o)
}

// TestWriteAsItLies checks that uncompressed chunks that are contiguous in the caller's memory are
// stored directly from it. Others are copied. The caller's memory is never changed.
func TestWriteAsItLies(t *testing.T) {
	const rows, width = 32, 1 << 10
	for _, tt := range []struct {
		name    string
		chunk   []int
		codecs  []codec.Spec
		sel     []zarr.Selection
		inPlace bool
	}{
		{"whole rows", []int{8, width}, []codec.Spec{}, nil, true},
		{"a chunk of a column", []int{8, width / 4}, []codec.Spec{}, []zarr.Selection{zarr.Range(8, 16), zarr.Range(0, width/4)}, true},
		{"columns", []int{8, width / 4}, []codec.Spec{}, nil, false},
		{"backwards", []int{8, width}, []codec.Spec{}, []zarr.Selection{zarr.Range(0, rows).By(-1)}, false},
		{"the other byte order", []int{8, width}, []codec.Spec{codec.Bytes(dtype.Big)}, nil, false},
		{"a checksum", []int{8, width}, []codec.Spec{codec.CRC32C()}, nil, false},
		{"another order", []int{8, width}, []codec.Spec{codec.Transpose(1, 0)}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := seen{mem.New(), make(chan uintptr, 64)}
			a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{rows, width}, Chunks: tt.chunk, DType: dtype.Uint16, Codecs: tt.codecs})
			shape, err := a.Selected(tt.sel...)
			if err != nil {
				t.Fatal(err)
			}
			src := make([]uint16, shape[0]*shape[1])
			for i := range src {
				src[i] = uint16(i)
			}
			if len(tt.sel) == 0 {
				clear(src[8*width : 16*width]) // a row of chunks that are not stored
			}
			want := slices.Clone(src)
			succeed(t, zarr.Write(t.Context(), a, src, tt.sel...))
			if len(st.at) == 0 {
				t.Fatal("no chunk was stored")
			}
			_, view := bytesview.Of(src) // without unsafe every call copies its elements
			from := uintptr(unsafe.Pointer(&src[0]))
			for range len(st.at) {
				if at := <-st.at; (at >= from && at < from+uintptr(2*len(src))) != (tt.inPlace && view) {
					t.Errorf("a chunk was stored from %#x; what was given lies at %#x", at, from)
				}
			}
			if !slices.Equal(src, want) {
				t.Error("what was given was changed")
			}
			clear(src) // stores must have copied the values
			if got, err := zarr.Read[uint16](t.Context(), a, tt.sel...); err != nil || !slices.Equal(got, want) {
				t.Errorf("other values are read than written: %v", err)
			}
			if len(tt.sel) == 0 {
				if _, err := st.Get(t.Context(), a.ChunkKey(1, 0), store.GetOptions{}, nil); !errors.Is(err, zarr.ErrNotFound) {
					t.Errorf("a chunk that is all fill value: %v", err)
				}
			}
		})
	}
}
