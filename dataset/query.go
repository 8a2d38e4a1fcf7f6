package dataset

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// End is the end of a dimension in [Slice].
const End = math.MaxInt

// Query selects elements along dimensions: by label ([Label], [Between], [Text]) or
// by position ([At], [Slice]). [Pointwise] combines queries.
type Query struct {
	dim    string
	kind   kind
	label  any // Label, Text
	labels []any
	lo, hi any // Between
	method method
	limit  any
	period float64

	from, to, step int   // Slice
	list           []int // At
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
//
// If label is a slice, such as []float64 or []any, Label selects one element for each label, in the
// order of the slice, and keeps the dimension. A label may be repeated. A string for a time
// coordinate then denotes the first time of its period, as in xarray: "2020-01" selects the element
// at 2020-01-01 00:00.
func Label(dim string, label any) Query {
	v := reflect.ValueOf(label)
	if v.Kind() != reflect.Slice {
		return Query{dim: dim, kind: byLabel, label: label}
	}
	q := Query{dim: dim, kind: byLabels, labels: make([]any, v.Len())}
	for i := range q.labels {
		q.labels[i] = v.Index(i).Interface()
	}
	return q
}

// Nearest makes a query of labels select the element whose coordinate is nearest to each label,
// which is a number or a time. If two coordinates are equally near, it selects the larger one.
func (q Query) Nearest() Query {
	q.method = nearest
	return q
}

// Pad makes a query of labels select the last element before a label that no element has, in the
// order of the array. In an increasing coordinate, this is the largest coordinate that is smaller
// than the label.
func (q Query) Pad() Query {
	q.method = pad
	return q
}

// Backfill makes a query of labels select the first element after a label that no element has, in
// the order of the array.
func (q Query) Backfill() Query {
	q.method = backfill
	return q
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

// At selects the position i and drops the dimension. If i is a slice, At selects its positions, in
// the given order, and keeps the dimension. The position -1 is the last.
func At[I int | []int](dim string, i I) Query {
	if list, ok := any(i).([]int); ok {
		return Query{dim: dim, kind: byPositions, list: list}
	}
	return Query{dim: dim, kind: byPosition, list: []int{any(i).(int)}}
}

// Slice selects the positions from lo up to, but not including, hi. Negative positions count from
// the end, and positions outside the dimension are clipped.
func Slice(dim string, lo, hi int) Query {
	return Query{dim: dim, kind: bySlice, from: lo, to: hi, step: 1}
}

// Pointwise selects n points. It combines queries of different dimensions that each select n
// elements: the i-th point is at the i-th element of each query. The new dimension of the points is
// called dim. The queries must be those of [Label] and [At] with slices.
func Pointwise(dim string, q ...Query) Query { return Query{dim: dim, kind: byPoints, points: q} }

// Within sets the maximum distance between a label and the coordinate that Nearest, Pad or Backfill
// selects: a number, or a time.Duration for times.
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
