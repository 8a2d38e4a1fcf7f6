package dataset

import (
	"fmt"
	"math"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// End is the end of a dimension in [Slice].
const End = math.MaxInt

// Query selects elements along dimensions: by label ([Label], [Nearest], [Pad], [Backfill],
// [Between], [Text]) or by position ([At], [Take], [Slice]). [Pointwise] combines queries.
type Query struct {
	dim    string
	kind   kind
	label  any // Label, Nearest, Pad, Backfill, Text
	labels []any
	lo, hi any // Between
	method method
	limit  any
	period float64

	from, to, step int   // Slice
	list           []int // Take, At
	points         []Query
}

type kind uint8

const (
	byLabel kind = iota
	byLabels
	byRange
	byText
	byPosition
	byPositions
	bySlice
	byPoints
)

// Label selects the elements with a label. The label is a number for a numeric coordinate, a string
// for a text coordinate, and a time.Time, a cf.Time or a string for a time coordinate. The
// dimension is dropped if exactly one element has the label. If several elements have the label,
// all of them are selected.
//
// A string for a time coordinate denotes a period as long as the resolution of the string:
// "2020-01" selects all elements of January 2020, and the dimension is kept.
func Label(dim string, label any) Query { return Query{dim: dim, kind: byLabel, label: label} }

// Labels selects one element for each label, in the order of the labels. A label may be repeated. A
// string for a time coordinate denotes the first time of its period, as in xarray: "2020-01"
// selects the element at 2020-01-01 00:00.
func Labels[T any](dim string, labels ...T) Query {
	q := Query{dim: dim, kind: byLabels}
	for _, l := range labels {
		q.labels = append(q.labels, l)
	}
	return q
}

// Nearest selects the element whose coordinate is nearest to a number or a time. If two coordinates
// are equally near, it selects the larger one.
func Nearest(dim string, label any) Query {
	return Query{dim: dim, kind: byLabel, label: label, method: nearest}
}

// Pad selects the element with the label. If there is none, it selects the last element before the
// label in the order of the array. In an increasing coordinate, this is the largest coordinate that
// is smaller than the label.
func Pad(dim string, label any) Query {
	return Query{dim: dim, kind: byLabel, label: label, method: pad}
}

// Backfill selects the element with the label. If there is none, it selects the first element after
// the label in the order of the array.
func Backfill(dim string, label any) Query {
	return Query{dim: dim, kind: byLabel, label: label, method: backfill}
}

// Between selects the elements whose coordinates are between two labels, including both. The labels
// may be in either order, and need not exist. A nil label leaves that end open. The elements are
// selected in the order of the array. In a coordinate that is not sorted, each label must occur
// once, and Between selects the elements between their positions.
func Between(dim string, lo, hi any) Query { return Query{dim: dim, kind: byRange, lo: lo, hi: hi} }

// Text selects by a text: a label ("2020-01"), a range ("50:40", "2020-01:", ":3"), or a method and
// a label ("nearest::2020-01-01T04:00"; also exact, pad or ffill, backfill or bfill). A comma
// separates labels of a list.
func Text(dim, text string) Query { return Query{dim: dim, kind: byText, label: text} }

// Parse returns the queries in a text such as "time=nearest::2020-01-01T04:00,lat=50:40". For each
// dimension the text has the name, an equals sign, and a text for [Text]. The error is
// fault.Selection for a malformed text.
func Parse(text string) ([]Query, error) {
	var out []Query
	for item := range strings.SplitSeq(text, ",") {
		dim, label, ok := strings.Cut(item, "=")
		switch dim = strings.TrimSpace(dim); {
		case ok && dim != "":
			out = append(out, Text(dim, strings.TrimSpace(label)))
		case !ok && len(out) > 0:
			last := &out[len(out)-1]
			last.label = fmt.Sprintf("%v,%s", last.label, strings.TrimSpace(item))
		default:
			return nil, fault.Newf(fault.Selection, "a selection must be \"dimension=label\", is %q", item)
		}
	}
	return out, nil
}

// At selects one position and drops the dimension. The position -1 is the last.
func At(dim string, i int) Query { return Query{dim: dim, kind: byPosition, list: []int{i}} }

// Take selects positions, in the given order. The position -1 is the last.
func Take(dim string, i ...int) Query { return Query{dim: dim, kind: byPositions, list: i} }

// Slice selects the positions from lo up to, but not including, hi. Negative positions count from
// the end, and positions outside the dimension are clipped.
func Slice(dim string, lo, hi int) Query {
	return Query{dim: dim, kind: bySlice, from: lo, to: hi, step: 1}
}

// Pointwise selects n points. It combines queries of different dimensions that each select n
// elements: the i-th point is at the i-th element of each query. The new dimension of the points is
// called dim. The queries must be those of [Labels], [NearestEach] and [Take].
func Pointwise(dim string, q ...Query) Query { return Query{dim: dim, kind: byPoints, points: q} }

// Within sets the maximum distance between the label of Nearest, Pad or Backfill and the
// coordinate: a number, or a time.Duration for times.
func (q Query) Within(tolerance any) Query {
	q.limit = tolerance
	return q
}

// Wrap declares that the coordinate is cyclic. For example, in a longitude with the period 360 the
// label -90 selects the coordinate 270. Between then selects the elements from lo upwards to hi, in
// this order, even across the end of the period. If hi is a period or more after lo, it selects all
// elements once, from lo on. In a decreasing coordinate the order is the reverse. The coordinate
// must be sorted numbers.
func (q Query) Wrap(period float64) Query {
	q.period = period
	return q
}

// By selects every step-th element of a Slice. step is at least 1.
func (q Query) By(step int) Query {
	q.step = step
	return q
}

// NearestEach is like [Labels], but selects the nearest element for each label.
func NearestEach[T any](dim string, labels ...T) Query {
	q := Labels(dim, labels...)
	q.method = nearest
	return q
}
