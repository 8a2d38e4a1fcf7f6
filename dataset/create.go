package dataset

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/attributes/masked"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Spec describes the stored metadata of a dataset.
type Spec struct {
	Format int // Zarr format: 2 or 3; 0 is 3
	Attrs  map[string]any
	Vars   []VarSpec // coordinates and data variables
}

// VarSpec describes a variable or a coordinate. Shape, DType and Dims of the embedded Spec are
// required, in both formats.
type VarSpec struct {
	Name string

	// Coord marks a coordinate that is not the index of a dimension, such as lat(y, x). Its name is
	// stored in the attribute coordinates of the group.
	Coord bool

	// Missing is the value that marks missing elements. It is a Go value of the data type, or a
	// number that the data type represents exactly. Create stores it as the attribute _FillValue in
	// the encoding of xarray, and as the fill value. nil means that no value marks missing
	// elements.
	Missing any

	zarr.Spec
}

// Create creates a dataset, or opens it if its group and arrays exist and agree with spec. Like
// zarr.OpenOrCreateGroup, it succeeds for all concurrent callers, and completes the work of a
// caller that was killed. It writes consolidated metadata. Specify the length 0 for a dimension
// that will grow by [Dataset.Append].
//
// The error is fault.Metadata if two variables have different lengths of a dimension, a name
// repeats, or the number of names differs from the rank; fault.Exists if a node differs from spec.
func Create(ctx context.Context, st store.Store, path string, spec Spec, o Options, opts ...zarr.Option) (*Dataset, error) {
	if st == nil {
		return nil, fault.Newf(fault.Selection, "the store of a dataset is nil")
	}
	arrays := map[string]zarr.Spec{}
	lengths := map[string]int{}
	var coords []string
	for _, v := range spec.Vars {
		s, err := v.array(spec.Format)
		if err != nil {
			return nil, fmt.Errorf("variable %q: %w", v.Name, err)
		}
		if _, again := arrays[v.Name]; again || v.Name == "" || strings.Contains(v.Name, "/") {
			return nil, fault.Newf(fault.Metadata, "variable %q: the name must be unique, and not be empty or contain a slash", v.Name)
		}
		for i, dim := range v.Dims {
			if n, ok := lengths[dim]; ok && n != v.Shape[i] {
				return nil, fault.Newf(fault.Metadata, "variable %q: dimension %q has the length %d, and %d in another variable", v.Name, dim, v.Shape[i], n)
			}
			lengths[dim] = v.Shape[i]
		}
		arrays[v.Name] = s
		if v.Coord {
			coords = append(coords, v.Name)
		}
	}
	attrs := maps.Clone(spec.Attrs)
	if len(coords) > 0 {
		if attrs == nil {
			attrs = map[string]any{}
		}
		attrs["coordinates"] = strings.Join(coords, " ")
	}
	g, err := zarr.OpenOrCreateGroup(ctx, st, path, zarr.Spec{Format: spec.Format, Attrs: attrs}, arrays, opts...)
	if err != nil {
		return nil, err
	}
	return OpenGroup(ctx, g, o)
}

// array returns the Spec of the array in a format.
func (v VarSpec) array(format int) (zarr.Spec, error) {
	s := v.Spec
	if len(s.Dims) != len(s.Shape) || slices.Contains(s.Dims, "") {
		return s, fault.Newf(fault.Metadata, "Dims must have a name for each of %d axes, are %q", len(s.Shape), s.Dims)
	}
	s.Attrs = maps.Clone(s.Attrs)
	if s.Attrs == nil {
		s.Attrs = map[string]any{}
	}
	if format == 2 {
		s.Attrs["_ARRAY_DIMENSIONS"], s.Dims = append([]string{}, s.Dims...), nil
		if s.Fill == nil { // xarray takes any fill value of v2 for a missing value
			s.Fill = zarr.NoFill
		}
	}
	if v.Missing == nil {
		return s, nil
	}
	fill, err := missing(s.DType, v.Missing)
	if err != nil {
		return s, fault.Newf(fault.Type, "Missing must be a value of %v, is %v", s.DType, v.Missing)
	}
	s.Fill = v.Missing
	if format != 2 {
		s.Attrs, _ = masked.ToV3(s.DType, fill, s.Attrs)
	}
	return s, nil
}

// missing returns the memory form of a missing value.
func missing(t dtype.Type, v any) ([]byte, error) {
	if b, ok, err := dtype.Value(t, v); ok || err != nil {
		return b, err
	}
	text := fmt.Sprint(v)
	switch text {
	case "NaN":
		text = `"NaN"`
	case "+Inf":
		text = `"Infinity"`
	case "-Inf":
		text = `"-Infinity"`
	}
	return t.ParseFill(json.RawMessage(text), 3)
}

// Write writes data to the selected elements of variables, concurrently. It returns the dataset
// with the new values of index coordinates.
//
// Attributes that the write makes untrue, such as actual_range of a variable, and time_coverage_end
// of the group if the variable time is written, are dropped before the elements are stored. The
// returned dataset has a finding for each of them. Write sends no request for other attributes.
//
// The error is fault.Selection for data of another length than the selection, and fault.Type for
// values that cannot be stored, before anything is written. Other errors are those of zarr.Write.
func (d *Dataset) Write(ctx context.Context, data ...Data) (*Dataset, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	columns := make([]column, len(data))
	labels := false
	for i, x := range data {
		if x.store == nil {
			return nil, noData()
		}
		v, err := d.Var(x.name)
		if err != nil {
			return nil, err
		}
		if columns[i], err = x.store(v); err != nil {
			return nil, err
		}
		want := v.Len()
		if v.stored.chars {
			want *= v.stored.array.Shape()[len(v.stored.dims)]
		}
		if columns[i].n != want {
			return nil, fault.Newf(fault.Selection, "variable %s has %d selected elements, and the data has %d values", x.name, want, columns[i].n)
		}
		labels = labels || v.stored.indexes(x.name)
	}
	d, err := d.unstated(ctx, data)
	if err != nil {
		return nil, err
	}
	err = concurrency.EachN(ctx, inFlight, len(data), func(ctx context.Context, i int) error {
		v, err := d.Var(data[i].name)
		if err != nil {
			return err
		}
		return columns[i].write(ctx, v.stored.array, v.Selection()...)
	})
	if err != nil || !labels {
		return d, err
	}
	next := *d
	next.index, next.refused, next.findings = maps.Clone(d.index), maps.Clone(d.refused), slices.Clone(d.findings)
	return &next, next.indexes(ctx, nil)
}
