package describing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
)

// row is the text that ls and info print for a node. It takes a tenth of the memory of a nodeInfo,
// because a group may have hundreds of thousands of members.
type row struct {
	kind, name, path string
	long             string // for -l and info: the columns of a table, or the text of a tree
	leaf             bool   // not a group or a folder
}

// tableRow returns the row of a table. If long is set, it has all columns.
func tableRow(d *nodeInfo, long bool) row {
	return row{kind: d.Kind, name: d.Name, long: d.columns(long)}
}

// printTable prints one line for each row. It clears the rows, so that their memory can be reused.
func printTable(out io.Writer, indent string, rows []row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, r := range rows {
		rows[i] = row{}
		fmt.Fprintf(w, "%s%s\t%s%s\n", indent, render.OneLine(r.name), r.kind, r.long)
	}
	return w.Flush()
}

// columns returns the columns of -l, each after a tab.
func (i *nodeInfo) columns(long bool) string {
	switch d := i.arrayInfo; {
	case !long:
		return ""
	case i.Kind == kindObject && i.Stored != nil:
		return "\t" + render.Plural(int(*i.Stored), "byte")
	case i.Kind == kindFolder, i.Kind == kindObject:
		return ""
	case d == nil:
		return "\t\t\t\tv" + strconv.Itoa(i.Format)
	default:
		return fmt.Sprintf("\t%s\t[%s]\t%s\tv%d", d.dtypeText(), d.axes(), d.chunkText(), i.Format)
	}
}

// treeRow returns the row of a node in a tree.
func treeRow(d *nodeInfo, long bool) row {
	r := row{kind: d.Kind, name: d.Name, path: d.Path, leaf: d.Kind == kindObject || d.arrayInfo != nil}
	switch {
	case !long:
	case d.Kind == kindObject && d.Stored != nil:
		r.long = "  " + render.Plural(int(*d.Stored), "byte")
	case d.Kind == kindFolder:
		r.long = "  folder"
	case d.arrayInfo != nil:
		r.long = "  " + d.summary(d.Format)
	}
	return r
}

// maxHeld is the number of nodes that a jsonList holds before it writes the first one. A node takes
// a few kilobytes.
const maxHeld = 4096

// jsonList writes nodes as a JSON list. It holds the first nodes, so that a command that fails with
// few nodes prints nothing, and writes longer lists while they are read.
type jsonList struct {
	out    io.Writer
	head   []byte // the text before the list
	indent string // of the list
	held   []nodeInfo
	n      int // nodes that were written
	err    error
}

func (l *jsonList) add(d nodeInfo) {
	l.held = append(l.held, d)
	if len(l.held) > maxHeld {
		l.flush()
	}
}

func (l *jsonList) flush() {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(l.indent+"  ", "  ")
	for i := range l.held {
		sep := ",\n"
		if l.n == 0 {
			b.Write(l.head)
			sep = "[\n"
		}
		b.WriteString(sep + l.indent + "  ")
		if err := e.Encode(l.held[i]); err != nil && l.err == nil {
			l.err = err
		}
		b.Truncate(b.Len() - 1) // the line feed of Encode
		l.n++
		if l.err == nil && b.Len() > 64<<10 {
			_, l.err = l.out.Write(b.Bytes())
			b.Reset()
		}
	}
	if l.err == nil {
		_, l.err = l.out.Write(b.Bytes())
	}
	l.held = l.held[:0]
}

// close writes the remaining nodes and tail, the text after the list.
func (l *jsonList) close(tail string) error {
	l.flush()
	end := "\n" + l.indent + "]" + tail
	if l.n == 0 {
		end = string(l.head) + "[]" + tail
	}
	if l.err == nil {
		_, l.err = io.WriteString(l.out, end)
	}
	return l.err
}
