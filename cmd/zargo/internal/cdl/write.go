package cdl

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// Write prints a file as CDL. If data is nil, it prints only the header, as ncdump -h does. It
// returns errors of w and of data.Write.
func Write(w io.Writer, f *File, data *Data) error {
	p := &printer{w: bufio.NewWriter(w)}
	p.add("netcdf ", escape(f.Name), " {\n")
	if err := p.body(&f.Root, "", "", data); err != nil {
		return err
	}
	p.add("}\n")
	return p.w.Flush()
}

// Data describes the data sections that Write prints.
type Data struct {
	// Wants reports whether to print the values of a variable, and returns the length of its last
	// dimension as row. path is the path of its group, such as "a/b".
	Wants func(path string, v *Var) (row int, ok bool)
	// Write calls a method of d for each value of a variable.
	Write func(d *DataWriter, path string, v *Var) error
}

// printer prints CDL. Flush returns the first error of w.
type printer struct{ w *bufio.Writer }

func (p *printer) add(texts ...string) {
	for _, t := range texts {
		_, _ = p.w.WriteString(t) // Flush returns the error
	}
}

// body prints a group without its first and last line. indent is the indentation of the content.
func (p *printer) body(g *Group, indent, path string, data *Data) error {
	if len(g.Dims) > 0 {
		p.add(indent, "dimensions:\n")
	}
	for _, d := range g.Dims {
		if d.Unlimited {
			p.add(indent, "\t", escape(d.Name), " = UNLIMITED ; // (", strconv.Itoa(d.Len), " currently)\n")
			continue
		}
		p.add(indent, "\t", escape(d.Name), " = ", strconv.Itoa(d.Len), " ;\n")
	}
	if len(g.Vars) > 0 {
		p.add(indent, "variables:\n")
	}
	for i := range g.Vars {
		p.variable(&g.Vars[i], indent)
	}
	if len(g.Attrs) > 0 {
		kind := "group"
		if path == "" {
			kind = "global"
		}
		p.add("\n", indent, "// ", kind, " attributes:\n")
	}
	for _, a := range g.Attrs {
		p.attribute(a, indent+"\t\t", "")
	}
	if err := p.data(g, indent, path, data); err != nil {
		return err
	}
	for _, sub := range g.Groups {
		name, inner := escape(sub.Name), indent+"  "
		p.add("\n", indent, "group: ", name, " {\n")
		if err := p.body(sub, inner, strings.TrimPrefix(path+"/"+sub.Name, "/"), data); err != nil {
			return err
		}
		p.add(inner, "} // group ", name, "\n")
	}
	return nil
}

func (p *printer) variable(v *Var, indent string) {
	dims := make([]string, len(v.Dims))
	for i, d := range v.Dims {
		dims[i] = escape(d)
	}
	of := ""
	if len(dims) > 0 {
		of = "(" + strings.Join(dims, ", ") + ")"
	}
	name, kind := escape(v.Name), v.Type.String()
	note := note(v.Note)
	if v.Foreign != "" {
		indent, kind, note = indent+"//", firstLine(v.Foreign), " // no type of CDL"
	}
	p.add(indent, "\t", kind, " ", name, of, " ;", note, "\n")
	for _, a := range v.Attrs {
		p.attribute(a, indent+"\t\t", name)
	}
}

func note(text string) string {
	if text == "" {
		return ""
	}
	return " // " + firstLine(text)
}

// firstLine returns the text up to the line break that would end a comment. Callers escape other
// control characters.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

func (p *printer) attribute(a Attr, indent, name string) {
	if a.Name == "" { // CDL has no such name
		indent, a.Note = "//"+indent, "no name of CDL"
	}
	values := make([]string, len(a.Values))
	for i, v := range a.Values {
		if s, ok := v.(string); ok {
			values[i] = quote(s)
		} else {
			values[i] = literal(a.Type, v)
		}
	}
	if len(values) == 0 {
		values = []string{`""`}
	}
	if a.Type == String {
		p.add(indent, "string ")
	} else {
		p.add(indent)
	}
	p.add(name, ":", escape(a.Name), " = ", strings.Join(values, ", "), " ;", note(a.Note), "\n")
}

// data prints the data section of a group.
func (p *printer) data(g *Group, indent, path string, data *Data) error {
	if data == nil {
		return nil
	}
	first := true
	for i := range g.Vars {
		v := &g.Vars[i]
		row, ok := 0, v.Foreign == ""
		if ok {
			row, ok = data.Wants(path, v)
		}
		if !ok {
			continue
		}
		if first {
			p.add(indent, "data:\n")
			first = false
		}
		d := newDataWriter(p, v, row, indent)
		if err := data.Write(d, path, v); err != nil {
			return err
		}
		d.end()
	}
	return nil
}
