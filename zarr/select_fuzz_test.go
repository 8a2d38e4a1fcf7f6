package zarr_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// FuzzSelection decodes bytes as selections of an array whose elements are their own positions. A
// read returns the elements that NumPy would, or ErrSelection.
func FuzzSelection(f *testing.F) {
	f.Add([]byte{0, 0, 7, 1, 1, 3, 0, 0})
	f.Add([]byte{0, 6, 0, 254, 2, 1, 4, 4})
	f.Add([]byte{1, 255, 0, 0, 3, 0x55, 0, 0})
	f.Add([]byte{0, 127, 129, 1, 1, 128, 0, 0})
	ctx := f.Context()
	a, err := zarr.Create(ctx, mem.New(), "", zarr.Spec{Shape: []int{7, 5}, Chunks: []int{3, 2}, DType: dtype.Int16, Codecs: []codec.Spec{codec.Bytes(dtype.Little)}})
	if err != nil {
		f.Fatal(err)
	}
	all := make([]int16, 35)
	for i := range all {
		all[i] = int16(i)
	}
	if err := zarr.Write(ctx, a, all); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var sel []zarr.Selection
		var index [][]int // what each selects, if it is valid
		right := true
		for ; len(b) >= 4 && len(sel) < 3; b = b[4:] {
			n := 0
			if len(sel) < 2 {
				n = a.Shape()[len(sel)]
			}
			x, y, z := int(int8(b[1])), int(int8(b[2])), int(int8(b[3]))
			var one []int
			switch b[0] % 4 {
			case 0:
				sel = append(sel, zarr.Range(x, y).By(z))
				one = nil
				right = false // only the shape of the result is checked: the indexes of ranges are not computed here
			case 1:
				sel = append(sel, zarr.At(x))
				one = []int{x}
				right = right && x >= 0 && x < n
			case 2:
				one = []int{x, y, z}
				sel = append(sel, zarr.Index(one...))
				right = right && slices.Min(one) >= 0 && slices.Max(one) < n
			default:
				mask := make([]bool, int(b[1])%9)
				for i := range mask {
					if mask[i] = b[2]>>(i%8)&1 == 1; mask[i] {
						one = append(one, i)
					}
				}
				sel = append(sel, zarr.Mask(mask))
				right = right && len(mask) == n
			}
			index = append(index, one)
		}
		shape, err := a.Selected(sel...)
		if err != nil {
			if right && len(sel) <= 2 || !errors.Is(err, zarr.ErrSelection) {
				t.Fatalf("%v: %v", sel, err)
			}
			return
		}
		got, err := zarr.Read[int16](ctx, a, sel...)
		n := 1
		for _, d := range shape {
			n *= d
		}
		if err != nil || len(got) != n {
			t.Fatalf("%v: %d elements of shape %v, %v", sel, len(got), shape, err)
		}
		for _, v := range got {
			if v < 0 || v > 34 {
				t.Fatalf("%v: element %d", sel, v)
			}
		}
		if !right || len(sel) != 2 {
			return
		}
		var want []int16
		for _, i := range index[0] {
			for _, j := range index[1] {
				want = append(want, int16(5*i+j))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v: %v, want %v", sel, got, want)
		}
	})
}
