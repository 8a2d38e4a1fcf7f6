package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/big"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

type duCmd struct {
	URL  string `arg:"" name:"url" optional:"" default:"." help:"The array, the group, or a directory or bucket that contains nodes. The default is the working directory."`
	JSON bool   `name:"json" help:"Print a JSON list."`
}

// usage is the number and size of the objects stored for a node and everything below it.
type usage struct {
	Kind    string `json:"kind"`
	Path    string `json:"path"` // relative to the place of the URL
	Objects int64  `json:"objects"`
	Bytes   int64  `json:"bytes"`
	Unsized int64  `json:"objects_of_unknown_size,omitempty"`

	links int64 // number of symbolic links among the objects, if links are not followed
}

func (u *usage) add(e store.Entry) {
	u.Objects++
	if e.Size < 0 {
		u.Unsized++
		return
	}
	u.Bytes += e.Size
}

// Run counts the stored objects in one listing. It does not keep the listing, so the memory depends
// on the number of nodes and not on the number of objects.
func (c *duCmd) Run(ctx context.Context, s *session) error {
	_, err := c.show(ctx, s, nil)
	return err
}

// show prints the counts and returns the total. list calls each for every stored object, with the
// object's key relative to the URL. list does not follow symbolic links, and show prints one line
// for each link. If list is nil, show lists all objects and follows links.
func (c *duCmd) show(ctx context.Context, s *session, list func(each func(store.Entry)) error) (*usage, error) {
	p, err := s.locate(ctx, c.URL)
	if err != nil {
		return nil, err
	}
	defer p.release()
	nodes, unread, err := c.nodes(ctx, s, p)
	if err != nil {
		return nil, p.fail(err)
	}
	if list != nil && errors.Is(unread, fault.Refused) {
		unread = nil // a link that is removed without being followed
	}
	top := nodes[""]
	s.far.begin(work{unit: "objects"})
	links := newLinks(nodes)
	if list == nil {
		links = nil
		list = func(each func(store.Entry)) error {
			return eachOf(store.ListAll(ctx, p.Store, "", store.ListOptions{}), each)
		}
	}
	err = list(func(e store.Entry) {
		top.add(e)
		s.far.add(1)
		if links != nil && e.Link != "" {
			links.add(e.Key)
		}
		for path := e.Key; path != ""; {
			path = path[:max(strings.LastIndexByte(path, '/'), 0)]
			if u := nodes[path]; u != nil && path != "" {
				u.add(e)
			}
		}
	})
	if err != nil {
		return nil, p.fail(err)
	}
	if links != nil {
		top.links = links.n
		links.show()
	}
	if top.Objects == 0 {
		return nil, p.fail(fault.Newf(fault.NotFound, "nothing is stored under this URL"))
	}
	all := make([]*usage, 0, len(nodes))
	for _, u := range nodes {
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b *usage) int { return comparePaths(a.Path, b.Path) })
	if c.JSON {
		err = render.JSON(s.out, all)
	} else {
		err = printUsage(s.out, all)
	}
	return top, cmp.Or(err, p.fail(unread))
}

// comparePaths compares paths by their segments.
func comparePaths(a, b string) int {
	for {
		x, restA, moreA := strings.Cut(a, "/")
		y, restB, moreB := strings.Cut(b, "/")
		switch c := strings.Compare(x, y); {
		case c != 0:
			return c
		case !moreA && !moreB:
			return 0
		case !moreA:
			return -1
		case !moreB:
			return 1
		}
		a, b = restA, restB
	}
}

// eachOf calls each for every entry of a listing.
func eachOf(listing iter.Seq2[store.Entry, error], each func(store.Entry)) error {
	for e, err := range listing {
		if err != nil {
			return err
		}
		each(e)
	}
	return nil
}

// nodes returns the nodes of a place, with their paths as keys. If the place is not a node, it
// returns the place and its directories.
func (c *duCmd) nodes(ctx context.Context, s *session, p *place) (nodes map[string]*usage, unread, err error) {
	n, err := zarr.Open(ctx, p.Store, p.path, s.options()...)
	top := &usage{Kind: kindFolder}
	nodes = map[string]*usage{"": top}
	add := func(d nodeInfo) {
		if d.Kind != kindObject {
			nodes[d.Path] = &usage{Kind: d.Kind, Path: d.Path}
		}
	}
	switch {
	case errors.Is(err, fault.NotFound):
		var infos []nodeInfo
		infos, unread, err = s.browse(ctx, p, false)
		for _, d := range infos {
			add(d)
		}
	case err == nil:
		top.Kind = "array"
		if g, ok := n.(*zarr.Group); ok {
			top.Kind = "group"
			unread, err = p.members(g.Walk(ctx), func(m zarr.Node, d nodeInfo) {
				d.Path = m.Path()
				add(d)
			})
		}
	}
	return nodes, unread, err
}

// printUsage prints one line for each node, the total last.
func printUsage(out io.Writer, all []*usage) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, u := range append(slices.Clone(all[1:]), all[0]) {
		size := render.Size(big.NewInt(u.Bytes))
		if u.Unsized > 0 {
			size += fmt.Sprintf(" and %s of unknown size", render.Plural(int(u.Unsized), "object"))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", render.OneLine(cmp.Or(u.Path, ".")), u.Kind, render.Plural(int(u.Objects), "object"), size)
	}
	return w.Flush()
}
