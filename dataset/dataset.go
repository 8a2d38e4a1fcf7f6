package dataset

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Dataset is a group of arrays whose axes are named dimensions, or a selection of its elements. It
// is immutable and safe for concurrent use. Selections are lazy: only reads of a [Variable] send
// requests.
type Dataset struct {
	group    *zarr.Group
	dims     []Dim // of the stored arrays
	vars     map[string]*stored
	left     map[string]error // why an array is not in vars, by name
	index    map[string]index // of a dimension
	refused  map[string]error // why a dimension has neither an index nor positions as labels
	chosen   map[string]axis
	complete map[string]axis // chosen of the whole dataset; nil unless an append is in progress
	findings []rule.Finding
	groups   []string // names of the groups below the group
	parent   *Dataset // the dataset of which Child opened this one; or nil
	options  Options
}

// Dim is a dimension: an axis that the arrays of a dataset share.
type Dim struct {
	Name string
	Len  int
}

// where returns a path for messages: "/" for the root, whose path is empty.
func where(path string) string {
	if path == "" {
		return "/"
	}
	return path
}

// stored describes an array of the group: its dimensions, its coding and its role in the dataset.
type stored struct {
	array    *zarr.Array
	dims     []string      // without the axis of the characters
	unnamed  []int         // axes whose dimensions have no names in metadata
	inherits bool          // attributes of a coordinate whose bounds it contains
	chars    bool          // the last axis has the characters of texts
	coding   *cf.Coding    // nil if the values are not numbers
	delta    time.Duration // unit of time differences that are stored as numbers; or 0
	coord    bool
	attrs    map[string]any // of the variable, without those of the conventions
}

// indexes reports whether the array is the index coordinate of a dimension.
func (s *stored) indexes(dim string) bool {
	return len(s.dims) == 1 && s.dims[0] == dim && s.array.Name() == dim
}

// axis is the selection of a dimension.
type axis struct {
	positions
	one    bool   // the dimension is dropped
	points string // name of the dimension of points that this dimension belongs to; or ""
}

// Group returns the group of the dataset.
func (d *Dataset) Group() *zarr.Group {
	if d == nil {
		return nil
	}
	return d.group
}

// Attrs returns the attributes of the group.
func (d *Dataset) Attrs() map[string]any {
	if d.usable() != nil {
		return nil
	}
	return d.group.Attrs()
}

// Findings describes what Open ignored or corrected.
func (d *Dataset) Findings() []rule.Finding {
	if d == nil {
		return nil
	}
	return slices.Clone(d.findings)
}

// Dims returns the dimensions with their selected lengths. They are in the order in which the
// arrays, sorted by name, first use them. Dropped dimensions are left out.
func (d *Dataset) Dims() []Dim {
	if d == nil {
		return nil
	}
	var out []Dim
	for _, dim := range d.dims {
		a, ok := d.chosen[dim.Name]
		switch {
		case !ok:
			out = append(out, dim)
		case a.points != "":
			if p := (Dim{a.points, a.len()}); !slices.Contains(out, p) {
				out = append(out, p)
			}
		case !a.one:
			out = append(out, Dim{dim.Name, a.len()})
		}
	}
	return out
}

// Vars returns the data variables, sorted by name.
func (d *Dataset) Vars() []*Variable { return d.filter(false) }

// Coords returns the coordinates, sorted by name: the index coordinates, which have the name of
// their only dimension, and the arrays in the attribute coordinates of a variable or the group.
func (d *Dataset) Coords() []*Variable { return d.filter(true) }

func (d *Dataset) filter(coord bool) []*Variable {
	if d == nil {
		return nil
	}
	var out []*Variable
	for _, name := range slices.Sorted(maps.Keys(d.vars)) {
		if s := d.vars[name]; s.coord == coord {
			out = append(out, &Variable{d, name, s})
		}
	}
	return out
}

