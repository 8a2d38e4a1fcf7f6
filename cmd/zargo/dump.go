package main

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/cdl"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

type dumpCmd struct {
	URL     string `arg:"" name:"url" help:"The dataset: a group, or an array."`
	Coords  bool   `short:"c" help:"Also print the values of the coordinates of dimensions."`
	Vars    string `help:"Also print the values of these variables: t2m,time. A variable of a group is GROUP/NAME." placeholder:"NAME,…"`
	Values  bool   `help:"Also print the values of all variables."`
	Special bool   `short:"s" help:"Also print the shape of chunks, as the special attribute _ChunkSizes."`
	Name    string `short:"n" help:"Name of the dataset in the first line. The default is the last segment of the URL." placeholder:"NAME"`
	All     bool   `help:"Print more than 200 million elements or 200,000 chunks even if fewer than 1 in 100 chunks are stored. By default that is an error."`
}

// Help returns examples.
func (dumpCmd) Help() string {
	return examples(
		"zargo dump weather.zarr",
		"zargo dump weather.zarr --coords",
		"zargo dump 's3://bucket/weather.zarr?region=eu-central-1' --vars t2m",
	)
}

// Run prints a dataset as CDL.
func (c *dumpCmd) Run(ctx context.Context, s *session) error {
	p, n, err := s.openNode(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.release()
	b := &cdlBuilder{name: cdlName(p.where), special: c.Special, arrays: map[string]*cdlArray{}, find: func(text string) { s.warn("%s: %s", p.where, text) }}
	f := &cdl.File{Name: cmp.Or(c.Name, cdlName(p.where))}
	switch n := n.(type) {
	case *zarr.Array:
		err = b.array(&f.Root, n)
	case *zarr.Group:
		err = b.group(ctx, &f.Root, n, nil)
	}
	if err != nil {
		return p.fail(err)
	}
	wanted, err := c.wanted(b)
	if err != nil {
		return p.fail(err)
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
	return p.fail(cdl.Write(&checkedWriter{ctx, s.out}, f, data))
}

// wanted returns the arrays whose values are printed, with their paths in the dataset as keys.
func (c *dumpCmd) wanted(b *cdlBuilder) (map[string]*cdlArray, error) {
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

// cdlName returns the name of the dataset at a URL: its last segment without an extension.
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

// group adds a group, its arrays and the groups below it. outer contains the dimensions of the
// groups above.
func (b *cdlBuilder) group(ctx context.Context, to *cdl.Group, g *zarr.Group, outer []cdl.Dim) error {
	d, err := dataset.OpenGroup(ctx, g, dataset.Options{})
	if err != nil {
		return err
	}
	for _, f := range d.Findings() {
		b.find(f.String())
	}
	vars := append(d.Coords(), d.Vars()...)
	slices.SortFunc(vars, func(x, y *dataset.Variable) int { return strings.Compare(x.Name(), y.Name()) })
	for _, v := range vars {
		var dims []string
		for _, dim := range v.Dims() {
			dims = append(dims, dim.Name)
		}
		if err := b.variable(to, outer, v.Array(), dims, v.Attrs()); err != nil {
			return err
		}
	}
	to.Attrs = attrsOf(d.Attrs(), nil)
	outer = append(slices.Clone(outer), to.Dims...)
	for _, name := range d.Groups() {
		sub, err := g.OpenGroup(ctx, name)
		if err != nil {
			return err
		}
		next := &cdl.Group{Name: name}
		b.path = append(b.path, name)
		if err := b.group(ctx, next, sub, outer); err != nil {
			return err
		}
		b.path = b.path[:len(b.path)-1]
		to.Groups = append(to.Groups, next)
	}
	return nil
}
