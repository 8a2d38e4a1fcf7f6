package dataset

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Grouping divides the elements along a dimension into groups that [Reduce] reduces. Period,
// Coarsen and Rolling make groupings.
type Grouping struct {
	dim    string
	period Period
	length int  // of windows, or 0
	roll   bool // a window for each element, which ends there
	part   Boundary
}

// Boundary determines what happens to a window at the end of a dimension that is not full.
type Boundary uint8

// The values of Boundary, as in xarray.
const (
	Exact Boundary = iota // an error
	Trim                  // the elements of the window are left out
	Pad                   // the window has fewer elements
)

// ByTime groups a time dimension by periods.
func ByTime(dim string, p Period) Grouping { return Grouping{dim: dim, period: p} }

// Coarsen groups each n consecutive elements of a dimension.
func Coarsen(dim string, n int, b Boundary) Grouping { return Grouping{dim: dim, length: n, part: b} }

// Rolling groups the n elements of a dimension that end at each element. As in xarray, a result of
// fewer than n elements that are not missing is missing, unless Reduction.MinCount is set.
func Rolling(dim string, n int) Grouping { return Grouping{dim: dim, length: n, roll: true} }

// ParseGrouping parses a grouping: "time=month", with the name of a [Period], "lat=4", "lat=4:trim"
// or "lat=4:pad" for [Coarsen], and "time=rolling:30" for [Rolling].
func ParseGrouping(text string) (Grouping, error) {
	bad := func() (Grouping, error) {
		return Grouping{}, fault.Newf(fault.Selection, "a grouping must be DIM=PERIOD, DIM=N, DIM=N:trim, DIM=N:pad or DIM=rolling:N, is %q; the periods are %s", text, strings.Join(periodNames[1:], ", "))
	}
	dim, of, ok := strings.Cut(text, "=")
	if !ok || dim == "" {
		return bad()
	}
	if i := slices.Index(periodNames[:], of); i > 0 {
		return ByTime(dim, Period(i)), nil //nolint:gosec // less than 10
	}
	g := Grouping{dim: dim}
	if of, g.roll = strings.CutPrefix(of, "rolling:"); !g.roll {
		number, boundary, has := strings.Cut(of, ":")
		switch {
		case boundary == "trim":
			g.part = Trim
		case boundary == "pad":
			g.part = Pad
		case has:
			return bad()
		}
		of = number
	}
	n, err := strconv.Atoi(of)
	if err != nil || n < 1 {
		return bad()
	}
	g.length = n
	return g, nil
}

// grouped is a grouping of a dimension of a dataset.
type grouped struct {
	Grouping
	*compute.Group
	labels []label // of the groups of a period
}

// of returns the groups of a dimension.
func (g Grouping) of(ctx context.Context, d *Dataset) (*grouped, error) {
	i := slices.IndexFunc(d.Dims(), func(x Dim) bool { return x.Name == g.dim })
	if i < 0 {
		return nil, d.noDim(g.dim)
	}
	n := d.Dims()[i].Len
	switch {
	case g.period != 0:
		return g.ofTimes(ctx, d, n)
	case g.length < 1:
		return nil, fault.Newf(fault.Selection, "dimension %q: a window must have at least 1 element, not %d", g.dim, g.length)
	case n > math.MaxInt32:
		return nil, fault.Newf(fault.Limit, "dimension %q has %d elements, more than %d", g.dim, n, math.MaxInt32)
	case g.roll:
		return &grouped{Grouping: g, Group: compute.Windows(n, 1, g.length-1, g.length)}, nil
	case n%g.length == 0 || g.part == Trim:
		return &grouped{Grouping: g, Group: compute.Windows(n/g.length, g.length, 0, g.length)}, nil
	case g.part == Pad:
		return &grouped{Grouping: g, Group: compute.Windows((n-1)/g.length+1, g.length, 0, g.length)}, nil
	}
	return nil, fault.Newf(fault.Selection, "dimension %q: the length %d is not a multiple of %d: use the boundary trim or pad", g.dim, n, g.length)
}

func (d *Dataset) noDim(dim string) error {
	return fault.Newf(fault.Selection, "the dataset has no dimension %q; it has %v", dim, d.Dims())
}

// ofTimes returns the groups of the times of a dimension. Times that are missing are in no group.
func (g Grouping) ofTimes(ctx context.Context, d *Dataset, n int) (*grouped, error) {
	v, err := d.Var(g.dim)
	if err != nil {
		return nil, err
	}
	times, err := v.Times(ctx)
	if err != nil {
		return nil, err
	}
	if len(times) != n {
		return nil, fault.Newf(fault.Selection, "dimension %q has %d elements and %d times", g.dim, n, len(times))
	}
	keys, low, high := make([]int, n), math.MaxInt, math.MinInt
	for i, t := range times {
		if t.IsNaT() {
			continue
		}
		keys[i] = g.period.key(t)
		low, high = min(low, keys[i]), max(high, keys[i])
	}
	if low > high {
		return nil, fault.Newf(fault.Selection, "dimension %q has no times", g.dim)
	}
	if high-low >= maxGroups {
		return nil, fault.Newf(fault.Limit, "dimension %q: the times are in more than %d periods", g.dim, maxGroups)
	}
	number := make([]int, high-low+1) // group of each key
	if g.period.recurs() {            // groups without elements are left out
		for i, t := range times {
			if !t.IsNaT() {
				number[keys[i]-low] = 1
			}
		}
	} else {
		for k := range number {
			number[k] = 1
		}
	}
	out := &grouped{Grouping: g}
	groups := 0
	for k, is := range number {
		if number[k] = groups; is == 0 {
			continue
		}
		groups++
		l, err := g.period.label(low+k, times)
		if err != nil {
			return nil, err
		}
		out.labels = append(out.labels, l)
	}
	for i, t := range times {
		if t.IsNaT() {
			keys[i] = -1
		} else {
			keys[i] = number[keys[i]-low]
		}
	}
	out.Group = compute.Of(groups, func(i int) int { return keys[i] })
	return out, nil
}

// maxGroups is the maximum number of periods from the first to the last time.
const maxGroups = 1 << 24
