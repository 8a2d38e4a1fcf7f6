package arrow

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// key is a label in one form for all types: equal numbers and equal times have equal keys.
type key struct {
	class class
	a     int64 // of ints, instants (seconds) and durations (ns); the bits of uints and reals
	b     int64 // nanoseconds of instants
	s     string
}

// keyOf returns the key of a value of package dataset or of [vector]. It reports false for missing
// values.
func keyOf(v any) (key, bool) {
	switch v := v.(type) {
	case int64:
		return key{class: ints, a: v}, true
	case uint64:
		if v <= math.MaxInt64 {
			return key{class: ints, a: int64(v)}, true
		}
		return key{class: uints, a: int64(v)}, true //nolint:gosec // the bits
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= 1<<53 {
			return key{class: ints, a: int64(v)}, true
		}
		return key{class: reals, a: int64(math.Float64bits(v))}, v == v //nolint:gosec // the bits
	case bool:
		if v {
			return key{class: truths, a: 1}, true
		}
		return key{class: truths}, true
	case string:
		return key{class: words, s: v}, true
	case time.Time:
		return key{class: instants, a: v.Unix(), b: int64(v.Nanosecond())}, true
	case time.Duration:
		return key{class: durations, a: int64(v)}, true
	case cf.Time:
		if at, ok := v.Std(); ok && !v.IsNaT() {
			return keyOf(at)
		}
		return key{class: words, s: v.String()}, !v.IsNaT()
	}
	return key{}, false
}

// key returns the key of an element.
func (c vector) key(i int) (key, bool) {
	if c.IsNull(i) {
		return key{}, false
	}
	switch c.class {
	case ints:
		return key{class: ints, a: c.i(i)}, true
	case uints:
		return keyOf(c.u(i))
	case reals:
		return keyOf(c.f(i))
	case truths:
		return keyOf(c.t(i))
	case words:
		return key{class: words, s: c.s(i)}, true
	case instants:
		return keyOf(c.at(i))
	case durations:
		n := c.i(i)
		return key{class: durations, a: n * int64(c.unit)}, n*int64(c.unit)/int64(c.unit) == n
	}
	return key{}, false
}

func (k key) String() string {
	switch k.class {
	case uints:
		return strconv.FormatUint(uint64(k.a), 10) //nolint:gosec // the bits
	case reals:
		return fmt.Sprint(k.float())
	case truths:
		return strconv.FormatBool(k.a == 1)
	case words:
		return strconv.Quote(k.s)
	case instants:
		return time.Unix(k.a, k.b).UTC().Format("2006-01-02T15:04:05.999999999")
	case durations:
		return time.Duration(k.a).String()
	}
	return strconv.FormatInt(k.a, 10)
}

// float returns a number.
func (k key) float() float64 {
	switch k.class {
	case uints:
		return float64(uint64(k.a)) //nolint:gosec // the bits
	case reals:
		return math.Float64frombits(uint64(k.a)) //nolint:gosec // the bits
	}
	return float64(k.a)
}

// compare orders the labels of a column.
func (k key) compare(l key) int {
	if k.class == l.class && k.class != uints && k.class != reals {
		return cmp.Or(cmp.Compare(k.a, l.a), cmp.Compare(k.b, l.b), cmp.Compare(k.s, l.s))
	}
	if k.class == uints && l.class == uints {
		return cmp.Compare(uint64(k.a), uint64(l.a)) //nolint:gosec // the bits
	}
	return cmp.Or(cmp.Compare(k.float(), l.float()), cmp.Compare(k.class, l.class))
}

// coder numbers the distinct labels of a column, in the order of their rows.
type coder struct {
	name  string
	most  int
	codes map[key]int32
	keys  []key
	rows  []int64 // the first row with each label
	count []int64 // rows with each label
	last  key
	code  int32
	bytes int64 // of texts
}

