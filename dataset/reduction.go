package dataset

import (
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Reduction describes a reduction of a dataset.
type Reduction struct {
	Op   Op
	Over []string   // dimensions all of whose elements are reduced, which the result does not have
	By   []Grouping // groups of elements along other dimensions
	Vars []string   // the reduced variables; nil for all data variables

	// KeepMissing makes a result missing if one of its elements is, as skipna=False of xarray; for
	// First and Last, if the first or last element is. By default, missing elements are left out.
	KeepMissing bool
	// MinCount is the minimum number of elements that are not missing. Results of fewer are missing.
	// By default the sum of no elements is 0, and other results of no elements are missing.
	MinCount int
	// Weights is the name of a variable with the weights of elements, or "cos(lat)" for the cosines
	// of a coordinate lat in degrees. Mean, Sum and Std have weights.
	Weights string
}

// ReduceOptions configures a call of [Reduce].
type ReduceOptions struct {
	Format   int                   // Zarr format of the result: 2 or 3; 0 for that of the dataset
	Memory   int64                 // approximate memory for results of one variable; the default is 32 MiB
	Progress func(done, tasks int) // called after each task, not concurrently; may be nil
	Zarr     []zarr.Option         // for the arrays of the result
}

// Op is how [Reduce] reduces elements to one.
type Op uint8

// The operations. First and Last reduce along one dimension.
const (
	Mean Op = iota
	Sum
	Min
	Max
	Count // the number of elements that are not missing
	Std   // the population standard deviation (ddof=0 in numpy)
	First
	Last
)

// String returns the name of the operation, such as "mean".
func (o Op) String() string { return compute.Op(o).String() }

// ParseOp returns the operation with a name.
func ParseOp(name string) (Op, error) {
	o, ok := compute.ParseOp(name)
	if !ok {
		return 0, fault.Newf(fault.Selection, "unknown operation %q; the operations are mean, sum, min, max, count, std, first and last", name)
	}
	return Op(o), nil
}
