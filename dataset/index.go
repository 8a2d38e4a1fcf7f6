package dataset

import (
	"fmt"
	"math"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// method is how a label is matched.
type method uint8

const (
	exact    method = iota
	nearest         // the closest coordinate; the larger of two
	pad             // the coordinate at the label, or the previous one in the order of the array
	backfill        // the coordinate at the label, or the next one in the order of the array
)

var methods = map[string]method{"exact": exact, "nearest": nearest, "pad": pad, "ffill": pad, "backfill": backfill, "bfill": backfill}

// index finds labels among the values of an index coordinate. It is immutable.
type index interface {
	len() int
	// label returns the i-th value: an int64, uint64, float64, string or cf.Time.
	label(i int) any
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
	// find returns the positions of a label. one reports whether the label denotes a single
	// element; otherwise it denotes a period of time, or occurs several times.
	find(label any) (p positions, one bool, err error)
	// near returns the position of a label by a method other than exact. limit is the maximum
	// distance: nil, a number or a time.Duration. period is the period of a cyclic coordinate, and
	// 0 for other coordinates.
	near(m method, label, limit any, period float64) (int, error)
	// between returns the positions from one label to another, both included.
	between(lo, hi any, period float64) (positions, error)
	// open returns the positions from a label to the end of the array, or from the start of the
	// array to a label. The label is included.
	open(label any, toEnd bool) (positions, error)
}

// values implements index for labels with keys of type K.
type values[K comparable] struct {
	dim      string
	keys     []K
	order    int // 1 increasing, -1 decreasing, 0 neither
	distinct bool
	compare  func(a, b K) int
	distance func(a, b K) float64 // nil if the type has none
	parse    func(label any) (first, last K, one bool, err error)
	limit    func(any) (float64, error) // in units of distance
	shift    func(k K, by float64) K    // nil if the type is not cyclic
}

// ordered determines the order of the keys. The keys have no order if one of them is not equal to
// itself, such as NaN.
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
	for _, k := range v.keys {
		if k != k {
			up, down = false, false
		}
	}
	switch {
	case up:
		v.order = 1
	case down:
		v.order = -1
	default:
		seen := make(map[K]bool, len(v.keys))
		for _, k := range v.keys {
			seen[k] = true
		}
		v.distinct = len(seen) == len(v.keys)
	}
	return v
}

func (v *values[K]) len() int        { return len(v.keys) }
func (v *values[K]) label(i int) any { return v.keys[i] }

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
	w.keys = make([]K, p.len())
	for i := range w.keys {
		w.keys[i] = v.keys[p.at(i)]
	}
	return w.ordered()
}

func (v *values[K]) parses(text string) bool {
	_, _, _, err := v.parse(text)
	return err == nil
}

func (v *values[K]) has(text string) bool {
	first, last, _, err := v.parse(text)
	return err == nil && (v.distance != nil || v.within(first, last).len() > 0)
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
	first, last, one, err := v.parse(label)
	if err != nil {
		return positions{}, false, v.fail(label, err)
	}
	p := v.within(first, last)
	switch {
	case p.len() > 0:
		return p, one && p.len() == 1, nil
	case v.distance != nil && v.order != 0 && v.distinct:
		return p, false, v.missing(label, "; nearest, pad and backfill select other labels")
	}
	return p, false, v.missing(label, "")
}

// missing returns the error for a label that is not in the index. The error contains the range of
// the index.
func (v *values[K]) missing(label any, hint string) error {
	of := "the index is empty"
	if n := len(v.keys); n > 0 {
		of = fmt.Sprintf("the labels are %v to %v", v.keys[0], v.keys[n-1])
	}
	return fault.Newf(fault.Selection, "dimension %q has no label %v: %s%s", v.dim, label, of, hint)
}

func (v *values[K]) fail(label any, err error) error {
	return fmt.Errorf("dimension %q, label %v: %w", v.dim, label, err)
}

func (v *values[K]) near(m method, label, limit any, period float64) (int, error) {
	if v.distance == nil || v.order == 0 || !v.distinct {
		return 0, fault.Newf(fault.Selection, "dimension %q: nearest, pad and backfill need sorted, distinct numbers or times", v.dim)
	}
	key, _, _, err := v.parse(label)
	if err != nil {
		return 0, v.fail(label, err)
	}
	if len(v.keys) == 0 {
		return 0, v.missing(label, "")
	}
	best, apart := -1, math.Inf(1)
	for _, k := range v.turns(key, period) {
		i, ok := v.closest(m, k)
		if !ok {
			continue
		}
		if d := v.distance(v.keys[i], k); d < apart || d == apart && v.compare(v.keys[i], v.keys[best]) > 0 {
			best, apart = i, d
		}
	}
	if best < 0 {
		return 0, v.missing(label, "")
	}
	if limit != nil {
		most, err := v.limit(limit)
		if err != nil {
			return 0, v.fail(label, err)
		}
		if apart > most {
			return 0, fault.Newf(fault.Selection, "dimension %q: label %v is %v from the nearest label %v, and the tolerance is %v", v.dim, label, apart, v.keys[best], limit)
		}
	}
	return best, nil
}

