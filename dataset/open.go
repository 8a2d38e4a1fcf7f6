package dataset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options determine how a dataset is decoded. The zero value has the behavior of xarray.
type Options struct {
	CF cf.Options

	// Raw leaves all values as they are stored, as decode_cf=False of xarray does: values are not
	// scaled, no element is missing, and times are numbers in their units.
	Raw bool

	// RawTimes leaves times and time differences as numbers in their units, as decode_times=False
	// of xarray does. Other values are decoded.
	RawTimes bool

	// Indexes are the dimensions whose index coordinates are read. A selection of another dimension
	// by label fails with fault.Selection. nil reads the index coordinates of all dimensions.
	Indexes []string
}

// inFlight is the maximum number of index coordinates that are read concurrently. The store may
// send fewer requests at a time.
const inFlight = 64

// Open opens the group at a path of a store as a dataset, as zarr.OpenGroup and [OpenGroup] do.
func Open(ctx context.Context, st store.Store, path string, o Options, opts ...zarr.Option) (*Dataset, error) {
	if st == nil {
		return nil, fault.Newf(fault.Selection, "the store of a dataset is nil")
	}
	g, err := zarr.OpenGroup(ctx, st, path, opts...)
	if err != nil {
		return nil, err
	}
	return OpenGroup(ctx, g, o)
}

// newDataset returns a dataset without variables. g is nil for an array without a group.
func newDataset(g *zarr.Group, o Options) *Dataset {
	return &Dataset{group: g, options: o, vars: map[string]*stored{}, left: map[string]error{}, index: map[string]index{}, refused: map[string]error{}}
}

// OpenGroup returns a group as a dataset. With consolidated metadata it sends one round of
// requests, for the index coordinates; otherwise it lists and reads the members as
// zarr.Group.Members does. The values of index coordinates stay in memory.
//
// The names of dimensions are read from dimension_names of v3, the attribute _ARRAY_DIMENSIONS, or
// the metadata of NCZarr. An array without names gets the dimensions dim_0, dim_1, …, and a
// finding. If another array has another length of dim_0, the name is dim_0_N with the length N.
//
// Arrays with malformed or unsupported metadata are left out with a finding, and so are arrays
// whose coding is malformed or unsupported, such as the units "months since 1955-01-01".
// [Dataset.Var] then returns the cause. Options.Raw and Options.RawTimes read arrays of the second
// kind without decoding.
//
// The index coordinates of a dataset, with the indexes built from them, must fit the memory budget
// of the arrays (see zarr.Limits), which OpenGroup also uses while it reads them. If the values of
// a coordinate do not fit, cannot be decoded, or have a type without labels, the dimension has no
// index, and the dataset has a finding. Selections by label along this dimension return the cause.
//
// Consolidated metadata may be out of date. An index coordinate that was deleted is left out with a
// finding, and one that was replaced is not an index, as far as reads detect it; see
// zarr.Group.Open. With zarr.IgnoreConsolidated, the dataset is as its stored documents describe
// it.
//
// While an append to the group is in progress, or after a process was killed during one, arrays may
// have different lengths of the dimension. The dataset then has the rows that all arrays have, and
// a finding.
//
// The error is fault.Metadata if two arrays have different lengths of a dimension for another
// reason; its text contains both names. OpenGroup also returns the errors of the store.
func OpenGroup(ctx context.Context, g *zarr.Group, o Options) (*Dataset, error) {
	for try := 0; ; try++ {
		if g == nil {
			return nil, fault.Newf(fault.Selection, "the group of a dataset is nil")
		}
		d := newDataset(g, o)
		var ahead map[string]index
		err := concurrency.EachN(ctx, 2, 2, func(ctx context.Context, i int) error {
			if i == 0 {
				return d.members(ctx)
			}
			ahead = d.readAhead(ctx)
			return nil
		})
		if err != nil {
			return nil, err
		}
		d.characters()
		if dim, uneven := d.dimensions(""); uneven != nil {
			// The documents were read one after another, so an append may have begun and ended
			// since.
			var err error
			if g, err = zarr.OpenGroup(ctx, g.Store(), g.Path(), g.Options()...); err != nil {
				return nil, err
			}
			c, err := node.ClaimIn(node.Of(g).Claimed())
			switch {
			case err != nil:
				return nil, err
			case c.What == claim.Append && c.Dim == dim:
				d.group = g
				if _, err := d.dimensions(dim); err != nil {
					return nil, err
				}
			case try < tries:
				continue
			default:
				return nil, uneven
			}
		}
		d.coordinates()
		return d, d.indexes(ctx, ahead)
	}
}

