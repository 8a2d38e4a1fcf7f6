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

// Label selects the elements with a label: a number for a coordinate of numbers, a string for one
// of text, and a time.Time, a cf.Time or a string for one of times. The dimension is dropped if the
// label is that of one element. A string denotes a period that is as long as its resolution:
// "2020-01" selects all elements of January 2020, and the dimension is kept. If several elements
// have the label, all of them are selected.
func Label(dim string, label any) Query { return Query{dim: dim, kind: byLabel, label: label} }

// Labels selects one element for each label, in their order. A label may be repeated.
func Labels[T any](dim string, labels ...T) Query {
	q := Query{dim: dim, kind: byLabels}
	for _, l := range labels {
		q.labels = append(q.labels, l)
	}
	return q
}

// Nearest selects the element whose coordinate is nearest to a number or a time. If two are equally
// near, it selects the larger one.
func Nearest(dim string, label any) Query {
	return Query{dim: dim, kind: byLabel, label: label, method: nearest}
}

// Pad selects the element with the label, or the last one before it in the order of the array: in an
// increasing coordinate the largest label that is smaller.
func Pad(dim string, label any) Query {
	return Query{dim: dim, kind: byLabel, label: label, method: pad}
}

// Backfill selects the element with the label, or the first one after it in the order of the array.
func Backfill(dim string, label any) Query {
	return Query{dim: dim, kind: byLabel, label: label, method: backfill}
}

// Between selects the elements whose coordinates are between two labels, both included, which may
// be in either order. The labels need not exist. nil leaves an end open. The order of the elements
// is that of the array. In a coordinate that is not sorted both labels must exist once, and the
// elements between their positions are selected.
func Between(dim string, lo, hi any) Query { return Query{dim: dim, kind: byRange, lo: lo, hi: hi} }

// Text selects by a text: a label ("2020-01"), a range ("50:40", "2020-01:", ":3"), or a method and
// a label ("nearest::2020-01-01T04:00"; also exact, pad or ffill, backfill or bfill). A comma
// separates labels of a list.
func Text(dim, text string) Query { return Query{dim: dim, kind: byText, label: text} }

// Parse returns the queries in a text such as "time=nearest::2020-01-01T04:00,lat=50:40": for each
// dimension its name and, after an equals sign, a text for [Text]. The error is fault.Selection.
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

// At selects one position; -1 is the last. The dimension is dropped.
func At(dim string, i int) Query { return Query{dim: dim, kind: byPosition, list: []int{i}} }

// Take selects positions, in their order; -1 is the last.
func Take(dim string, i ...int) Query { return Query{dim: dim, kind: byPositions, list: i} }

// Slice selects the positions from lo up to, but not including, hi. Negative positions count from
// the end, and positions outside the dimension are clipped.
func Slice(dim string, lo, hi int) Query {
	return Query{dim: dim, kind: bySlice, from: lo, to: hi, step: 1}
}

// Pointwise combines queries of different dimensions that each select n elements: it selects n
// points. The i-th point consists of the i-th element that each query selects. The points have one
// dimension, which is named dim. The queries are those of [Labels], [NearestEach] and [Take].
func Pointwise(dim string, q ...Query) Query { return Query{dim: dim, kind: byPoints, points: q} }

// Within sets the maximum distance between the label of Nearest, Pad or Backfill and the
// coordinate: a number, or a time.Duration for times.
func (q Query) Within(tolerance any) Query {
	q.limit = tolerance
	return q
}

// Wrap declares that the coordinate is cyclic, such as a longitude with the period 360: -90 selects
// 270. Between then selects the elements from lo upwards to hi, in this order, also across the end
// of the period.
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
