package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// chosen returns the region of an array that the items of --sel and --isel select. p is the place
// of the array. chosen sends requests only for named items of --sel, to read the coordinates of
// their dimensions.
func (s *session) chosen(ctx context.Context, p *place, a *zarr.Array, items []item) (region, error) {
	c := s.coordinates(p)
	defer c.release()
	return c.chosen(ctx, a, items)
}

// coordinates finds the index coordinates of arrays of one store. As in xarray, an array has the
// coordinates of its group and inherits the coordinates of the groups above. coordinates caches
// groups and coordinates, so it reads each of them once. It is not safe for concurrent use.
type coordinates struct {
	s      *session
	p      *place
	opened []*place               // opened stores above the root of p
	groups map[string]*zarr.Group // by level.name; nil if no group is stored there
	found  map[string]*dataset.Index
}

func (s *session) coordinates(p *place) *coordinates {
	return &coordinates{s: s, p: p, groups: map[string]*zarr.Group{}, found: map[string]*dataset.Index{}}
}

// chosen returns the region of an array that items select.
func (c *coordinates) chosen(ctx context.Context, a *zarr.Array, items []item) (region, error) {
	items, err := c.find(ctx, a, items)
	if err != nil {
		return nil, err
	}
	return resolve(items, a.Shape(), a.Dims())
}

// columns returns the axes of a region with the labels of their coordinates. If an axis has no
// coordinate, its labels are the indices in the array.
func (c *coordinates) columns(ctx context.Context, a *zarr.Array, r region) ([]render.Column, error) {
	var columns []render.Column
	for k, along := range r {
		if along.drop {
			continue
		}
		x, err := c.index(ctx, a, k)
		name := axisName(a, k)
		if err != nil {
			return nil, fmt.Errorf("coordinate of dimension %q: %w", name, err)
		}
		column := render.Column{Name: name, Count: along.count}
		if column.Label = func(i int) string { return x.Label(along.at(i)) }; x == nil {
			column.Label = func(i int) string { return strconv.Itoa(along.at(i)) }
		}
		columns = append(columns, column)
	}
	return columns, nil
}

// release closes the stores that group opened.
func (c *coordinates) release() {
	for _, p := range c.opened {
		p.release()
	}
}

// find returns a copy of items with the positions of their labels.
func (c *coordinates) find(ctx context.Context, a *zarr.Array, items []item) ([]item, error) {
	items = slices.Clone(items)
	for i, it := range items {
		if it.label == "" {
			continue
		}
		k, err := axisOf(it.flag, it.name, a.Dims())
		if err != nil {
			return nil, err
		}
		x, err := c.index(ctx, a, k)
		if err != nil {
			return nil, fmt.Errorf("coordinate of dimension %q: %w; --isel selects by position without it", it.name, err)
		}
		if x == nil && it.ways != (ways{}) {
			return nil, fault.Newf(fault.Selection, "dimension %q has no coordinate: --tolerance and --wrap need labels", it.name)
		}
		if x == nil {
			continue
		}
		at, err := labelled(x, it)
		switch {
		case err != nil && it.bad == nil:
			return nil, fmt.Errorf("%w; --isel selects by position", err)
		case err != nil:
			return nil, err
		}
		items[i].labelled = &at
	}
	return items, nil
}

// index returns the index coordinate of an axis, or nil if the axis is proven to have none. The
// coordinate is in the group of the array or in a group above that group. dataset.FindIndex decides
// what a group has.
func (c *coordinates) index(ctx context.Context, a *zarr.Array, k int) (*dataset.Index, error) {
	dims := a.Dims()
	if k >= len(dims) || dims[k] == "" {
		return nil, nil
	}
	for l, ok := c.above(level{path: a.Path()}); ok; l, ok = c.above(l) {
		g, err := c.group(ctx, l)
		if err != nil {
			return nil, err
		}
		if g == nil {
			break
		}
		x, err := c.read(ctx, l.name(), g, dims[k])
		if err != nil {
			return nil, err
		}
		if x == nil {
			continue
		}
		if n := a.Shape()[k]; x.Len() != n {
			return nil, fault.Newf(fault.Metadata, "the coordinate has length %d, but the dimension has length %d", x.Len(), n)
		}
		return x, nil
	}
	return nil, nil
}