// turns returns k. For a cyclic coordinate it returns the keys that are equivalent to k and near
// the keys of the index.
func (v *values[K]) turns(k K, period float64) []K {
	if period == 0 || v.shift == nil || len(v.keys) == 0 {
		return []K{k}
	}
	start := v.keys[0]
	if v.order < 0 {
		start = v.keys[len(v.keys)-1]
	}
	// Subtracting n periods moves k into the period that begins at the smallest coordinate.
	n := math.Floor(v.signed(k, start) / period)
	return []K{v.shift(k, -n*period), v.shift(k, -(n+1)*period), v.shift(k, -(n-1)*period)}
}

// signed returns a - b as a float64.
func (v *values[K]) signed(a, b K) float64 {
	return v.distance(a, b) * float64(v.compare(a, b))
}

// closest returns the position that a method selects for a key.
func (v *values[K]) closest(m method, k K) (int, bool) {
	after := v.lower(k) // in the order of the index, at or after k
	if after < len(v.keys) && v.compare(v.keys[after], k) == 0 {
		return after, true
	}
	before := after - 1
	small, large := before, after
	if v.order < 0 {
		small, large = after, before
	}
	exists := func(i int) bool { return i >= 0 && i < len(v.keys) }
	switch {
	case m == pad:
		return before, exists(before)
	case m == backfill:
		return after, exists(after)
	case !exists(small):
		return large, exists(large)
	case !exists(large):
		return small, true
	case v.distance(v.keys[small], k) < v.distance(v.keys[large], k):
		return small, true
	}
	return large, true
}

func (v *values[K]) between(lo, hi any, period float64) (positions, error) {
	first, lastOfFirst, _, err := v.parse(lo)
	if err != nil {
		return positions{}, v.fail(lo, err)
	}
	firstOfLast, last, _, err := v.parse(hi)
	if err != nil {
		return positions{}, v.fail(hi, err)
	}
	if v.order == 0 {
		return v.unsorted(lo, hi)
	}
	if period == 0 || v.shift == nil || len(v.keys) == 0 {
		if v.compare(first, last) > 0 {
			first, last = firstOfLast, lastOfFirst
		}
		return v.within(first, last), nil
	}
	if v.signed(last, first) >= period {
		return all(len(v.keys)), nil
	}
	first, last = v.turns(first, period)[0], v.turns(last, period)[0]
	if v.compare(first, last) <= 0 {
		return v.within(first, last), nil
	}
	// The range contains the end of the period: the labels from first on, then those up to last.
	smallest, largest := v.keys[0], v.keys[len(v.keys)-1]
	if v.order < 0 {
		smallest, largest = largest, smallest
	}
	a, b := v.within(first, largest), v.within(smallest, last)
	if v.compare(first, largest) > 0 {
		a = positions{step: 1}
	}
	if v.order < 0 {
		a, b = b, a
	}
	list := make([]int, 0, a.len()+b.len())
	for _, p := range []positions{a, b} {
		for i := range p.len() {
			list = append(list, p.at(i))
		}
	}
	return positions{list: list}, nil
}

func (v *values[K]) open(label any, toEnd bool) (positions, error) {
	first, last, _, err := v.parse(label)
	if err != nil {
		return positions{}, v.fail(label, err)
	}
	from, to := 0, len(v.keys)
	if v.order < 0 {
		first, last = last, first
	}
	switch {
	case v.order == 0:
		var at int
		if at, err = v.only(label); toEnd {
			from = at
		} else {
			to = at + 1
		}
	case toEnd:
		from = v.lower(first)
	default:
		to = v.upper(last)
	}
	return positions{lo: from, n: to - from, step: 1}, err
}

// unsorted returns the positions between those of two labels. Each label must occur once in the
// index.
func (v *values[K]) unsorted(lo, hi any) (positions, error) {
	from, err := v.only(lo)
	if err != nil {
		return positions{}, err
	}
	to, err := v.only(hi)
	return positions{lo: from, n: max(to-from+1, 0), step: 1}, err
}

// only returns the position of a label that must occur once in the index.
func (v *values[K]) only(label any) (int, error) {
	p, one, err := v.find(label)
	switch {
	case err != nil:
		return 0, err
	case !one:
		return 0, fault.Newf(fault.Selection, "dimension %q is not sorted and has the label %v %d times", v.dim, label, p.len())
	}
	return p.at(0), nil
}
