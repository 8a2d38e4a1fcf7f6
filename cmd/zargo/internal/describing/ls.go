package describing

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Ls is the command ls.
type Ls struct {
	URL       string `arg:"" name:"url" optional:"" default:"." help:"The group, or a directory or bucket that contains nodes. The default is the working directory."`
	Recursive bool   `short:"r" help:"Print the whole tree below it."`
	Long      bool   `short:"l" help:"Print the data type, the names and lengths of the axes, the chunks and the format."`
	Names     bool   `help:"Print only names, without opening the members, which takes one request per 1000 names. Directories need not be nodes."`
	JSON      bool   `name:"json" help:"Print a JSON list."`
}

// Run lists a group. For an array it prints a line for the array itself, as the Unix command ls
// does for a file.
func (c *Ls) Run(ctx context.Context, s *session.Session) error {
	if c.Names {
		return c.runNames(ctx, s)
	}
	s.Far.Begin(progress.Work{Unit: "nodes"})
	p, n, err := s.OpenNode(ctx, c.URL)
	var rows []row
	list := &jsonList{out: s.Out}
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
		defer p.Release()
		unread, err = c.collect(ctx, s, p, n, add)
		err = p.Fail(err)
	}
	if err != nil {
		return err
	}
	if count == 0 && unread != nil {
		return p.Fail(unread)
	}
	switch {
	case c.JSON:
		err = list.close("\n")
	case c.Recursive:
		err = printTree(s.Out, session.LastSegment(p.Where), rows)
	default:
		err = printTable(s.Out, "", rows)
	}
	if err != nil {
		return err
	}
	return p.Fail(unread)
}

// around lists a place that is not a node. If the place is empty or cannot be listed, it returns
// the error in the argument none.
func (c *Ls) around(ctx context.Context, s *session.Session, none error) (p *session.Place, nodes []nodeInfo, unread, err error) {
	p, err = s.Locate(ctx, c.URL)
	if err != nil {
		return nil, nil, nil, err
	}
	defer p.Release()
	nodes, unread, err = browse(ctx, s, p, c.Recursive)
	switch {
	case errors.Is(err, errors.ErrUnsupported), err == nil && len(nodes) == 0:
		return nil, nil, nil, none
	case err != nil:
		return nil, nil, nil, p.Fail(err)
	}
	if other := (*session.OtherFormat)(nil); errors.As(none, &other) {
		s.Warn("%s: the location contains %s, a format that zargo does not read", p.Where, other.Is)
	}
	return p, nodes, unread, nil
}

// collect describes the nodes to list. unread is an error about nodes that could not be read.
func (c *Ls) collect(ctx context.Context, s *session.Session, p *session.Place, n zarr.Node, add func(nodeInfo)) (unread, err error) {
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
	return eachMember(p, seq, func(m zarr.Node, d nodeInfo) {
		d.Path = strings.TrimPrefix(strings.TrimPrefix(m.Path(), g.Path()), "/")
		add(d)
		s.Far.Add(1)
	})
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

// runNames lists names only, without opening the nodes.
func (c *Ls) runNames(ctx context.Context, s *session.Session) error {
	if c.Long || c.Recursive {
		return exit.Usagef("--names cannot be combined with -l or -r")
	}
	p, n, err := s.OpenNode(ctx, c.URL)
	var names []string
	if errors.Is(err, fault.NotFound) {
		p, names, err = c.namesAround(ctx, s, err)
	} else if err == nil {
		names, err = namesOf(ctx, n)
		err = p.Fail(err)
	}
	if p != nil {
		defer p.Release()
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return render.JSON(s.Out, names)
	}
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintln(&b, render.OneLine(name))
	}
	_, err = io.WriteString(s.Out, b.String())
	return err
}

// namesOf returns the names below a group, or the name of an array.
func namesOf(ctx context.Context, n zarr.Node) ([]string, error) {
	g, ok := n.(*zarr.Group)
	if !ok {
		if n.Name() == "" {
			return []string{"."}, nil
		}
		return []string{n.Name()}, nil
	}
	names := []string{}
	for name, err := range g.Names(ctx) {
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// namesAround returns the names of directories and objects in a place that is not a node. If the
// place is empty or cannot be listed, it returns the error in the argument none.
func (c *Ls) namesAround(ctx context.Context, s *session.Session, none error) (*session.Place, []string, error) {
	p, err := s.Locate(ctx, c.URL)
	if err != nil {
		return nil, nil, err
	}
	list, err := entries(ctx, p, "", maxBrowsed)
	switch {
	case errors.Is(err, errors.ErrUnsupported), err == nil && len(list) == 0:
		return p, nil, none
	case err != nil:
		return p, nil, p.Fail(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Key)
	}
	slices.Sort(names)
	return p, names, nil
}
