package render

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// The text format is for people. Like NumPy's, it prints only the corners of large arrays.

// Text prints a selection. It reads only the elements that it prints. read fills buf with the
// elements [part[k][0], part[k][1]) along each axis k of the selection. t is a type returned by
// [ReaderOf].
func Text(w io.Writer, t dtype.Type, axes []Axis, read func(buf []byte, part [][2]int) error) error {
	one, err := elements(t, textSpelling())
	if err != nil {
		return err
	}
	edge := textAll
	if !empty(axes) && corners(axes, textAll, textAll) > textAll {
		for edge = textEdge; edge > 1 && corners(axes, edge, textCells) > textCells; edge-- {
		}
		if corners(axes, edge, textCells) > textCells {
			return fault.Newf(fault.Limit, "an array with %d axes cannot be printed as text: select fewer axes with --sel, or use another format", len(axes))
		}
	}
	s := newSheet(axes, edge)
	if err := s.read(read, t.Size(), one); err != nil {
		return err
	}
	_, err = io.WriteString(w, s.String()+"\n")
	return err
}

// Axis is one axis of a printed selection.
type Axis struct {
	Count int  // elements
	Drop  bool // the result lacks the axis
}

const (
	textAll   = 1000  // larger arrays are abbreviated; NumPy's threshold
	textEdge  = 3     // elements shown at each end of an axis of abbreviated arrays
	textCells = 10000 // maximum number of elements shown, for arrays with many axes
	textWidth = 75    // columns of a line, including closing brackets, as in NumPy
)

// empty reports whether nothing is selected.
func empty(axes []Axis) bool {
	return slices.ContainsFunc(axes, func(a Axis) bool { return a.Count == 0 })
}

// corners returns the number of elements that are shown if at most edge elements are shown at each
// end of every axis. The result is inexact if it exceeds most.
func corners(axes []Axis, edge, most int) int {
	n := 1
	for _, a := range axes {
		if n *= min(a.Count, 2*edge); n > most {
			return n
		}
	}
	return n
}

// sheet is an array of formatted elements.
type sheet struct {
	axes  []Axis
	runs  [][]run // along each axis, including dropped ones
	shape []int   // of cells, dropped axes included
	cells []string
}

// run is a printed range of indices [lo, hi) along an axis. The cell of index lo has the number at.
type run struct{ lo, hi, at int }

// newSheet returns a sheet without values. Along an axis with more than 2*edge elements, the sheet
// has edge elements at each end. Along other axes it has all elements.
func newSheet(axes []Axis, edge int) sheet {
	s := sheet{axes: axes}
	n := 1
	for _, a := range axes {
		runs := []run{{0, a.Count, 0}}
		shown := a.Count
		if a.Count > 2*edge {
			runs = []run{{0, edge, 0}, {a.Count - edge, a.Count, edge}}
			shown = 2 * edge
		}
		s.runs = append(s.runs, runs)
		s.shape = append(s.shape, shown)
		n *= shown
	}
	s.cells = make([]string, n)
	return s
}

// read fills the cells. It calls the function read once for each combination of runs.
func (s *sheet) read(read func(buf []byte, part [][2]int) error, size int, one element) error {
	if len(s.cells) == 0 {
		return nil
	}
	choice := newCounter(s.choices())
	for {
		part, counts, origin, n := make([][2]int, len(s.axes)), make([]int, len(s.axes)), make([]int, len(s.axes)), size
		for k, i := range choice.index {
			run := s.runs[k][i]
			part[k], counts[k], origin[k] = [2]int{run.lo, run.hi}, run.hi-run.lo, run.at
			n *= run.hi - run.lo
		}
		buf := make([]byte, n)
		if err := read(buf, part); err != nil {
			return err
		}
		s.put(counts, origin, buf, size, one)
		if choice.next() == len(choice.index) {
			return nil
		}
	}
}

func (s *sheet) choices() []int {
	n := make([]int, len(s.runs))
	for k, runs := range s.runs {
		n[k] = len(runs)
	}
	return n
}

// put formats the elements of a part into their cells.
func (s *sheet) put(counts, origin []int, buf []byte, size int, one element) {
	c := newCounter(counts)
	for ; len(buf) > 0; buf = buf[size:] {
		cell := 0
		for k, i := range c.index {
			cell = cell*s.shape[k] + origin[k] + i
		}
		s.cells[cell] = string(one(nil, buf[:size]))
		c.next()
	}
}

// String formats the cells in aligned columns.
func (s *sheet) String() string {
	width := 0
	for _, c := range s.cells {
		width = max(width, utf8.RuneCountInString(c))
	}
	var axes []int // axes in the result
	for k, a := range s.axes {
		if !a.Drop {
			axes = append(axes, k)
		}
	}
	if len(s.cells) == 0 {
		return "[]"
	}
	var b strings.Builder
	s.print(&b, axes, 0, 0, width)
	return b.String()
}

// print writes the elements along the axes as a nested list. cell is the number of the first cell.
func (s *sheet) print(b *strings.Builder, axes []int, cell, depth, width int) {
	if len(axes) == 0 {
		b.WriteString(s.cells[cell])
		return
	}
	k := axes[0]
	stride := 1
	for _, d := range s.shape[k+1:] {
		stride *= d
	}
	last := len(axes) == 1
	indent := strings.Repeat(" ", depth+1)
	column := depth + 1
	b.WriteByte('[')
	gap := func(n int) {
		if !last {
			b.WriteString(strings.Repeat("\n", len(axes)-1) + indent)
		} else if column+1+n > textWidth-1-depth {
			b.WriteString("\n" + indent)
			column = depth + 1
		} else {
			b.WriteByte(' ')
			column++
		}
	}
	for i, run := range s.runs[k] {
		for j := run.at; j < run.at+run.hi-run.lo; j++ {
			if j > 0 && !(i > 0 && j == run.at) {
				gap(width)
			} else if j > 0 {
				gap(3)
				b.WriteString("...")
				column += 3
				gap(width)
			}
			if last {
				c := s.cells[cell+j*stride]
				b.WriteString(strings.Repeat(" ", width-utf8.RuneCountInString(c)))
				b.WriteString(c)
				column += width
			} else {
				s.print(b, axes[1:], cell+j*stride, depth+1, width)
			}
		}
	}
	b.WriteByte(']')
}
