package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// attrsOf returns the attributes of an array that determine its values. The bounds of a coordinate
// inherit the units and the calendar from it.
func (s *session) attrsOf(ctx context.Context, p *place, a *zarr.Array) (map[string]any, error) {
	c := s.coordinates(p)
	defer c.release()
	return c.attrsOf(ctx, a)
}

// attrsOf is session.attrsOf. It sends requests only for arrays without units or a calendar that
// may be bounds, and reads only the coordinates that candidates returns.
func (c *coordinates) attrsOf(ctx context.Context, a *zarr.Array) (map[string]any, error) {
	attrs, own := a.Attrs(), a.Name()
	if a.Path() == "" {
		own = lastSegment(c.p.where)
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
		c.s.warn("%s: if the array contains bounds, they are not decoded: %s", c.p.where, err)
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
