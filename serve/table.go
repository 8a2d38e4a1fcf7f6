package serve

import (
	"strconv"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/store"
)

// sendTable responds with CSV: one line for each element, with the labels of its dimensions and its
// value in each variable. A dimension without labels has positions instead.
func (c *call) sendTable(s *selected) error {
	b, err := c.admitted(new(store.Amount), s.vars...)
	if err != nil {
		return err
	}
	w := c.stream("text/csv; charset=utf-8")
	if w == nil {
		return nil
	}
	var line []byte
	columns, at := make([]func(i int) string, len(b.dims)), make([]int, len(b.dims))
	for k, dim := range b.dims {
		columns[k] = column(b.of[0].Variable, dim.Name)
		line = append(appendCell(line, dim.Name), ',')
	}
	for i, e := range b.of {
		line = appendCell(comma(line, i), e.Name())
	}
	last := make([][]byte, len(at)) // the cell of the current label of each dimension
	for band, err := range b.read() {
		if err != nil {
			return err
		}
		for i := range band.n {
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
			line = line[:0]
			for k := len(at) - 1; k >= 0; k-- { // the labels that have changed
				last[k] = appendCell(last[k][:0], columns[k](at[k]))
				if at[k] > 0 {
					break
				}
			}
			for _, cell := range last {
				line = append(append(line, cell...), ',')
			}
			for j, values := range band.of {
				from := len(line)
				if line = values.appendCSV(comma(line, j), i); len(line) == from && len(at)+len(band.of) == 1 {
					line = append(line, `""`...) // readers of CSV skip empty lines
				}
			}
			for k := len(at) - 1; k >= 0; k-- {
				if at[k]++; at[k] < b.dims[k].Len {
					break
				}
				at[k] = 0
			}
		}
	}
	_, _ = w.Write(append(line, '\n'))
	return w.Flush() // returns the first error of all writes
}

// comma appends a comma unless i is 0.
func comma(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return dst
}

// column returns the texts of the labels of a dimension.
func column(v *dataset.Variable, dim string) func(i int) string {
	if x := v.Index(dim); x != nil {
		return x.Label
	}
	_, position, _ := v.Axis(dim)
	return func(i int) string { return strconv.Itoa(position(i)) }
}
