package selection

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Chosen returns the region of an array that the items of --sel and --isel select. p is the place
// of the array. Chosen sends requests only for named items of --sel, to read the coordinates of
// their dimensions.
func Chosen(ctx context.Context, s *session.Session, p *session.Place, a *zarr.Array, items []Item) (Region, error) {
	c := NewCoordinates(s, p)
	defer c.Release()
	return c.Chosen(ctx, a, items)
}

// Coordinates finds the index coordinates of arrays of one store. As in xarray, an array has the
// coordinates of its group and inherits the coordinates of the groups above. Coordinates caches
// groups and coordinates, so it reads each of them once. It is not safe for concurrent use.
type Coordinates struct {
	s      *session.Session
	p      *session.Place
	opened []*session.Place       // opened stores above the root of p
	groups map[string]*zarr.Group // by level.name; nil if no group is stored there
	found  map[string]*dataset.Index
}

// NewCoordinates returns the coordinates of arrays in the store of p.
func NewCoordinates(s *session.Session, p *session.Place) *Coordinates {
	return &Coordinates{s: s, p: p, groups: map[string]*zarr.Group{}, found: map[string]*dataset.Index{}}
}

// Chosen returns the region of an array that items select.
func (c *Coordinates) Chosen(ctx context.Context, a *zarr.Array, items []Item) (Region, error) {
	items, err := c.Find(ctx, a, items)
	if err != nil {
		return nil, err
	}
	return Resolve(items, a.Shape(), a.Dims())
}

// Columns returns the axes of a region with the labels of their coordinates. If an axis has no
// coordinate, its labels are the indices in the array.
func (c *Coordinates) Columns(ctx context.Context, a *zarr.Array, r Region) ([]render.Column, error) {
	var columns []render.Column
	for k, along := range r {
		if along.Drop {
			continue
		}
		x, err := c.index(ctx, a, k)
		name := AxisName(a, k)
		if err != nil {
			return nil, fmt.Errorf("coordinate of dimension %q: %w", name, err)
		}
		column := render.Column{Name: name, Count: along.Count}
		if column.Label = func(i int) string { return x.Label(along.At(i)) }; x == nil {
			column.Label = func(i int) string { return strconv.Itoa(along.At(i)) }
		}
		columns = append(columns, column)
	}
	return columns, nil
}

// Release closes the stores that group opened.
func (c *Coordinates) Release() {
	for _, p := range c.opened {
		p.Release()
	}
}

