package transfer

import (
	"github.com/zargo-io/zargo/internal/attributes/masked"
	"github.com/zargo-io/zargo/zarr"
)

// masked changes the fill value or the attributes of spec so that xarray sees the same missing
// values in the copy as in a. xarray determines missing values differently in v2 and v3. masked
// reports the change to o.Masked.
func (o *Options) masked(spec *zarr.Spec, a *zarr.Array, format int) {
	if o.NoFillAttribute || a.Dims() == nil && len(a.Shape()) > 0 {
		return
	}
	said := ""
	if format == 3 {
		spec.Attrs, said = masked.ToV3(a.DType(), a.Fill(), spec.Attrs)
	} else {
		v := masked.ToV2(a.DType(), a.Fill(), spec.Attrs)
		switch spec.Attrs, said = v.Attrs, v.Said; {
		case v.Undefined:
			spec.Fill = zarr.NoFill
		case v.Fill != nil:
			spec.Fill = v.Fill
		}
	}
	if said != "" && o.Masked != nil {
		o.Masked(a.Path(), said)
	}
}
