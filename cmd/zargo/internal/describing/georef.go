package describing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/multiscale"
	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// georefInfo is the part of nodeInfo that describes the georeference or the pyramids of a node.
type georefInfo struct {
	CRS      *crsInfo      `json:"crs,omitempty"`
	Grid     *gridInfo     `json:"grid,omitempty"`
	Pyramids []pyramidInfo `json:"pyramids,omitempty"`
	Findings []findingInfo `json:"findings,omitempty"`
}

type crsInfo struct {
	Code   string `json:"code,omitempty"`
	Name   string `json:"name"`
	Source string `json:"source"`
	Var    string `json:"variable,omitempty"`
}

type gridInfo struct {
	Dims         []string         `json:"dimensions,omitempty"`
	Shape        []int            `json:"shape,omitempty"`
	Transform    []float64        `json:"transform,omitempty"`
	Registration crs.Registration `json:"registration"`
	BBox         []float64        `json:"bbox,omitempty"`
	Source       crs.Source       `json:"source"`
}

type pyramidInfo struct {
	Name    string            `json:"name,omitempty"`
	Format  multiscale.Format `json:"format"`
	Version string            `json:"version,omitempty"`
	Axes    []axisInfo        `json:"axes"`
	Levels  []levelInfo       `json:"levels"`
}

type axisInfo struct {
	Name string `json:"name,omitempty"`
	Type string `json:"type,omitempty"`
	Unit string `json:"unit,omitempty"`
}

type levelInfo struct {
	Path        string    `json:"path"`
	Kind        string    `json:"kind,omitempty"` // "array" or "group"; absent if the level cannot be read
	Shape       []int     `json:"shape,omitempty"`
	Scale       []float64 `json:"scale,omitempty"`
	Translation []float64 `json:"translation,omitempty"`
	DerivedFrom string    `json:"derived_from,omitempty"`
	Method      string    `json:"resampling_method,omitempty"`
	Grid        *gridInfo `json:"grid,omitempty"`
}