// Find returns a copy of items with the positions of their labels.
func (c *Coordinates) Find(ctx context.Context, a *zarr.Array, items []Item) ([]Item, error) {
	items = slices.Clone(items)
	for i, it := range items {
		if it.label == "" {
			continue
		}
		k, err := axisOf(it.Flag, it.Name, a.Dims())
		if err != nil {
			return nil, err
		}
		x, err := c.index(ctx, a, k)
		if err != nil {
			return nil, fmt.Errorf("coordinate of dimension %q: %w; --isel selects by position without it", it.Name, err)
		}
		if x == nil && it.ways != (ways{}) {
			return nil, fault.Newf(fault.Selection, "dimension %q has no coordinate: --tolerance and --wrap need labels", it.Name)
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
func (c *Coordinates) index(ctx context.Context, a *zarr.Array, k int) (*dataset.Index, error) {
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
func (c *Coordinates) read(ctx context.Context, from string, g *zarr.Group, dim string) (*dataset.Index, error) {
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
func (c *Coordinates) above(l level) (up level, ok bool) {
	at := l.above
	if at.Scheme == "" {
		if l.path != "" {
			return level{path: strings.Trim(path.Dir("/"+l.path), "/")}, true
		}
		at = c.p.Root
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
func (c *Coordinates) group(ctx context.Context, l level) (*zarr.Group, error) {
	if g, ok := c.groups[l.name()]; ok {
		return g, nil
	}
	p := c.p
	if l.above.Scheme != "" {
		var err error
		if p, err = c.s.Open(ctx, l.above); err != nil {
			return nil, err
		}
		c.opened = append(c.opened, p)
	}
	// The array was opened from its own documents, and consolidated metadata may be out of date.
	g, err := zarr.OpenGroup(c.s.Expecting(ctx), p.Store, l.path, c.s.Options(zarr.IgnoreConsolidated())...)
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
func labelled(x *dataset.Index, it Item) (Axis, error) {
	text, listed := it.label, false
	method, list, ok := strings.Cut(text, "::")
	if !ok {
		method, list = "exact", text
	}
	if strings.HasPrefix(list, "[") && strings.HasSuffix(list, "]") {
		listed = true
		if list = strings.TrimSpace(list[1 : len(list)-1]); list == "" {
			return Axis{Step: 1, List: []int{}}, nil
		}
		// dataset.Text interprets a single label as a label and two or more labels as a list.
		// Append a label, and remove its position below.
		var labels []string
		for l := range strings.SplitSeq(list, ",") {
			labels = append(labels, strings.TrimSpace(l))
		}
		text = method + "::" + strings.Join(append(labels, labels[0]), ",")
	} else if strings.Contains(text, ",") {
		return Axis{}, exit.Usagef("--sel: a list of labels must be in brackets, is %q", text)
	}
	at, one, err := x.Positions(it.ways.query(dataset.Text(it.Name, text)))
	if err != nil {
		return Axis{}, err
	}
	if listed {
		at = at[:len(at)-1]
	}
	return axisAt(at, one), nil
}

// axisAt returns the selection of positions. The result is a slice if the positions are
// equidistant, and a list otherwise.
func axisAt(at []int, drop bool) Axis {
	n := len(at)
	if n < 2 {
		a := Axis{Step: 1, Count: n, Drop: drop}
		if n == 1 {
			a.Start = at[0]
		}
		return a
	}
	a := Axis{Start: at[0], Step: at[1] - at[0], Count: n}
	for i := 1; i < n; i++ {
		if a.Step == 0 || at[i]-at[i-1] != a.Step {
			return Axis{Step: 1, Count: n, List: at}
		}
	}
	return a
}

// AxisName returns the name of an axis, or dim_0 and so on.
func AxisName(a *zarr.Array, k int) string {
	if dims := a.Dims(); k < len(dims) && dims[k] != "" {
		return dims[k]
	}
	return "dim_" + strconv.Itoa(k)
}

// AttrsOf returns the attributes of an array that determine its values. The bounds of a coordinate
// inherit the units and the calendar from it.
func AttrsOf(ctx context.Context, s *session.Session, p *session.Place, a *zarr.Array) (map[string]any, error) {
	c := NewCoordinates(s, p)
	defer c.Release()
	return c.AttrsOf(ctx, a)
}

// AttrsOf is the function of that name. It sends requests only for arrays without units or a
// calendar that may be bounds, and reads only the coordinates that candidates returns.
func (c *Coordinates) AttrsOf(ctx context.Context, a *zarr.Array) (map[string]any, error) {
	attrs, own := a.Attrs(), a.Name()
	if a.Path() == "" {
		own = session.LastSegment(c.p.Where)
	}
	names := candidates(a, own, attrs)
	if len(names) == 0 {
		return attrs, nil
	}
	up, ok := c.above(level{path: a.Path()})
	if !ok {
		return attrs, nil
	}
	g, err := c.group(ctx, up)
	switch {
	case errors.Is(err, fault.Refused): // permissions may end at the array
		c.s.Warn("%s: if the array contains bounds, they are not decoded: %s", c.p.Where, err)
		return attrs, nil
	case err != nil:
		return nil, err
	case g == nil:
		return attrs, nil
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == own })
	for _, name := range names {
		of, err := g.OpenArray(ctx, name)
		switch {
		case errors.Is(err, fault.NotFound), errors.Is(err, fault.Path):
			continue
		case err != nil:
			return nil, err
		}
		if from := of.Attrs(); slices.Contains(cf.BoundsOf(from), own) {
			return cf.InheritBounds(attrs, from), nil
		}
	}
	return attrs, nil
}

// candidates returns the names of the coordinates whose bounds an array may contain: its first
// dimension, and its name without the affixes that name bounds. It returns nil if the array cannot
// be bounds, or has all that it could inherit.
func candidates(a *zarr.Array, own string, attrs map[string]any) []string {
	shape, dims := a.Shape(), a.Dims()
	units, hasUnits := attrs["units"].(string)
	_, hasCalendar := attrs["calendar"]
	if len(shape) < 2 || hasUnits && (hasCalendar || !cf.IsTimeUnits(units)) {
		return nil
	}
	var names []string
	if len(shape) == 2 && shape[1] == 2 && len(dims) == 2 && dims[0] != "" && !strings.Contains(dims[0], "/") {
		names = append(names, dims[0])
	}
	for _, affix := range []string{"_bnds", "_bounds", "_bound", "_bnd", "_vertices", "_climatology", "_clim"} {
		if name, ok := strings.CutSuffix(own, affix); ok && name != "" {
			names = append(names, name)
		}
	}
	if name, ok := strings.CutPrefix(own, "bounds_"); ok && name != "" {
		names = append(names, name)
	}
	return names
}