// number returns the numbers of labels. row is the number of the first row.
func (x *coder) number(c vector, row int64) ([]int32, error) {
	out := make([]int32, c.Len())
	for i := range out {
		k, ok := c.key(i)
		if !ok {
			return nil, fault.Newf(fault.Selection, "row %d: the label %s is missing", row+int64(i), x.name)
		}
		if k != x.last || len(x.keys) == 0 {
			n, known := x.codes[k]
			if !known {
				if len(x.keys) >= x.most {
					return nil, fault.Newf(fault.Limit, "row %d: column %s has more than %d labels", row+int64(i), x.name, x.most)
				}
				if x.bytes += int64(len(k.s)); x.bytes > maxBatch() {
					return nil, fault.Newf(fault.Limit, "row %d: the labels of column %s have more than %d bytes", row+int64(i), x.name, maxBatch())
				}
				k.s = strings.Clone(k.s) // rather than keep the batch
				n = int32(len(x.keys))   //nolint:gosec // at most x.most
				x.codes[k], x.keys, x.rows = n, append(x.keys, k), append(x.rows, row+int64(i))
				x.count = append(x.count, 0)
			}
			x.last, x.code = k, n
		}
		out[i] = x.code
		x.count[x.code]++
	}
	return out, nil
}

// sorted returns the labels in order.
func (x *coder) sorted() []key { return slices.SortedFunc(slices.Values(x.keys), key.compare) }

// positions returns the position of each numbered label in a dimension, and -1 for those that it
// lacks.
func (x *coder) positions(d *dataset.Dataset, dim dataset.Dim) ([]int, error) {
	v, err := d.Var(dim.Name)
	own := err == nil && len(v.Dims()) == 1 && v.Dims()[0] == dim
	out := make([]int, len(x.keys))
	if !own {
		for i, k := range x.keys {
			if out[i] = -1; k.class == ints && k.a >= 0 && k.a < int64(dim.Len) {
				out[i] = int(k.a)
			}
		}
		return out, nil
	}
	labels := v.Index(dim.Name)
	if labels == nil {
		return nil, fault.Newf(fault.Selection, "the labels of the dimension %s cannot be read", dim.Name)
	}
	index, twice := make(map[key]int, labels.Len()), map[key]bool{}
	for i := range labels.Len() {
		if k, ok := keyOf(labels.Value(i)); ok {
			if _, again := index[k]; again {
				twice[k] = true
			}
			index[k] = i
		}
	}
	for i, k := range x.keys {
		if k.class == durations {
			out[i] = -1
			if at, _, err := labels.Positions(dataset.Label(dim.Name, time.Duration(k.a))); err == nil && len(at) == 1 {
				out[i] = at[0]
			}
			continue
		}
		k := fit(v, k)
		at, ok := index[k]
		if twice[k] {
			return nil, fault.Newf(fault.Selection, "dimension %s has the label %v several times", dim.Name, k)
		}
		if out[i] = -1; ok {
			out[i] = at
		}
	}
	return out, nil
}

// fit returns a label in the form of those of a coordinate: rounded to its type, or the text of a
// time as the time.
func fit(v *dataset.Variable, k key) key {
	c, ok := v.Coding()
	if !ok {
		if _, timed := v.Array().DType().(dtype.DateTime); timed && k.class == words {
			k = parsed(k, cf.ProlepticGregorian)
		}
		return k
	}
	if u, timed := c.Units(); timed && k.class == words {
		return parsed(k, u.Calendar())
	} else if timed && k.class == instants {
		if t, err := cf.NewTime(u.Calendar(), cf.TimeOf(time.Unix(k.a, k.b).UTC()).Date()); err == nil {
			k, _ = keyOf(t)
		}
		return k
	}
	if k.class == reals && !c.Packed() {
		switch v.Array().DType() {
		case dtype.Float32:
			k, _ = keyOf(float64(float32(k.float())))
		case dtype.Float16:
			k, _ = keyOf(float64(dtype.Round[dtype.F16](k.float()).Float32()))
		}
	}
	return k
}

// parsed returns the time in a text, or the text if it is not a time.
func parsed(k key, c cf.Calendar) key {
	if p, err := cf.ParsePeriod(k.s, c); err == nil {
		k, _ = keyOf(p.First)
	}
	return k
}

// vectorOfKeys returns labels as a column of a class.
func vectorOfKeys(c class, keys []key) vector {
	return vector{
		Array: fixed(arrow.PrimitiveTypes.Int64, make([]int64, len(keys)), nil), class: c, unit: 1,
		i:  func(i int) int64 { return keys[i].a },
		u:  func(i int) uint64 { return uint64(keys[i].a) }, //nolint:gosec // the bits
		f:  func(i int) float64 { return keys[i].float() },
		t:  func(i int) bool { return keys[i].a == 1 },
		s:  func(i int) string { return keys[i].s },
		at: func(i int) time.Time { return time.Unix(keys[i].a, keys[i].b).UTC() },
	}
}