// tries is the number of times that arrays of different lengths are read again.
const tries = 3

func (d *Dataset) find(path, format string, args ...any) {
	d.findings = append(d.findings, rule.Finding{Rule: rule.Convention, Path: path, Text: fmt.Sprintf(format, args...)})
}

// members opens the arrays of the group, and reads how their values are coded.
func (d *Dataset) members(ctx context.Context) error {
	for n, err := range d.group.Members(ctx) {
		var broken *zarr.MetaError
		switch {
		case errors.As(err, &broken):
			d.find(broken.Key, "%v", err)
			d.left[d.memberOf(broken.Key)] = err
			continue
		case err != nil:
			return err
		}
		a, ok := n.(*zarr.Array)
		if !ok {
			d.groups = append(d.groups, n.Name())
			continue
		}
		d.add(a)
	}
	d.unique()
	inherited := d.bounds()
	for _, name := range slices.Sorted(maps.Keys(d.vars)) {
		if err := d.decode(name, inherited[name]); err != nil {
			d.find(d.vars[name].array.Path(), "the variable is left out: %v", err)
			d.leave(name, err)
		}
	}
	return nil
}

// memberOf returns the name of the member of the group that a key belongs to.
func (d *Dataset) memberOf(key string) string {
	key = strings.Trim(key, "/")
	if p := d.group.Path(); p != "" {
		key = strings.TrimPrefix(strings.TrimPrefix(key, p), "/")
	}
	name, _, _ := strings.Cut(key, "/")
	return name
}

// leave removes a variable that cannot be decoded.
func (d *Dataset) leave(name string, err error) {
	s := d.vars[name]
	delete(d.vars, name)
	d.left[name] = &leftOut{dims: s.dims, err: err}
}

// leftOut is the error of a variable whose metadata is valid, but whose coding is not.
type leftOut struct {
	dims []string
	err  error
}

func (e *leftOut) Error() string { return e.err.Error() }
func (e *leftOut) Unwrap() error { return e.err }

// add adds an array to the variables.
func (d *Dataset) add(a *zarr.Array) {
	s := &stored{array: a, attrs: attributes(a)}
	s.dims, s.unnamed = dimensions(a, func(text string) { d.find(a.Path(), "%s", text) })
	d.vars[a.Name()] = s
}

// decode reads how the values of a variable are coded. Its attributes take precedence over the
// inherited ones.
func (d *Dataset) decode(name string, inherited map[string]any) error {
	s, o := d.vars[name], d.options
	s.inherits = len(inherited) > 0
	attrs := s.array.Attrs()
	for attr, value := range inherited {
		if _, ok := attrs[attr]; !ok {
			attrs[attr] = value
		}
	}
	units, _ := attrs["units"].(string)
	switch {
	case o.Raw:
		attrs, o.CF = nil, cf.Options{FillIsMissing: cf.FillNever}
	case o.RawTimes && cf.IsTimeUnits(units):
		delete(attrs, "units")
	}
	c, err := cf.New(cf.Variable{Name: name, Type: s.array.DType(), Fill: s.array.Fill(), V2: s.array.Format() == 2, Attrs: attrs}, o.CF)
	switch {
	case err == nil:
		if s.coding = c; !o.RawTimes {
			s.delta, _ = c.Difference()
		}
		for _, f := range c.Findings() {
			f.Path = s.array.Path()
			d.findings = append(d.findings, f)
		}
	case !errors.Is(err, fault.Type):
		return err
	}
	return nil
}

