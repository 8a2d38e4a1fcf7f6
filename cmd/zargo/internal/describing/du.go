package describing

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

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Du is the command du.
type Du struct {
	URL  string `arg:"" name:"url" optional:"" default:"." help:"The array, the group, or a directory or bucket that contains nodes. The default is the working directory."`
	JSON bool   `name:"json" help:"Print a JSON list."`
}

// Usage is the number and size of the objects stored for a node and everything below it.
type Usage struct {
	Kind    string `json:"kind"`
	Path    string `json:"path"` // relative to the place of the URL
	Objects int64  `json:"objects"`
	Bytes   int64  `json:"bytes"`
	Unsized int64  `json:"objects_of_unknown_size,omitempty"`

	Links int64 `json:"-"` // number of symbolic links among the objects, if links are not followed
}

func (u *Usage) add(e store.Entry) {
	u.Objects++
	if e.Size < 0 {
		u.Unsized++
		return
	}
	u.Bytes += e.Size
}

// Run counts the stored objects in one listing. It does not keep the listing, so the memory depends
// on the number of nodes and not on the number of objects.
func (c *Du) Run(ctx context.Context, s *session.Session) error {
	_, err := c.Show(ctx, s, nil)
	return err
}

// Show prints the counts and returns the total. list calls each for every stored object, with the
// object's key relative to the URL. list does not follow symbolic links, and show prints one line
// for each link. If list is nil, show lists all objects and follows links.
func (c *Du) Show(ctx context.Context, s *session.Session, list func(each func(store.Entry)) error) (*Usage, error) {
	p, err := s.Locate(ctx, c.URL)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	nodes, unread, err := c.nodes(ctx, s, p)
	if err != nil {
		return nil, p.Fail(err)
	}
	if list != nil && errors.Is(unread, fault.Refused) {
		unread = nil // a link that is removed without being followed
	}
	top := nodes[""]
	s.Far.Begin(progress.Work{Unit: "objects"})
	links := newLinks(nodes)
	if list == nil {
		links = nil
		list = func(each func(store.Entry)) error {
			return eachOf(store.ListAll(ctx, p.Store, "", store.ListOptions{}), each)
		}
	}
	err = list(func(e store.Entry) {
		top.add(e)
		s.Far.Add(1)
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
		return nil, p.Fail(err)
	}
	if links != nil {
		top.Links = links.n
		links.show()
	}
	if top.Objects == 0 {
		return nil, p.Fail(fault.Newf(fault.NotFound, "nothing is stored under this URL"))
	}
	all := make([]*Usage, 0, len(nodes))
	for _, u := range nodes {
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b *Usage) int { return comparePaths(a.Path, b.Path) })
	err = render.Print(s.Out, c.JSON, all, printUsage)
	return top, cmp.Or(err, p.Fail(unread))
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
func (c *Du) nodes(ctx context.Context, s *session.Session, p *session.Place) (nodes map[string]*Usage, unread, err error) {
	n, err := zarr.Open(ctx, p.Store, p.Path, s.Options()...)
	top := &Usage{Kind: kindFolder}
	nodes = map[string]*Usage{"": top}
	add := func(d nodeInfo) {
		if d.Kind != kindObject {
			nodes[d.Path] = &Usage{Kind: d.Kind, Path: d.Path}
		}
	}
	switch {
	case errors.Is(err, fault.NotFound):
		var infos []nodeInfo
		infos, unread, err = browse(ctx, s, p, false)
		for _, d := range infos {
			add(d)
		}
	case err == nil:
		top.Kind = "array"
		if g, ok := n.(*zarr.Group); ok {
			top.Kind = "group"
			unread, err = eachMember(p, g.Walk(ctx), func(m zarr.Node, d nodeInfo) {
				d.Path = m.Path()
				add(d)
			})
		}
	}
	return nodes, unread, err
}

// printUsage prints one line for each node, the total last.
func printUsage(out io.Writer, all []*Usage) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, u := range append(slices.Clone(all[1:]), all[0]) {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", render.OneLine(cmp.Or(u.Path, ".")), u.Kind, render.Plural(int(u.Objects), "object"), render.Stored(u.Bytes, u.Unsized))
	}
	return w.Flush()
}

// links collects the symbolic links of a listing that does not follow links. It also contains the
// nodes that were found by reading through the links.
type links struct {
	nodes  map[string]*Usage
	above  map[string]bool // paths of nodes and of all directories above them; true for links
	others []string        // links whose paths are not in above, at most maxLinks
	n      int64
}

// KindLink is the kind of a symbolic link. Commands that delete do not follow symbolic links.
const KindLink = "link"

// maxLinks is the maximum number of listed symbolic links that do not lead to a node. 20 links fill
// about one screen.
const maxLinks = 20

func newLinks(nodes map[string]*Usage) *links {
	l := &links{nodes: nodes, above: map[string]bool{}}
	for path := range nodes {
		for ; path != ""; path = path[:max(strings.LastIndexByte(path, '/'), 0)] {
			l.above[path] = false
		}
	}
	return l
}

