package picture

import (
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
)

// Plan returns the requests of [Read] for the elements of a picture, without sending any. With
// [Box], an uncompressed chunk of more than 2²³ elements is requested in ranges, and the plan
// contains it once. The coordinates of the axes are not in the plan. Errors are those of Read.
func Plan(v *dataset.Variable, o ReadOptions) (*zarr.Plan, error) {
	size, err := o.size()
	if err != nil {
		return nil, err
	}
	v, err = plane(v)
	if err != nil {
		return nil, err
	}
	if dims := v.Dims(); o.Method == Nearest && dims[0].Len > 0 && dims[1].Len > 0 {
		h, w := pixels(dims[0].Len, dims[1].Len, size)
		v, err = v.Sel(dataset.At(dims[0].Name, middles(dims[0].Len, h)), dataset.At(dims[1].Name, middles(dims[1].Len, w)))
	}
	if err != nil {
		return nil, err
	}
	return v.Plan()
}