// bounds returns the attributes that variables of bounds and climatologies inherit from their
// coordinates, by the name of the variable (CF conventions, sections 7.1 and 7.4).
func (d *Dataset) bounds() map[string]map[string]any {
	out := map[string]map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(d.vars)) {
		attrs := d.vars[name].attrs
		for _, of := range cf.BoundsOf(attrs) {
			out[of] = cf.InheritBounds(out[of], attrs)
		}
	}
	return out
}

// attributes returns the attributes without those that describe dimensions.
func attributes(a *zarr.Array) map[string]any {
	attrs := a.Attrs()
	maps.DeleteFunc(attrs, func(name string, _ any) bool {
		return name == "_ARRAY_DIMENSIONS" || strings.HasPrefix(strings.ToLower(name), "_nc")
	})
	return attrs
}

func clone(m map[string]any) map[string]any { return maps.Clone(m) }

// characters marks the arrays of single bytes whose last dimension belongs to no other array. Such
// an array stores texts along that dimension, as NetCDF does.
func (d *Dataset) characters() {
	isChars := func(s *stored) bool { return s.array.DType() == dtype.Type(dtype.S(1)) && len(s.dims) > 0 }
	used := map[string]bool{}
	for _, s := range d.vars {
		for i, dim := range s.dims {
			used[dim] = used[dim] || !isChars(s) || i < len(s.dims)-1
		}
	}
	for _, s := range d.vars {
		if isChars(s) && !used[s.dims[len(s.dims)-1]] {
			s.chars, s.dims = true, s.dims[:len(s.dims)-1]
		}
	}
}

// dimensions sets the dimensions of all arrays. If arrays have different lengths of a dimension, it
// returns its name and an error. The arrays may have different lengths of the dimension grows, to
// which an append is in progress. The dataset has the rows that all of them have.
func (d *Dataset) dimensions(grows string) (string, error) {
	d.dims = nil
	first := map[string]string{} // array that has the dimension
	for _, name := range slices.Sorted(maps.Keys(d.vars)) {
		s := d.vars[name]
		for i, dim := range s.dims {
			n := s.array.Shape()[i]
			j := slices.IndexFunc(d.dims, func(x Dim) bool { return x.Name == dim })
			switch {
			case j < 0:
				d.dims, first[dim] = append(d.dims, Dim{dim, n}), name
			case dim == grows:
				d.dims[j].Len = min(d.dims[j].Len, n)
			case d.dims[j].Len != n:
				return dim, &zarr.MetaError{Key: d.where(), Err: fault.Newf(fault.Metadata, "dimension %q has the length %d in %s and %d in %s", dim, d.dims[j].Len, first[dim], n, name)}
			}
		}
	}
	if i := slices.IndexFunc(d.dims, func(x Dim) bool { return x.Name == grows }); i >= 0 {
		d.chosen = map[string]axis{grows: {positions: all(d.dims[i].Len)}}
		d.complete = d.chosen
		d.find(d.group.Path(), "an append to the dimension %q is not complete; the dataset has its first %d rows", grows, d.dims[i].Len)
	}
	return "", nil
}

// coordinates marks the arrays that are coordinates.
func (d *Dataset) coordinates() {
	mark := func(attrs map[string]any) {
		text, _ := attrs["coordinates"].(string)
		for _, name := range strings.Fields(text) {
			if s, ok := d.vars[name]; ok {
				s.coord = true
			}
		}
	}
	mark(d.group.Attrs())
	for name, s := range d.vars {
		mark(s.attrs)
		s.coord = s.coord || s.indexes(name)
	}
}