// read reads the coordinate of a dimension in a group. from is the name of the group's level. read
// returns nil if the group does not have the coordinate.
func (c *coordinates) read(ctx context.Context, from string, g *zarr.Group, dim string) (*dataset.Index, error) {
	key := from + "\x00" + dim
	if x, ok := c.found[key]; ok {
		return x, nil
	}
	x, err := dataset.FindIndex(ctx, g, dim, -1, dataset.Options{})
	if err != nil {
		return nil, err
	}
	c.found[key] = x
	return x, nil
}

// level is the location of a node: a path in the store of coordinates.p, or a location above that
// store.
type level struct {
	path  string
	above openurl.Location // if the scheme is not empty, the node is at this location
}

func (l level) name() string {
	if l.above.Scheme != "" {
		return l.above.URL()
	}
	return "/" + l.path
}

// above returns the level above l. ok is false if l is the highest level.
func (c *coordinates) above(l level) (up level, ok bool) {
	at := l.above
	if at.Scheme == "" {
		if l.path != "" {
			return level{path: strings.Trim(path.Dir("/"+l.path), "/")}, true
		}
		at = c.p.root
	}
	if n := len(at.Inside); n > 0 {
		inside := strings.Trim(strings.TrimPrefix(at.Inside[n-1], "zip:"), "/")
		at.Inside = slices.Clone(at.Inside)
		at.Inside[n-1] = "zip:" + strings.Trim(path.Dir("/"+inside), "/")
		return level{above: at}, inside != ""
	}
	if at.Scheme == "file" {
		if abs, err := filepath.Abs(at.Path); err == nil {
			at.Path = abs
		}
	}
	at, ok = at.Parent()
	return level{above: at}, ok
}

// group opens the group at a level. It returns nil if no group is stored there.
func (c *coordinates) group(ctx context.Context, l level) (*zarr.Group, error) {
	if g, ok := c.groups[l.name()]; ok {
		return g, nil
	}
	p := c.p
	if l.above.Scheme != "" {
		var err error
		if p, err = c.s.open(ctx, l.above); err != nil {
			return nil, err
		}
		c.opened = append(c.opened, p)
	}
	// The array was opened from its own documents, and consolidated metadata may be out of date.
	g, err := zarr.OpenGroup(c.s.expecting(ctx), p.Store, l.path, c.s.options(zarr.IgnoreConsolidated())...)
	switch {
	case errors.Is(err, fault.NotFound):
		g = nil
	case err != nil:
		return nil, err
	}
	c.groups[l.name()] = g
	return g, nil
}

// labelled returns the elements that a named item of --sel selects by label.
func labelled(x *dataset.Index, it item) (axis, error) {
	text, listed := it.label, false
	method, list, ok := strings.Cut(text, "::")
	if !ok {
		method, list = "exact", text
	}
	if strings.HasPrefix(list, "[") && strings.HasSuffix(list, "]") {
		listed = true
		if list = strings.TrimSpace(list[1 : len(list)-1]); list == "" {
			return axis{step: 1, list: []int{}}, nil
		}
		// dataset.Text interprets a single label as a label and two or more labels as a list.
		// Append a label, and remove its position below.
		var labels []string
		for l := range strings.SplitSeq(list, ",") {
			labels = append(labels, strings.TrimSpace(l))
		}
		text = method + "::" + strings.Join(append(labels, labels[0]), ",")
	} else if strings.Contains(text, ",") {
		return axis{}, usagef("--sel: a list of labels must be in brackets, is %q", text)
	}
	at, one, err := x.Positions(it.ways.query(dataset.Text(it.name, text)))
	if err != nil {
		return axis{}, err
	}
	if listed {
		at = at[:len(at)-1]
	}
	return axisAt(at, one), nil
}

// axisAt returns the selection of positions. The result is a slice if the positions are
// equidistant, and a list otherwise.
func axisAt(at []int, drop bool) axis {
	n := len(at)
	if n < 2 {
		a := axis{step: 1, count: n, drop: drop}
		if n == 1 {
			a.start = at[0]
		}
		return a
	}
	a := axis{start: at[0], step: at[1] - at[0], count: n}
	for i := 1; i < n; i++ {
		if a.step == 0 || at[i]-at[i-1] != a.step {
			return axis{step: 1, count: n, list: at}
		}
	}
	return a
}
