package dataset

import "github.com/zargo-io/zargo/zarr/fault"

// usable returns an error for nil, for the zero Dataset and for the dataset of a variable without a
// group.
func (d *Dataset) usable() error {
	if d == nil || d.group == nil {
		return fault.Newf(fault.Selection, "the dataset is not open")
	}
	return nil
}

// usable returns an error for nil and for the zero Variable.
func (v *Variable) usable() error {
	if v.zero() {
		return fault.Newf(fault.Selection, "the variable does not belong to a dataset")
	}
	return nil
}

func (v *Variable) zero() bool { return v == nil || v.stored == nil || v.dataset == nil }
