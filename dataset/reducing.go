package dataset

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// reducing is a reduction that is divided into tasks.
type reducing struct {
	d        *Dataset
	r        Reduction
	o        ReduceOptions
	over     map[string]bool
	by       map[string]*grouped
	vars     []VarSpec // of the result
	tasks    []reduceTask
	left     []string          // what the result lacks
	source   map[string][]byte // metadata of the arrays that the result depends on, by name
	versions string            // of their objects; see versionsOf
}

// reduceTask writes chunks of one array of the result.
type reduceTask struct {
	name string
	run  func(ctx context.Context, to *zarr.Array) error
}

// reduces reports whether a variable has a dimension that is reduced.
func (x *reducing) reduces(v *Variable) bool {
	return slices.ContainsFunc(v.Dims(), func(d Dim) bool { return x.over[d.Name] || x.by[d.Name] != nil })
}

// changes reports whether the elements of a variable are reduced.
func (x *reducing) changes(name string) bool { return x.reduces(&Variable{x.d, name, x.d.vars[name]}) }

// uses records that the result depends on an array.
func (x *reducing) uses(v *Variable) error {
	text, err := metadataOf(v.Array())
	x.source[v.name] = text
	return err
}

// metadataOf returns what determines the elements of an array and their meaning, as a text. It is
// the same for consolidated and own metadata.
func metadataOf(a *zarr.Array) ([]byte, error) {
	s := a.Spec()
	return json.Marshal([]any{s.Shape, s.Chunks, s.Shards, s.ChunkEdges, s.ShardEdges, s.DType.String(), a.Fill(), s.Codecs, s.Order, s.Separator, a.Attrs()})
}

// versionsOf returns a hash of the versions of the objects of all arrays that the result depends on,
// or "" if the store does not report them.
func (x *reducing) versionsOf(ctx context.Context) (string, error) {
	var st store.Store
	var paths []string
	for name := range x.source {
		a := x.d.vars[name].array
		st, paths = a.Store(), append(paths, a.Path())
	}
	if st == nil {
		return "", nil
	}
	slices.Sort(paths)
	return claimed.Versions(ctx, st, paths, 0)
}
