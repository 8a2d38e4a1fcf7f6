package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

type lsCmd struct {
	URL       string `arg:"" name:"url" optional:"" default:"." help:"The group, or a directory or bucket that contains nodes. The default is the working directory."`
	Recursive bool   `short:"r" help:"Print the whole tree below it."`
	Long      bool   `short:"l" help:"Print the data type, the names and lengths of the axes, the chunks and the format."`
	Names     bool   `help:"Print only names, without opening the members, which takes one request per 1000 names. Directories need not be nodes."`
	JSON      bool   `name:"json" help:"Print a JSON list."`
}

// Run lists a group. For an array it prints a line for the array itself, as the Unix command ls
// does for a file.
func (c *lsCmd) Run(ctx context.Context, s *session) error {
	if c.Names {
		return c.runNames(ctx, s)
	}
	s.far.begin(work{unit: "nodes"})
	p, n, err := s.openNode(ctx, c.URL)
	var nodes []nodeInfo
	var unread error
	if errors.Is(err, fault.NotFound) {
		p, nodes, unread, err = c.around(ctx, s, err)
	} else if err == nil {
		defer p.release()
		nodes, unread, err = c.collect(ctx, s, p, n)
		err = p.fail(err)
	}
	if err != nil {
		return err
	}
	if len(nodes) == 0 && unread != nil {
		return p.fail(unread)
	}
	switch {
	case c.JSON:
		err = render.JSON(s.out, nodes)
	case c.Recursive:
		err = c.printTree(s.out, lastSegment(p.where), nodes)
	default:
		err = printTable(s.out, "", nodes, c.Long)
	}
	if err != nil {
		return err
	}
	return p.fail(unread)
}

// around lists a place that is not a node. If the place is empty or cannot be listed, it returns
// the error in the argument none.
func (c *lsCmd) around(ctx context.Context, s *session, none error) (p *place, nodes []nodeInfo, unread, err error) {
	p, err = s.locate(ctx, c.URL)
	if err != nil {
		return nil, nil, nil, err
	}
	defer p.release()
	nodes, unread, err = s.browse(ctx, p, c.Recursive)
	switch {
	case errors.Is(err, errors.ErrUnsupported), err == nil && len(nodes) == 0:
		return nil, nil, nil, none
	case err != nil:
		return nil, nil, nil, p.fail(err)
	}
	if other := (*otherFormat)(nil); errors.As(none, &other) {
		s.warn("%s: the location contains %s, a format that zargo does not read", p.where, other.is)
	}
	return p, nodes, unread, nil
}

// collect describes the nodes to list. unread is an error about nodes that could not be read.
func (c *lsCmd) collect(ctx context.Context, s *session, p *place, n zarr.Node) (nodes []nodeInfo, unread, err error) {
	nodes = []nodeInfo{}
	g, ok := n.(*zarr.Group)
	if !ok {
		d, err := describe(n)
		if d.Name == "" {
			d.Name = "."
		}
		return append(nodes, d), nil, err
	}
	seq := g.Members(ctx)
	if c.Recursive {
		seq = g.Walk(ctx)
	}
	unread, err = p.members(seq, func(m zarr.Node, d nodeInfo) {
		d.Path = strings.TrimPrefix(strings.TrimPrefix(m.Path(), g.Path()), "/")
		nodes = append(nodes, d)
		s.far.add(1)
	})
	return nodes, unread, err
}

func lastSegment(where string) string {
	where = strings.TrimRight(where, "/")
	return where[strings.LastIndexByte(where, '/')+1:]
}

// printTable prints one line for each node.
func printTable(out io.Writer, indent string, nodes []nodeInfo, long bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, n := range nodes {
		fmt.Fprintf(w, "%s%s\t%s%s\n", indent, render.OneLine(n.Name), n.Kind, n.columns(long))
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

// branch is a node of the tree that -r draws.
type branch struct {
	nodeInfo
	below []*branch
}

// printTree draws the nodes, whose paths are relative to the root.
func (c *lsCmd) printTree(out io.Writer, root string, nodes []nodeInfo) error {
	top := &branch{}
	byPath := map[string]*branch{"": top}
	for _, n := range nodes { // parents come before children
		b := &branch{nodeInfo: n}
		up := byPath[n.Path[:max(strings.LastIndexByte(n.Path, '/'), 0)]]
		if up == nil || n.Path == "" {
			up = top // consolidated metadata may lack intermediate groups
			b.Name = cmp.Or(n.Path, n.Name)
		}
		byPath[n.Path] = b
		up.below = append(up.below, b)
	}
	var b strings.Builder
	b.WriteString(render.OneLine(root) + "\n")
	c.draw(&b, top, "")
	_, err := io.WriteString(out, b.String())
	return err
}

func (c *lsCmd) draw(b *strings.Builder, of *branch, indent string) {
	slices.SortStableFunc(of.below, func(x, y *branch) int { return cmp.Compare(x.Name, y.Name) })
	for i, n := range of.below {
		stem, next := "├── ", "│   "
		if i == len(of.below)-1 {
			stem, next = "└── ", "    "
		}
		b.WriteString(indent + stem + render.OneLine(n.Name))
		switch {
		case n.Kind == kindObject:
			if c.Long && n.Stored != nil {
				b.WriteString("  " + render.Plural(int(*n.Stored), "byte"))
			}
		case n.arrayInfo == nil:
			b.WriteByte('/')
			if n.Kind == kindFolder && c.Long {
				b.WriteString("  folder")
			}
		case c.Long:
			b.WriteString("  " + n.summary(n.Format))
		}
		b.WriteByte('\n')
		c.draw(b, n, indent+next)
	}
}
