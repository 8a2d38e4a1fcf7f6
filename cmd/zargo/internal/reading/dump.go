package reading

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/cdl"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Dump is the command dump.
type Dump struct {
	URL     string `arg:"" name:"url" help:"The dataset: a group, or an array."`
	Coords  bool   `short:"c" help:"Also print the values of the coordinates of dimensions."`
	Vars    string `help:"Also print the values of these variables: t2m,time. A variable of a group is GROUP/NAME." placeholder:"NAME,…"`
	Values  bool   `help:"Also print the values of all variables."`
	Special bool   `short:"s" help:"Also print the shape of chunks, as the special attribute _ChunkSizes."`
	Name    string `short:"n" help:"Name of the dataset in the first line. The default is the last segment of the URL." placeholder:"NAME"`
	All     bool   `help:"Print more than 200 million elements or 200,000 chunks even if fewer than 1 in 100 chunks are stored. By default that is an error."`
}

// Run prints a dataset as CDL.
func (c *Dump) Run(ctx context.Context, s *session.Session) error {
	open := s.OpenNode
	if c.Coords || c.Vars != "" || c.Values {
		open = s.OpenStored
	}
	p, n, err := open(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.Release()
	b := &cdlBuilder{name: cdlName(p.Where), special: c.Special, arrays: map[string]*cdlArray{}, room: concurrency.Memory() / 2, find: func(text string) { s.Warn("%s: %s", p.Where, text) }}
	f := &cdl.File{Name: cmp.Or(c.Name, cdlName(p.Where))}
	switch n := n.(type) {
	case *zarr.Array:
		if err = b.count(n); err == nil {
			err = b.array(&f.Root, newScope(nil), n, nil)
		}
	case *zarr.Group:
		err = b.group(ctx, &f.Root, n, nil)
	}
	if err != nil {
		return p.Fail(err)
	}
	wanted, err := c.wanted(b)
	if err != nil {
		return p.Fail(err)
	}
	var data *cdl.Data
	if len(wanted) > 0 {
		data = &cdl.Data{
			Wants: func(group string, v *cdl.Var) (row int, ok bool) {
				a := wanted[path.Join(group, v.Name)]
				return a.row(), a != nil
			},
			Write: func(d *cdl.DataWriter, group string, v *cdl.Var) error {
				return wanted[path.Join(group, v.Name)].write(ctx, d, c.All)
			},
		}
	}
	return p.Fail(cdl.Write(render.Interruptible(ctx, s.Out), f, data))
}

// wanted returns the arrays whose values dump prints. The keys are their paths in the dataset.
func (c *Dump) wanted(b *cdlBuilder) (map[string]*cdlArray, error) {
	wanted := map[string]*cdlArray{}
	for name, a := range b.arrays {
		if c.Values || c.Coords && a.isIndex() {
			wanted[name] = a
		}
	}
	for name := range strings.SplitSeq(c.Vars, ",") {
		if name = strings.Trim(strings.TrimSpace(name), "/"); name == "" {
			continue
		}
		a, ok := b.arrays[name]
		if !ok {
			return nil, fault.Newf(fault.NotFound, "the dataset has no variable %q with a type of CDL", name)
		}
		wanted[name] = a
	}
	return wanted, nil
}

// cdlName returns the name of the dataset at a URL: the last segment of the URL without its
// extension.
func cdlName(url string) string {
	l, err := openurl.Parse(url)
	name := url
	if err == nil {
		name = l.Path
		if n := len(l.Inside); n > 0 {
			name = cmp.Or(strings.Trim(l.Inside[n-1], "/"), name)
		}
	}
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	return cmp.Or(strings.TrimSuffix(name, path.Ext(name)), "zarr")
}

// group converts a group, its arrays and the groups below it. outer contains the dimensions of the
// groups above.
func (b *cdlBuilder) group(ctx context.Context, to *cdl.Group, g *zarr.Group, outer *cdlScope) error {
	var arrays []*zarr.Array
	var groups []*zarr.Group
	for n, err := range g.Members(ctx) {
		if err == nil {
			if err := b.count(n); err != nil {
				return err
			}
		}
		switch n := n.(type) {
		case *zarr.Array:
			arrays = append(arrays, n)
		case *zarr.Group:
			groups = append(groups, n)
		default:
			if _, ok := errors.AsType[*zarr.MetaError](err); !ok {
				return err
			}
			b.find(err.Error())
		}
	}
	byName := func(x, y zarr.Node) int { return strings.Compare(x.Name(), y.Name()) }
	slices.SortFunc(arrays, func(x, y *zarr.Array) int { return byName(x, y) })
	slices.SortFunc(groups, func(x, y *zarr.Group) int { return byName(x, y) })
	names, err := b.nczarr(ctx, g, arrays)
	if err != nil {
		return err
	}
	in := newScope(outer)
	for _, a := range arrays {
		if err := b.array(to, in, a, names[a.Name()]); err != nil {
			return err
		}
	}
	to.Attrs = attrsOf(withoutDims(g.Attrs()), nil)
	for _, sub := range groups {
		next := &cdl.Group{Name: sub.Name()}
		b.path = append(b.path, sub.Name())
		if err := b.group(ctx, next, sub, in); err != nil {
			return err
		}
		b.path = b.path[:len(b.path)-1]
		to.Groups = append(to.Groups, next)
	}
	return nil
}

// nczarr returns the dimension names of the arrays of a group from the metadata of NCZarr. The keys
// are the names of the arrays. nczarr sends requests only if the metadata of an array lacks
// dimension names.
func (b *cdlBuilder) nczarr(ctx context.Context, g *zarr.Group, arrays []*zarr.Array) (map[string][]string, error) {
	if !slices.ContainsFunc(arrays, func(a *zarr.Array) bool { return a.Dims() == nil && len(a.Shape()) > 0 }) {
		return nil, nil
	}
	d, err := dataset.OpenGroup(ctx, g, dataset.Options{})
	if errors.Is(err, fault.Metadata) || errors.Is(err, errors.ErrUnsupported) {
		return nil, nil // not a dataset
	}
	if err != nil {
		return nil, err
	}
	names := map[string][]string{}
	for _, v := range append(d.Coords(), d.Vars()...) {
		for _, dim := range v.Dims() {
			names[v.Name()] = append(names[v.Name()], dim.Name)
		}
	}
	return names, nil
}