// Var returns the data variable or the coordinate with the given name, and selects elements of it
// as [Dataset.Sel] does. If there is none, the error is fault.NotFound, and its text lists the
// variables of the dataset. For an array that Open left out, the error is the reason.
func (d *Dataset) Var(name string, q ...Query) (*Variable, error) {
	if d == nil {
		return nil, d.usable()
	}
	if len(q) > 0 {
		var err error
		if d, err = d.Sel(q...); err != nil {
			return nil, err
		}
	}
	s, ok := d.vars[name]
	if err := d.left[name]; !ok && err != nil {
		return nil, fmt.Errorf("dataset %s: variable %q is left out: %w", d.where(), name, err)
	}
	if !ok {
		return nil, fault.Newf(fault.NotFound, "the dataset has no variable %q; it has %q", name, slices.Sorted(maps.Keys(d.vars)))
	}
	return &Variable{d, name, s}, nil
}

// Sel returns the dataset with a selection of its elements. It sends no request. Each dimension may
// have at most one query. A query selects among the elements that earlier calls of Sel selected.
//
// The error is fault.Selection for an unknown dimension, a label that the coordinate does not have,
// or a position outside the dimension.
func (d *Dataset) Sel(q ...Query) (*Dataset, error) {
	if d == nil {
		return nil, d.usable()
	}
	next := *d
	next.chosen = maps.Clone(d.chosen)
	if next.chosen == nil {
		next.chosen = map[string]axis{}
	}
	seen := map[string]bool{}
	for _, q := range q {
		group := []Query{q}
		if q.kind == byPoints {
			if group = q.points; len(group) == 0 {
				return nil, fault.Newf(fault.Selection, "the points %q have no queries", q.dim)
			}
		}
		length := -1
		for _, each := range group {
			if seen[each.dim] {
				return nil, fault.Newf(fault.Selection, "dimension %q is selected twice", each.dim)
			}
			seen[each.dim] = true
			c, err := d.choose(each)
			if err != nil {
				return nil, err
			}
			a := axis{positions: c.positions, one: c.one}
			if q.kind == byPoints {
				if length < 0 {
					length = a.len()
				}
				if a.one || a.len() != length {
					return nil, fault.Newf(fault.Selection, "the dimensions of the points %q must have the same number of selected elements: %q has %d, want %d", q.dim, each.dim, a.len(), length)
				}
				a.points = q.dim
			}
			if before, ok := d.chosen[each.dim]; ok {
				a.positions = before.pick(c.positions)
			}
			next.chosen[each.dim] = a
		}
		if q.kind == byPoints && (q.dim == "" || slices.ContainsFunc(next.Dims(), func(x Dim) bool { return x.Name == q.dim && x.Len != length })) {
			return nil, fault.Newf(fault.Selection, "the dimension of points cannot be named %q", q.dim)
		}
	}
	return &next, nil
}

// choose resolves a query against the selected elements of its dimension.
func (d *Dataset) choose(q Query) (chosen, error) {
	i := slices.IndexFunc(d.dims, func(x Dim) bool { return x.Name == q.dim })
	if i < 0 {
		return chosen{}, fault.Newf(fault.Selection, "the dataset has no dimension %q; it has %v", q.dim, d.Dims())
	}
	n, x := d.dims[i].Len, d.index[q.dim]
	if err := d.refused[q.dim]; err != nil && q.labelled() {
		return chosen{}, fmt.Errorf("dataset %s: coordinate of dimension %q: %w", d.where(), q.dim, err)
	}
	if a, ok := d.chosen[q.dim]; ok {
		switch {
		case a.one:
			return chosen{}, fault.Newf(fault.Selection, "dimension %q was dropped by an earlier selection", q.dim)
		case a.points != "":
			return chosen{}, fault.Newf(fault.Selection, "dimension %q became points of %q in an earlier selection", q.dim, a.points)
		}
		n = a.len()
		if x != nil {
			x = x.sub(a.positions)
		}
	}
	c, err := q.choose(x, n)
	if err != nil {
		return chosen{}, fmt.Errorf("dataset %s: %w", d.where(), err)
	}
	return c, nil
}