func (l *links) add(key string) {
	l.n++
	if _, ok := l.above[key]; ok {
		l.above[key] = true
	} else if len(l.others) < maxLinks {
		l.others = append(l.others, key)
	}
}

// show removes the nodes behind the links, and adds one line for each link.
func (l *links) show() {
	for path := range l.nodes {
		for up := path; up != ""; up = up[:max(strings.LastIndexByte(up, '/'), 0)] {
			if l.above[up] {
				delete(l.nodes, path)
			}
		}
	}
	for path, link := range l.above {
		if link {
			l.others = append(l.others, path)
		}
	}
	for _, path := range l.others {
		l.nodes[path] = &Usage{Kind: KindLink, Path: path, Objects: 1}
	}
}

// LinksStay returns the text about symbolic links in a report about deleted objects, or "" if n is
// 0.
func LinksStay(n int64) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "; 1 is a symbolic link, whose target remains"
	}
	return fmt.Sprintf("; %d are symbolic links, whose targets remain", n)
}

// storedInfo counts the stored objects of a node. The objects of a group include the objects of all
// nodes below it.
type storedInfo struct {
	Objects int64    `json:"objects"`
	Bytes   int64    `json:"bytes"`
	Unsized int64    `json:"objects_of_unknown_size,omitempty"`
	Chunks  *int64   `json:"chunks,omitempty"` // number of stored chunks or shards of an array
	Ratio   *float64 `json:"ratio,omitempty"`  // bytes of all elements / bytes of the stored chunks
}

// count lists and counts the objects of a node.
func (i *nodeInfo) count(ctx context.Context, s *session.Session, p *session.Place, n zarr.Node) error {
	s.Far.Begin(progress.Work{Unit: "objects"})
	of := &storedInfo{}
	all, chunks := &Usage{}, &Usage{}
	a, isArray := n.(*zarr.Array)
	prefix := n.Path()
	if prefix != "" {
		prefix += "/"
	}
	err := eachOf(store.ListAll(ctx, p.Store, n.Path(), store.ListOptions{}), func(e store.Entry) {
		s.Far.Add(1)
		all.add(e)
		if isArray && isChunk(a, strings.TrimPrefix(e.Key, prefix)) {
			chunks.add(e)
		}
	})
	if err != nil {
		return err
	}
	of.Objects, of.Bytes, of.Unsized = all.Objects, all.Bytes, all.Unsized
	if isArray {
		of.Chunks = &chunks.Objects
		if i.Bytes != nil && chunks.Bytes > 0 && chunks.Unsized == 0 {
			elements, _ := new(big.Float).SetInt(i.Bytes).Float64()
			ratio := elements / float64(chunks.Bytes)
			of.Ratio = &ratio
		}
	}
	i.Storage = of
	return nil
}

// isChunk reports whether a key, relative to the array, is the key of a chunk or shard in its grid.
func isChunk(a *zarr.Array, key string) bool {
	return keys.Of(a, claim.Claim{}).Find(key).Place == keys.Inside
}

// text describes the stored objects on one line.
func (of *storedInfo) text(i *nodeInfo) string {
	text := fmt.Sprintf("%s in %s", render.Size(big.NewInt(of.Bytes)), render.Plural(int(of.Objects), "object"))
	if of.Unsized > 0 {
		text += fmt.Sprintf(" and %s of unknown size", render.Plural(int(of.Unsized), "object"))
	}
	if of.Chunks == nil {
		return text
	}
	total, unit := i.NumChunks, "chunk"
	if i.NumShards != nil {
		total, unit = i.NumShards, "shard"
	}
	text += fmt.Sprintf(", %d of %s", *of.Chunks, amount(total, unit))
	if of.Ratio != nil {
		text += fmt.Sprintf(", %.1f to 1", *of.Ratio)
	}
	return text
}

// setFillMissing sets i.FillMissing, which reports whether xarray treats elements equal to the fill
// value as missing. It leaves the field nil if the elements are not numbers or the array has no
// fill value.
func (i *nodeInfo) setFillMissing(a *zarr.Array) {
	fill := a.Fill()
	if fill == nil {
		return
	}
	c, err := cf.New(cf.Variable{Name: a.Name(), Type: a.DType(), Fill: fill, V2: a.Format() == 2, Attrs: a.Attrs()}, cf.Options{})
	if err != nil {
		return
	}
	missing, nan := compute.IsMissing(c, a.DType(), fill)
	i.FillMissing, i.fillNaN = &missing, nan
}

// fillNote returns a note if elements equal to the fill value are missing. It returns "" for NaN,
// which is always missing.
func (i *nodeInfo) fillNote() string {
	if i.FillMissing == nil || !*i.FillMissing || i.fillNaN {
		return ""
	}
	return " (elements equal to it are missing)"
}
