package dataset

import (
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// index finds labels among the values of an index coordinate. It is immutable.
type index interface {
	len() int
	// label returns the i-th value: an int64, uint64, float64, bool, string, cf.Time or span.
	label(i int) any
	// text returns the i-th value in the form that parse accepts.
	text(i int) string
	// direction returns 1 if the labels increase, -1 if they decrease, and 0 otherwise.
	direction() int
	// sorted reports whether the labels are distinct and increase (order 1), decrease (order -1),
	// or do either (order 0).
	sorted(order int) bool
	// follows reports whether a label comes after the last label of the index in the given order.
	follows(label any, order int) bool
	// parses reports whether a text can be a label of the type of the index.
	parses(text string) bool
	// has reports whether a text can be a single label and not a range: it is a number, a time, or
	// a label of the index.
	has(text string) bool
	// sub returns the index of the labels at some positions.
	sub(p positions) index
	// and returns the index of the labels followed by those of next, or nil if next has labels of
	// another type.
	and(next index) index
	// find returns the positions of a label. one reports whether the label denotes a single
	// element; otherwise it denotes a period of time, or occurs several times.
	find(label any) (p positions, one bool, err error)
	// each returns the position of each label. A text of a period of time denotes its first time.
	each(labels []any) ([]int, error)
	// near returns the position of a label by a method other than exact. limit is the maximum
	// distance: nil, a number or a time.Duration. period is the period of a cyclic coordinate, and
	// 0 for other coordinates.
	near(m method, label, limit any, period float64) (int, error)
	// between returns the positions from one label to another, both included.
	between(lo, hi any, period float64) (positions, error)
	// open returns the positions from a label to the end of the array, or from the start of the
	// array to a label. The label is included.
	open(label any, toEnd bool, period float64) (positions, error)
}

// method is how a label is matched.
type method uint8

const (
	exact    method = iota
	nearest         // the closest coordinate; the larger of two
	pad             // the coordinate at the label, or the previous one in the order of the array
	backfill        // the coordinate at the label, or the next one in the order of the array
)

var methods = map[string]method{"exact": exact, "nearest": nearest, "pad": pad, "ffill": pad, "backfill": backfill, "bfill": backfill}

// target is a label as keys of an index.
type target[K any] struct {
	// The label denotes the keys from first to last. A number between two integers denotes none:
	// first is the next integer, and last is the one before.
	first, last K
	from, to    K       // the first key of a range that begins at the label, and the last of one that ends there
	one         bool    // the label denotes a single key, and not a period
	side        int     // -1 or 1 if the label is before or after all keys of the type, and 0 otherwise
	value       float64 // the label as a number, if it is a number
}

// single returns the target of a key.
func single[K any](k K) target[K] { return target[K]{first: k, last: k, from: k, to: k, one: true} }

// values implements index for labels with keys of type K.
type values[K comparable] struct {
	dim      string
	keys     []K
	order    int // 1 increasing, -1 decreasing, 0 neither
	distinct bool
	compare  func(a, b K) int
	missing  func(k K) bool // reports NaN and NaT; nil if the type has neither
	parse    func(label any) (target[K], error)
	print    func(k K) string

	// The functions below are nil for types without a distance.
	distance func(k K, to target[K]) float64
	nearer   func(a, b K, to target[K]) bool // a is nearer than b
	limit    func(any) (float64, error)      // in units of distance

	shift func(t target[K], by float64) target[K] // nil if the type is not cyclic

	again func(keys []K) index // returns the index of other labels of the same coordinate
}

// ordered determines the order of the keys. The keys have no order if one of them is NaN or NaT.
func (v *values[K]) ordered() *values[K] {
	up, down := true, true
	v.order, v.distinct = 0, true
	for i := 1; i < len(v.keys); i++ {
		switch c := v.compare(v.keys[i-1], v.keys[i]); {
		case c < 0:
			down = false
		case c > 0:
			up = false
		default:
			v.distinct = false
		}
	}
	if v.missing != nil && slices.ContainsFunc(v.keys, v.missing) {
		up, down = false, false
	}
	switch {
	case up:
		v.order = 1
	case down:
		v.order = -1
	}
	return v
}

func (v *values[K]) len() int          { return len(v.keys) }
func (v *values[K]) label(i int) any   { return v.keys[i] }
func (v *values[K]) text(i int) string { return v.print(v.keys[i]) }

func (v *values[K]) direction() int { return v.order }

func (v *values[K]) sorted(order int) bool {
	return v.distinct && (len(v.keys) < 2 && v.order != 0 || v.order != 0 && v.order == order)
}

func (v *values[K]) follows(label any, order int) bool {
	k, ok := label.(K)
	return ok && v.compare(v.keys[len(v.keys)-1], k)*order < 0
}

func (v *values[K]) sub(p positions) index {
	w := *v
	if p.list == nil && p.step == 1 {
		w.keys = v.keys[p.lo : p.lo+p.n]
		return w.ordered()
	}
	w.keys = make([]K, p.len())
	for i := range w.keys {
		w.keys[i] = v.keys[p.at(i)]
	}
	return w.ordered()
}

func (v *values[K]) and(next index) index {
	w, ok := next.(*values[K])
	if !ok {
		return nil
	}
	return v.again(slices.Concat(v.keys, w.keys))
}

func (v *values[K]) parses(text string) bool {
	_, err := v.parse(text)
	return err == nil
}

func (v *values[K]) has(text string) bool {
	t, err := v.parse(text)
	return err == nil && (v.distance != nil || v.within(t.first, t.last).len() > 0)
}

// lower returns the first position in the order of the index whose key is not before k, and upper
// the first whose key is after k.
func (v *values[K]) lower(k K) int {
	n, _ := slices.BinarySearchFunc(v.keys, k, func(e, k K) int { return v.order * v.compare(e, k) })
	return n
}

func (v *values[K]) upper(k K) int {
	n, _ := slices.BinarySearchFunc(v.keys, k, func(e, k K) int {
		if v.order*v.compare(e, k) <= 0 {
			return -1
		}
		return 1
	})
	return n
}

// beside returns the position at the end of the index for a label that is before or after all keys
// of the type. ok is false for other labels.
func (v *values[K]) beside(side int) (at int, ok bool) {
	if side*v.order > 0 {
		return len(v.keys), true
	}
	return 0, side != 0
}

// begin and finish return the positions at which a range in the order of the index begins and ends
// if one of its ends is t.
func (v *values[K]) begin(t target[K]) int {
	if at, ok := v.beside(t.side); ok {
		return at
	}
	if v.order < 0 {
		return v.lower(t.to)
	}
	return v.lower(t.from)
}

func (v *values[K]) finish(t target[K]) int {
	if at, ok := v.beside(t.side); ok {
		return at
	}
	if v.order < 0 {
		return v.upper(t.from)
	}
	return v.upper(t.to)
}

// within returns the positions of the keys from first to last, both included.
func (v *values[K]) within(first, last K) positions {
	if v.order != 0 {
		if v.order < 0 {
			first, last = last, first
		}
		lo := v.lower(first)
		return positions{lo: lo, n: max(v.upper(last)-lo, 0), step: 1}
	}
	list := []int{}
	for i, k := range v.keys {
		if v.compare(first, k) <= 0 && v.compare(k, last) <= 0 {
			list = append(list, i)
		}
	}
	return positions{list: list}
}

func (v *values[K]) find(label any) (positions, bool, error) {
	t, err := v.parse(label)
	if err != nil {
		return positions{}, false, v.fail(label, err)
	}
	if t.side == 0 {
		if p := v.within(t.first, t.last); p.len() > 0 {
			return p, t.one && p.len() == 1, nil
		}
	}
	if v.distance != nil && v.order != 0 && v.distinct {
		return positions{}, false, v.absent(label, "; nearest, pad and backfill select other labels")
	}
	return positions{}, false, v.absent(label, "")
}

// fewLabels is the number of labels up to which each scans an index that is not sorted once for
// each label.
const fewLabels = 8

func (v *values[K]) each(labels []any) ([]int, error) {
	var sorted []int // positions in the order of their keys, if the index is not sorted
	if v.order == 0 && len(labels) > fewLabels {
		sorted = make([]int, len(v.keys))
		for i := range sorted {
			sorted[i] = i
		}
		slices.SortFunc(sorted, func(i, j int) int { return v.compare(v.keys[i], v.keys[j]) })
	}
	list := make([]int, len(labels))
	for i, label := range labels {
		t, err := v.parse(label)
		if err != nil {
			return nil, v.fail(label, err)
		}
		if t.side != 0 || v.compare(t.first, t.last) > 0 {
			return nil, v.absent(label, "")
		}
		var at, n int
		if sorted != nil {
			find := func(k K, after int) int {
				i, _ := slices.BinarySearchFunc(sorted, k, func(i int, k K) int {
					if c := v.compare(v.keys[i], k); c != 0 {
						return c
					}
					return after
				})
				return i
			}
			lo := find(t.first, 1)
			if n = find(t.first, -1) - lo; n > 0 {
				at = sorted[lo]
			}
		} else {
			p := v.within(t.first, t.first)
			if n = p.len(); n > 0 {
				at = p.at(0)
			}
		}
		switch {
		case n == 0:
			return nil, v.absent(label, "")
		case n > 1:
			return nil, fault.Newf(fault.Selection, "dimension %q has the label %v %d times", v.dim, label, n)
		}
		list[i] = at
	}
	return list, nil
}

// absent returns the error for a label that is not in the index. The error contains the range of
// the index.
func (v *values[K]) absent(label any, hint string) error {
	of := "the index is empty"
	if n := len(v.keys); n > 0 {
		of = fmt.Sprintf("the labels are %v to %v", v.keys[0], v.keys[n-1])
	}
	return fault.Newf(fault.Selection, "dimension %q has no label %v: %s%s", v.dim, label, of, hint)
}

func (v *values[K]) fail(label any, err error) error {
	return fmt.Errorf("dimension %q, label %v: %w", v.dim, label, err)
}
