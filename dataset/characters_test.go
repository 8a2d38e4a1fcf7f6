package dataset_test

import (
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestWriteCharacters checks a write and an append of texts that are stored as characters.
func TestWriteCharacters(t *testing.T) {
	g := root(t)
	put(t, g, "station", zarr.Spec{Shape: []int{1}, DType: dtype.Int8, Dims: []string{"station"}}, []int8{1})
	put(t, g, "name", zarr.Spec{Shape: []int{1, 2}, DType: dtype.S(1), Dims: []string{"station", "length"}}, [][1]byte{{'a'}, {'b'}})
	d, err := open(t, g).Append(t.Context(), "station", dataset.AppendOptions{},
		dataset.Stored("station", []int8{2, 3}), dataset.Stored("name", [][1]byte{{'c'}, {'d'}, {'e'}, {0}}))
	if err != nil {
		t.Fatal(err)
	}
	if d, err = sel(t, d, dataset.At("station", 0)).Write(t.Context(), dataset.Stored("name", [][1]byte{{'x'}, {'y'}})); err != nil {
		t.Fatal(err)
	}
	got, err := variable(t, open(t, d.Group()), "name").Strings(t.Context())
	if err != nil || fmt.Sprint(got) != "[xy cd e]" {
		t.Errorf("%q, %v", got, err)
	}
}