type findingInfo struct {
	Node    string `json:"node,omitempty"` // name of a grid mapping variable, or ".."
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

// georeference reads the coordinate reference system and the pyramids of a node. It opens the
// levels of each pyramid. It opens the group of an array, its grid mapping variable and the index
// coordinates of its grid. It ignores errors of the group and of the grid mapping variable.
func (i *nodeInfo) georeference(ctx context.Context, s *session.Session, p *session.Place, n zarr.Node) error {
	info := &georefInfo{}
	node := crs.Node{Attrs: n.Attrs()}
	a, isArray := n.(*zarr.Array)
	if isArray {
		node.Array, node.Dims, node.Shape = true, a.Dims(), a.Shape()
		release := addGroup(ctx, s, p, &node)
		defer release()
	}
	ref := crs.Read(node)
	if c := ref.CRS; c != nil {
		info.CRS = &crsInfo{c.Code.String(), c.Name(), string(c.Source), c.Var}
	}
	info.Grid = gridOf(ref.Grid)
	for _, f := range ref.Findings {
		info.Findings = append(info.Findings, findingInfo{f.Path, f.Pointer, f.Text})
	}
	if g, ok := n.(*zarr.Group); ok {
		pyramids, found := multiscale.Read(n.Attrs())
		for _, f := range found {
			info.Findings = append(info.Findings, findingInfo{"", f.Pointer, f.Text})
		}
		for _, levels := range pyramids {
			x, err := pyramidOf(ctx, g, levels)
			if err != nil {
				return err
			}
			info.Pyramids = append(info.Pyramids, x)
			if err := info.current(ctx, s, p, g, x); err != nil {
				return err
			}
		}
	}
	if info.CRS != nil || info.Grid != nil || info.Pyramids != nil || info.Findings != nil {
		i.georefInfo = info
	}
	return ctx.Err()
}

// addGroup sets n.Parent, n.Var and n.Coord, which depend on the group directly above an array. It
// leaves n.Parent unset if there is no group, and all of them if it cannot open the store of the
// group. The caller must call release after the last use of n.
func addGroup(ctx context.Context, s *session.Session, p *session.Place, n *crs.Node) (release func()) {
	st, base := p.Store, strings.TrimPrefix(path.Dir("/"+p.Path), "/")
	release = func() {}
	if p.Path == "" { // the array is the root of the store
		l := p.Root
		if l.Scheme == "file" {
			if abs, err := filepath.Abs(l.Path); err == nil {
				l.Path = abs
			}
		}
		up, ok := l.Parent()
		if !ok || len(l.Inside) > 0 {
			return release
		}
		q, err := s.Open(ctx, up)
		if err != nil {
			return release
		}
		st, release = q.Store, q.Release
	}
	open := func(name string) (*zarr.Array, error) {
		return zarr.OpenArray(ctx, st, path.Join(base, name), s.Options()...)
	}
	if g, err := zarr.OpenGroup(ctx, st, base, s.Options()...); err == nil {
		n.Parent = g.Attrs()
		open = func(name string) (*zarr.Array, error) { return g.OpenArray(ctx, name) }
	}
	n.Coord = func(name string) ([]float64, error) {
		if strings.Contains(name, "/") || name == "." || name == ".." {
			return nil, nil
		}
		a, err := open(name)
		if errors.Is(err, fault.NotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return coordinateOf(ctx, a)
	}
	n.Var = func(name string) (map[string]any, bool) {
		if strings.Contains(name, "/") || name == "." || name == ".." { // an array of another group
			return nil, false
		}
		v, err := open(name)
		if err != nil {
			return nil, false
		}
		return v.Attrs(), true
	}
	text, _ := n.Attrs["grid_mapping"].(string)
	if names := strings.Fields(text); n.Parent == nil && len(names) > 0 {
		if _, ok := n.Var(strings.TrimSuffix(names[0], ":")); !ok { // the array is a copy without its group
			n.Var = nil
		}
	}
	return release
}

// maxCoordinate is the maximum number of elements of a coordinate that info reads. It bounds the
// memory to 32 MiB.
const maxCoordinate = 4 << 20

// coordinateOf reads the values of an index coordinate. It returns nil if they are not numbers, or
// if the array is not the coordinate of its dimension.
func coordinateOf(ctx context.Context, a *zarr.Array) ([]float64, error) {
	if dims := a.Dims(); len(a.Shape()) != 1 || len(dims) != 1 || dims[0] != a.Name() {
		return nil, nil
	}
	if n := a.Len(); n > maxCoordinate {
		return nil, fault.Newf(fault.Limit, "it has %d elements, more than %d", n, maxCoordinate)
	}
	if units, _ := a.Attrs()["units"].(string); cf.IsTimeUnits(units) {
		return nil, nil
	}
	v, err := dataset.OpenArray(a, dataset.Options{})
	if err != nil {
		return nil, err
	}
	if _, ok := v.Coding(); !ok {
		return nil, nil
	}
	return dataset.Read[float64](ctx, v)
}

// maxLevels is the maximum number of levels of a pyramid that info opens. Most pyramids have fewer
// than 20 levels, because each level has half the resolution of the previous one.
const maxLevels = 64

// pyramidOf describes a pyramid. It opens each level to read its shape. It returns an error only if
// ctx is done.
func pyramidOf(ctx context.Context, g *zarr.Group, p multiscale.Pyramid) (pyramidInfo, error) {
	out := pyramidInfo{Name: p.Name, Format: p.Format, Version: p.Version, Axes: []axisInfo{}}
	for _, a := range p.Axes {
		out.Axes = append(out.Axes, axisInfo(a))
	}
	for i, l := range p.Levels {
		x := levelInfo{Path: l.Path, Scale: l.Scale, Translation: l.Translation, DerivedFrom: l.DerivedFrom, Method: l.Method, Grid: gridOf(l.Grid)}
		if l.Grid != nil && l.Grid.Shape != [2]int{} {
			x.Shape = l.Grid.Shape[:]
		}
		if i < maxLevels {
			n, err := g.Open(ctx, l.Path)
			if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, fault.Limit) {
				return out, err
			}
			switch n := n.(type) {
			case *zarr.Array:
				x.Kind, x.Shape = "array", n.Shape()
			case *zarr.Group:
				x.Kind = "group"
			}
		}
		out.Levels = append(out.Levels, x)
	}
	return out, nil
}

// current adds a finding for each array of a pyramid that has changed since its levels were
// computed.
func (i *georefInfo) current(ctx context.Context, s *session.Session, p *session.Place, g *zarr.Group, x pyramidInfo) error {
	if x.Format != multiscale.Convention {
		return nil
	}
	for _, l := range x.Levels[:min(len(x.Levels), maxLevels)] {
		if l.DerivedFrom != "" || l.Kind != "array" {
			continue
		}
		status, err := pyramid.StatusOf(ctx, p.Store, path.Join(g.Path(), l.Path), s.Options()...)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			i.Findings = append(i.Findings, findingInfo{"", "/multiscales", fmt.Sprintf("it is unknown whether the levels of %s are current: %v", l.Path, err)})
		case status == pyramid.Outdated:
			i.Findings = append(i.Findings, findingInfo{"", "/multiscales", fmt.Sprintf("the levels of %s are not current: the array has changed since they were computed; run zargo pyramid again", l.Path)})
		case status == pyramid.Incomplete:
			i.Findings = append(i.Findings, findingInfo{"", "/multiscales", fmt.Sprintf("the levels of %s are not complete: run zargo pyramid again", l.Path)})
		}
	}
	return nil
}

