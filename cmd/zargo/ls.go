package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

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
	var rows []row
	list := &jsonList{out: s.out}
	count := 0
	add := func(d nodeInfo) {
		switch count++; {
		case c.JSON:
			list.add(d)
		case c.Recursive:
			rows = append(rows, treeRow(&d, c.Long))
		default:
			rows = append(rows, tableRow(&d, c.Long))
		}
	}
	var unread error
	if errors.Is(err, fault.NotFound) {
		var nodes []nodeInfo
		p, nodes, unread, err = c.around(ctx, s, err)
		for _, d := range nodes {
			add(d)
		}
	} else if err == nil {
		defer p.release()
		unread, err = c.collect(ctx, s, p, n, add)
		err = p.fail(err)
	}
	if err != nil {
		return err
	}
	if count == 0 && unread != nil {
		return p.fail(unread)
	}
	switch {
	case c.JSON:
		err = list.close("\n")
	case c.Recursive:
		err = printTree(s.out, lastSegment(p.where), rows)
	default:
		err = printTable(s.out, "", rows)
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
func (c *lsCmd) collect(ctx context.Context, s *session, p *place, n zarr.Node, add func(nodeInfo)) (unread, err error) {
	g, ok := n.(*zarr.Group)
	if !ok {
		d, err := describe(n)
		if d.Name == "" {
			d.Name = "."
		}
		add(d)
		return nil, err
	}
	seq := g.Members(ctx)
	if c.Recursive {
		seq = g.Walk(ctx)
	}
	return p.members(seq, func(m zarr.Node, d nodeInfo) {
		d.Path = strings.TrimPrefix(strings.TrimPrefix(m.Path(), g.Path()), "/")
		add(d)
		s.far.add(1)
	})
}

func lastSegment(where string) string {
	where = strings.TrimRight(where, "/")
	return where[strings.LastIndexByte(where, '/')+1:]
}

// branch is a node of the tree that -r draws.
type branch struct {
	row
	below []*branch
}

// printTree draws the nodes, whose paths are relative to the root.
func printTree(out io.Writer, root string, rows []row) error {
	top := &branch{}
	byPath := map[string]*branch{"": top} // of the groups
	for _, r := range rows {              // parents come before children
		b := &branch{row: r}
		up := byPath[r.path[:max(strings.LastIndexByte(r.path, '/'), 0)]]
		if up == nil || r.path == "" {
			up = top // consolidated metadata may lack intermediate groups
			b.name = cmp.Or(r.path, r.name)
		}
		byPath[r.path] = b
		up.below = append(up.below, b)
	}
	w := bufio.NewWriter(out)
	_, _ = w.WriteString(render.OneLine(root) + "\n") // Flush returns the error
	draw(w, top, "")
	return w.Flush()
}

func draw(w *bufio.Writer, of *branch, indent string) {
	slices.SortStableFunc(of.below, func(x, y *branch) int { return cmp.Compare(x.name, y.name) })
	for i, n := range of.below {
		stem, next := "├── ", "│   "
		if i == len(of.below)-1 {
			stem, next = "└── ", "    "
		}
		name := render.OneLine(n.name)
		if !n.leaf {
			name += "/"
		}
		_, _ = w.WriteString(indent + stem + name + n.long + "\n")
		draw(w, n, indent+next)
	}
}
