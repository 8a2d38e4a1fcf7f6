package meta

import "github.com/zargo-io/zargo/zarr/fault"

// maxRank is the maximum number of dimensions of an array, which is that of NumPy. zarr-python has
// the same maximum, and TensorStore has 32. The time of reading grows with the square of the rank.
const maxRank = 64

// checkRank returns fault.Limit if an array has more than maxRank dimensions.
func checkRank(rank int) error {
	if rank > maxRank {
		return fault.Newf(fault.Limit, "the array has %d dimensions, more than %d", rank, maxRank)
	}
	return nil
}