func gridOf(g *crs.Grid) *gridInfo {
	if g == nil {
		return nil
	}
	out := &gridInfo{Registration: g.Registration, BBox: g.BBox, Source: g.Source}
	if g.Dims != [2]string{} {
		out.Dims = g.Dims[:]
	}
	if g.Shape != [2]int{} {
		out.Shape = g.Shape[:]
	}
	if g.Transform != (crs.Affine{}) {
		out.Transform = g.Transform[:]
	}
	return out
}

// rows prints the properties of the georeference.
func (i *georefInfo) rows(row func(name, format string, args ...any)) {
	if i == nil {
		return
	}
	if c := i.CRS; c != nil {
		name := c.Name
		if c.Code != "" && c.Code != name {
			name = c.Code + " " + name
		}
		from := c.Source
		if c.Var != "" && c.Var != from {
			from += " " + c.Var
		}
		row("crs", "%s (from %s)", name, from)
	}
	if g := i.Grid; g != nil && g.Transform != nil {
		row("transform", "%s (%s, from %s)", floats(g.Transform), g.Registration, g.Source)
	} else if g != nil && g.BBox != nil {
		row("bbox", "%s (from %s)", floats(g.BBox), g.Source)
	}
	for _, f := range i.Findings {
		row("finding", "%s", strings.TrimLeft(f.Node+" "+f.Pointer+": "+f.Message, " :"))
	}
}

// print prints the levels of the pyramids.
func (i *georefInfo) print(out io.Writer) error {
	if i == nil {
		return nil
	}
	for _, p := range i.Pyramids {
		title := string(p.Format)
		for _, part := range []string{p.Version, p.Name} {
			if part != "" {
				title += " " + part
			}
		}
		if _, err := fmt.Fprintf(out, "pyramid  %s\n", render.OneLine(title+axesText(p.Axes))); err != nil {
			return err
		}
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, l := range p.Levels {
			kind := l.Kind
			if kind == "" {
				kind = "unreadable"
			}
			shape, scale := "[-]", "unknown"
			if l.Shape != nil {
				shape = "[" + list(l.Shape) + "]"
			}
			if l.Scale != nil {
				scale = floats(l.Scale)
			}
			fmt.Fprintf(w, "  %s\t%s\t%s\tscale %s\n", render.OneLine(l.Path), kind, shape, scale)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// axesText formats the named axes of a pyramid, as in ": z micrometer, y micrometer".
func axesText(axes []axisInfo) string {
	var parts []string
	for _, a := range axes {
		if a.Name != "" {
			parts = append(parts, strings.TrimSpace(a.Name+" "+a.Unit))
		}
	}
	if parts == nil {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

func floats(values []float64) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = strconv.FormatFloat(v, 'g', -1, 64)
		if v == float64(int64(v)) && v > -1e15 && v < 1e15 {
			parts[i] = strconv.FormatInt(int64(v), 10)
		}
	}
	return strings.Join(parts, ", ")
}
