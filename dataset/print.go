package dataset

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Print writes the dimensions, coordinates, variables and attributes of the dataset as text, in the
// form of xarray. It sends no request. Values are printed for index coordinates, which are in
// memory.
func (d *Dataset) Print(w io.Writer) error {
	if err := d.usable(); err != nil {
		return err
	}
	if w == nil {
		return fault.Newf(fault.Selection, "the writer of a dataset is nil")
	}
	var b bytes.Buffer
	coords, vars := d.Coords(), d.Vars()
	total := int64(0)
	for _, v := range append(slices.Clone(coords), vars...) {
		total += v.size()
	}
	fmt.Fprintf(&b, "<zargo.Dataset %q> Size: %s\n", d.group.Path(), bytesText(total))
	dims, bare := d.Dims(), []string{}
	text := make([]string, len(dims))
	for i, dim := range dims {
		text[i] = fmt.Sprintf("%s: %d", dim.Name, dim.Len)
		if _, ok := d.index[dim.Name]; !ok {
			bare = append(bare, dim.Name)
		}
	}
	fmt.Fprintf(&b, "Dimensions:  (%s)\n", strings.Join(text, ", "))
	column := 8
	for name := range d.vars {
		column = max(column, utf8.RuneCountInString(name)+1)
	}
	if len(coords) > 0 {
		b.WriteString("Coordinates:\n")
	}
	for _, v := range coords {
		v.line(&b, column)
	}
	if len(bare) > 0 {
		fmt.Fprintf(&b, "Dimensions without coordinates: %s\n", strings.Join(bare, ", "))
	}
	b.WriteString("Data variables:\n")
	if len(vars) == 0 {
		b.WriteString("    *empty*\n")
	}
	for _, v := range vars {
		v.line(&b, column)
	}
	if len(d.groups) > 0 {
		fmt.Fprintf(&b, "Groups:      %s\n", strings.Join(d.groups, ", "))
	}
	attrs := d.Attrs()
	if len(attrs) > 0 {
		b.WriteString("Attributes:\n")
	}
	column = 8
	for name := range attrs {
		column = max(column, utf8.RuneCountInString(name)+3)
	}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		line := strings.ReplaceAll(fmt.Sprint(attrs[name]), "\n", " ")
		fmt.Fprintf(&b, "%s\n", cut(fmt.Sprintf("    %-*s%s", column, name+":", line)))
	}
	for _, f := range d.findings {
		fmt.Fprintf(&b, "Finding:     %v\n", f)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// width is the number of columns of the output of Print.
const width = 80

// cut shortens a line to the width.
func cut(line string) string {
	r := []rune(line)
	if len(r) <= width {
		return line
	}
	return string(r[:width-3]) + "..."
}

// size returns the number of bytes of the decoded elements.
func (v *Variable) size() int64 {
	_, size := v.typeName()
	return size * int64(v.Len())
}

// typeName returns the name of the type of the decoded values, and the number of bytes of one
// value.
func (v *Variable) typeName() (string, int64) {
	t := v.stored.array.DType()
	c := v.stored.coding
	switch {
	case c == nil:
		return t.String(), int64(max(t.Size(), 16)) // the header of a string
	case c.IsBool():
		return "bool", 1
	}
	if u, ok := c.Units(); ok {
		return "time[" + u.Calendar().String() + "]", 8
	}
	if c.Packed() || c.CanMiss() && !strings.HasPrefix(t.String(), "float") {
		return "float64", 8
	}
	return t.String(), int64(t.Size())
}

// line writes the line of a variable.
func (v *Variable) line(b *bytes.Buffer, column int) {
	mark := " "
	x := v.dataset.index[v.name]
	var dims []string
	for _, d := range v.Dims() {
		dims = append(dims, d.Name)
	}
	if x != nil && len(dims) == 1 && dims[0] == v.name {
		mark = "*"
	}
	name, _ := v.typeName()
	of := ""
	if len(dims) > 0 {
		of = "(" + strings.Join(dims, ", ") + ") "
	}
	head := fmt.Sprintf("  %s %-*s %s%s %s ", mark, column, v.name, of, name, bytesText(v.size()))
	values := "..."
	if x != nil && v.stored.indexes(v.name) {
		if a, ok := v.dataset.chosen[v.name]; ok {
			x = x.sub(a.positions)
		}
		values = summary(x, width-utf8.RuneCountInString(head))
	}
	fmt.Fprintf(b, "%s\n", strings.TrimRight(head+values, " "))
}

// summary returns the first and the last labels of an index, as many as fit in n columns.
func summary(x index, n int) string {
	if x.len() == 0 {
		return ""
	}
	labels := []string{}
	for i := range x.len() {
		if i < 50 || i >= x.len()-50 {
			labels = append(labels, labelText(x.label(i)))
		}
	}
	if line := strings.Join(labels, " "); x.len() <= 100 && len(line) <= n {
		return line
	}
	if _, ok := x.label(0).(cf.Time); ok {
		return labels[0] + " ... " + labels[len(labels)-1]
	}
	first, last, used := 0, 0, len("...")
	for i := 0; first+last < len(labels); i++ {
		next := labels[first]
		if i%2 == 1 {
			next = labels[len(labels)-1-last]
		}
		if used += len(next) + 1; used > n && first > 0 && last > 0 {
			break
		}
		if i%2 == 1 {
			last++
		} else {
			first++
		}
	}
	return strings.Join(slices.Concat(labels[:first], []string{"..."}, labels[len(labels)-last:]), " ")
}

// labelText returns a label as xarray prints it.
func labelText(label any) string {
	switch l := label.(type) {
	case float64:
		s := strconv.FormatFloat(l, 'g', 4, 64)
		if !strings.ContainsAny(s, ".eN") {
			s += ".0"
		}
		return s
	case string:
		return "'" + l + "'"
	case cf.Time:
		return strings.TrimSuffix(l.String(), "T00:00:00")
	}
	return fmt.Sprint(label)
}

// bytesText formats a number of bytes with a decimal unit.
func bytesText(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB"}
	f, i := float64(n), 0
	for f >= 1000 && i < len(units)-1 {
		f, i = f/1000, i+1
	}
	return fmt.Sprintf("%.0f%s", f, units[i])
}
