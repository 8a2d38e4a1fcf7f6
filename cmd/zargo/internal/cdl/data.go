package cdl

import "strings"

// DataWriter prints the values of a variable in C order. It breaks lines as ncdump does.
type DataWriter struct {
	p      *printer
	indent int
	row    int    // number of values in a row; 0 if the values are not printed in rows
	at     int    // number of printed values in the current row
	width  int    // number of bytes in the current line
	next   string // value that put has received and flush has not printed
	single bool   // print floats with the precision of float32
}

// maxLine is the number of bytes after which ncdump breaks a line.
const maxLine = 80

// counted is the number of bytes that ncdump adds to the length of each line. In groups below the
// root it also adds the indentation of the group.
const counted = 2

// newDataWriter prints the text before the values of a variable. row is the length of its last
// dimension.
func newDataWriter(p *printer, v *Var, row int, indent string) *DataWriter {
	d := &DataWriter{p: p, indent: len(indent), single: v.Type == Float}
	name := escape(v.Name)
	p.add("\n", indent, " ", name, " =")
	if len(v.Dims) < 2 {
		p.add(" ")
		d.width = d.indent + len(name) + 4 + counted
		return d
	}
	if d.row = row; v.Type == Char { // one string is a row of characters
		d.row = 1
	}
	p.add("\n  ")
	d.width = d.indent + 2 + counted
	return d
}

// Missing prints the missing value.
func (d *DataWriter) Missing() { d.put("_") }

// Float prints a value of type Float or Double.
func (d *DataWriter) Float(f float64) { d.put(number(f, d.single)) }

// Integer prints the decimal digits of an integer.
func (d *DataWriter) Integer(digits string) { d.put(digits) }

// Text prints a string: a value of type String, or the characters along the last dimension of a
// variable of type Char.
func (d *DataWriter) Text(s string) { d.put(quote(s)) }

// put keeps s as the next value, and prints the previous one. The separator after a value depends
// on whether another value follows.
func (d *DataWriter) put(s string) {
	if d.next != "" {
		d.flush(false)
	}
	d.next = s
}

// flush prints d.next and the separator after it. end reports that no value follows.
func (d *DataWriter) flush(end bool) {
	text := d.next
	d.at++
	rowEnds := d.at == d.row
	if !end && !rowEnds {
		text += ", "
	}
	if len(text)+d.width > maxLine && len(text) > 2 {
		d.p.add("\n    ", strings.Repeat(" ", d.indent))
		d.width = d.indent + 4 + counted
	}
	d.p.add(text)
	d.width += len(text)
	if rowEnds && !end {
		d.p.add(",\n  ")
		d.width, d.at = d.indent+2+counted, 0
	}
}

// end prints the last value and the semicolon.
func (d *DataWriter) end() {
	if d.next != "" {
		d.flush(true)
	}
	d.p.add(" ;\n")
}
