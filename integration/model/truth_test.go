package model

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// never is a step later than every other step.
const never = math.MaxInt

// candidate is a value that an element may have.
type candidate struct {
	v       int32
	by      *op  // nil for the fill value
	any     bool // any value of by, or the fill value, instead of v
	added   int  // step at which it was added
	settled int  // from this step on the write can no longer be applied
	removed int  // from this step on the element cannot have the value
}

// cell has every value that one element may have had. The first candidate is the fill value.
type cell []candidate

// width is the maximum number of elements along the second axis.
const width = 40

// truth has the values that may be stored in one array.
type truth struct {
	path   string
	rank   int
	chunk  []int // elements of one object along each axis
	shape  []int // the stored shape, or nil if no array is stored
	cells  []cell
	format int
}

func newTruth(path string, format int, shape, object []int) *truth {
	return &truth{path: path, format: format, rank: len(shape), chunk: object, shape: slices.Clone(shape), cells: make([]cell, width*width)}
}

// at returns the element with the coordinates c. A one-dimensional array uses the first axis.
func (t *truth) at(c [2]int) *cell {
	e := &t.cells[c[0]*width+c[1]]
	if *e == nil {
		*e = cell{{removed: never}}
	}
	return e
}

// box is a range along two axes. The second range of a one-dimensional array is [0,1).
type box struct{ lo, hi [2]int }

func (b box) each(f func(c [2]int)) {
	for i := b.lo[0]; i < b.hi[0]; i++ {
		for j := b.lo[1]; j < b.hi[1]; j++ {
			f([2]int{i, j})
		}
	}
}

func (b box) len() int { return max(0, b.hi[0]-b.lo[0]) * max(0, b.hi[1]-b.lo[1]) }

func (b box) has(c [2]int) bool {
	return c[0] >= b.lo[0] && c[0] < b.hi[0] && c[1] >= b.lo[1] && c[1] < b.hi[1]
}

// all returns the box of a whole shape.
func all(shape []int) box {
	b := box{hi: [2]int{1, 1}}
	copy(b.hi[:], shape)
	return b
}

// object returns the box of the object under a key, limited to the elements of the model.
func (t *truth) object(key string) (b box, ok bool) {
	b = box{hi: [2]int{1, 1}}
	for i, s := range strings.FieldsFunc(strings.TrimPrefix(strings.TrimPrefix(key, t.path+"/"), "c/"), func(r rune) bool { return r == '/' || r == '.' }) {
		n, err := strconv.Atoi(s)
		if err != nil || i >= t.rank {
			return b, false
		}
		b.lo[i], b.hi[i] = min(width, n*t.chunk[i]), min(width, (n+1)*t.chunk[i])
	}
	return b, true
}

// revive records that an object is absent from now on. A late put of an operation may set its
// elements to any value of the operation.
func (t *truth) revive(o *op, b box, now int) {
	b.each(func(c [2]int) {
		e := t.at(c)
		*e = append(*e, candidate{by: o, any: true, added: now, settled: never, removed: never})
	})
	o.wrote = append(o.wrote, written{t, b})
}

// issue adds the values of a write that starts. From now on its elements may have them.
func (t *truth) issue(o *op, b box, now int, value func(c [2]int) int32) {
	b.each(func(c [2]int) {
		e := t.at(c)
		*e = append(*e, candidate{v: value(c), by: o, added: now, settled: never, removed: never})
	})
	o.wrote = append(o.wrote, written{t, b})
}

// acknowledge records that a write succeeded. Values of writes that had ended before it started are
// gone. Values of concurrent writes, and of failed writes that may still arrive, remain possible:
// two acknowledged writes of one element are not ordered.
func (t *truth) acknowledge(o *op, b box, began, now int) {
	b.each(func(c [2]int) {
		e := *t.at(c)
		for i := range e {
			switch k := &e[i]; {
			case k.by == o:
				k.settled = min(k.settled, now)
			case k.settled < began && k.removed == never:
				k.removed = now
			}
		}
	})
}

// set makes rows of an append visible. began is the step of its claim. Values written there before
// are gone.
func (t *truth) set(o *op, b box, began, now int, value func(c [2]int) int32) {
	b.each(func(c [2]int) {
		e := t.at(c)
		*e = append(*e, candidate{v: value(c), by: o, added: now, settled: now, removed: never})
	})
	t.acknowledge(o, b, began, now)
}

// hide records a shape that becomes smaller. Elements outside it are the fill value or their old
// values if the array is extended again (ResizeOptions).
func (t *truth) hide(b box, now int) {
	b.each(func(c [2]int) {
		e := t.at(c)
		*e = append(*e, candidate{added: now, settled: now, removed: never})
	})
}

// clear records an acknowledged Resize that deletes. Elements outside the shape are the fill value,
// or values of writes that started after the resize.
func (t *truth) clear(c [2]int, began, now int) {
	e := t.at(c)
	for i := range *e {
		if k := &(*e)[i]; k.settled < began && k.removed == never {
			k.removed = now
		}
	}
	*e = append(*e, candidate{added: now, settled: now, removed: never})
}

// settle records the end of the last request of a failed write.
func (o *op) settle(now int) {
	for _, w := range o.wrote {
		w.b.each(func(c [2]int) {
			e := *w.t.at(c)
			for i := range e {
				if e[i].by == o {
					e[i].settled = min(e[i].settled, now)
				}
			}
		})
	}
}

// may reports whether a read between two steps may find a value.
func (t *truth) may(c [2]int, v int32, from, to int) bool {
	for _, k := range *t.at(c) {
		is := k.v == v || k.any && int(v)/perOp == k.by.id
		if is && k.added <= to && k.removed >= from {
			return true
		}
	}
	return false
}

// explain formats the values that an element may have, for messages.
func (t *truth) explain(c [2]int, from, to int) string {
	s := ""
	for _, k := range *t.at(c) {
		if k.added <= to && k.removed >= from {
			by := "fill"
			if k.by != nil {
				by = k.by.String()
			}
			s += fmt.Sprintf(" %d (%s)", k.v, by)
		}
	}
	return s
}

// whence formats the writer of a value, for messages.
func whence(h *history, v int32) string {
	if v == 0 {
		return "fill"
	}
	if o := h.ops[int(v)/perOp]; o != nil {
		return o.String()
	}
	return "nobody"
}
