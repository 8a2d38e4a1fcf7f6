package pyramid

import (
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// maxFactor is the maximum of Options.Factor. Viewers need smaller factors, and a window of 64 × 64
// elements needs little memory.
const maxFactor = 64

// spatial contains the names of horizontal dimensions, in lower case.
var spatial = [...]string{"y", "x", "lat", "lon", "latitude", "longitude", "rlat", "rlon", "northing", "easting"}

// factors returns the factor of each axis of an array: factor for the axes that are downsampled,
// and 1 for the others.
func factors(a *zarr.Array, dims []string, factor int) ([]int, error) {
	names, rank := a.Dims(), len(a.Shape())
	f := make([]int, rank)
	for d := range f {
		f[d] = 1
	}
	if dims == nil {
		for _, name := range names {
			if slices.Contains(spatial[:], strings.ToLower(name)) {
				dims = append(dims, name)
			}
		}
		if len(dims) != 2 {
			dims = nil
		}
	}
	if dims == nil {
		if rank < 2 {
			return nil, fault.Newf(fault.Selection, "the array has %d dimensions: name the dimensions to downsample", rank)
		}
		f[rank-2], f[rank-1] = factor, factor
		return f, nil
	}
	for _, name := range dims {
		d := slices.Index(names, name)
		if d < 0 || name == "" {
			return nil, fault.Newf(fault.Selection, "no dimension of %q is named %q", names, name)
		}
		if f[d] != 1 || slices.Contains(names[d+1:], name) {
			return nil, fault.Newf(fault.Selection, "dimension %q occurs twice", name)
		}
		f[d] = factor
	}
	if len(dims) == 0 {
		return nil, fault.Newf(fault.Selection, "no dimension is downsampled")
	}
	return f, nil
}

// smaller returns the shape of the next level: shape divided by factor, rounded up.
func smaller(shape, factor []int) []int {
	out := make([]int, len(shape))
	for d, n := range shape {
		out[d] = ceil(n, factor[d])
	}
	return out
}

// ceil returns n/each, rounded up. It does not overflow.
func ceil(n, each int) int {
	if n == 0 {
		return 0
	}
	return (n-1)/each + 1
}

// count returns the number of levels after which the downsampled dimensions fit into one chunk.
func count(shape, chunk, factor []int) (n int) {
	for {
		larger := false
		for d := range shape {
			larger = larger || factor[d] > 1 && shape[d] > chunk[d]
		}
		if !larger {
			return n
		}
		shape = smaller(shape, factor)
		n++
	}
}
