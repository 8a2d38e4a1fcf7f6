package numeric

import (
	"testing"

	"github.com/zargo-io/zargo/zarr/dtype"
)

func TestPick(t *testing.T) {
	types := []dtype.Type{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64, dtype.Float32, dtype.Float64, dtype.Float16, dtype.Bool}
	for i, want := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 8} {
		got, ok := Pick(types[i], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
		if got != want || ok != (types[i] != dtype.Bool) || Kind(types[i]) != "iiiiuuuufff\x00"[i] {
			t.Errorf("%v picks %d, %v, and is of kind %q", types[i], got, ok, Kind(types[i]))
		}
	}
}
