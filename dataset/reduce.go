package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/internal/copying/overlay"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Reduce writes a reduction of a dataset as a new dataset at a path of a store, and opens it. It
// reads each stored object once, unless the results of the elements of an object exceed
// ReduceOptions.Memory. A monthly mean of all variables is:
//
//	r := dataset.Reduction{Op: dataset.Mean, By: []dataset.Grouping{dataset.ByTime("time", dataset.Month)}}
//	monthly, err := dataset.Reduce(ctx, d, r, st, "monthly.zarr", dataset.ReduceOptions{})
//
// The results are those of xarray, with these differences: sums and means are computed in float64
// also for float32, and results are float64 unless they are elements or counts. The minimum,
// maximum, first and last of variables that are not packed keep the data type. The sum of integers
// is an exact integer, and its overflow is the error fault.Type.
//
// The result has the index coordinates of its dimensions. Periods have the first time as label and
// bounds; recurring periods have the dimensions month, dayofyear, season and hour. Windows of
// Coarsen have the means of the coordinates as labels. Variables that do not have a reduced
// dimension are copied. Variables whose elements are not numbers, and coordinates that the groups do
// not define, are left out with a finding. The attribute cell_methods records the operation, and
// attributes that describe position, extent or statistics follow the elements.
//
// Like a transfer, Reduce makes the result visible when it is complete. An interrupted Reduce is
// continued by the next call with the same arguments, in any process. If the source changes
// meanwhile, the error is fault.Conflict, as far as a listing of its store reports the versions of
// objects. Nothing is visible then: remove what is stored below the path by store.DeleteBelow, and
// call Reduce again. If a node or other unfinished work is at the path, the error is fault.Exists.
// Other errors are those of zarr.Read and zarr.Write.
func Reduce(ctx context.Context, d *Dataset, r Reduction, st store.Store, path string, o ReduceOptions) (*Dataset, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	if st == nil {
		return nil, fault.Newf(fault.Selection, "the store of a dataset is nil")
	}
	x, err := d.reducing(ctx, r, o)
	if err != nil {
		return nil, err
	}
	if x.versions, err = x.versionsOf(ctx); err != nil {
		return nil, err
	}
	docs, dropped, err := x.documents(ctx, path)
	if err != nil {
		return nil, err
	}
	build := claimed.Build{
		Store: st, Target: path, Texts: docs, Plan: x.id(docs), Tasks: len(x.tasks), Parallel: x.parallel(),
		Unchanged: x.unchanged, Done: x.progress(o.Progress),
		Task: func(ctx context.Context, to store.Store, i int) error {
			t := x.tasks[i]
			a, err := zarr.OpenArray(ctx, overlay.New(to, docs), strings.TrimPrefix(path+"/"+t.name, "/"), o.Zarr...)
			if err != nil {
				return err
			}
			return t.run(ctx, a)
		},
	}
	if err := build.Run(ctx); err != nil {
		return nil, fmt.Errorf("reduction of dataset %s: %w", d.where(), err)
	}
	next, err := Open(ctx, st, path, d.options, o.Zarr...)
	if err != nil {
		return nil, err
	}
	for _, text := range x.left {
		next.find("", "%s", text)
	}
	for _, a := range dropped {
		next.find(a.Path, "%s", a)
	}
	return next, nil
}

// parallel returns the number of concurrent tasks. A task has a box of at least one object in memory,
// in stored and in decoded form.
func (x *reducing) parallel() int {
	n := runtime.GOMAXPROCS(0)
	for name := range x.source {
		a := x.d.vars[name].array
		if size := int64(a.DType().Size()); size > 0 {
			n = min(n, int(max(parallelBytes/max(walk.Object(a, make([]int, len(a.Shape()))).Bytes(size), 1), 1)))
		}
	}
	return n
}

// parallelBytes is the maximum size of the objects that all tasks reduce at a time.
const parallelBytes = 16 << 20

// reduceMemory is the default of ReduceOptions.Memory.
const reduceMemory = 32 << 20

func (d *Dataset) reducing(ctx context.Context, r Reduction, o ReduceOptions) (*reducing, error) {
	if o.Memory == 0 {
		o.Memory = reduceMemory
	}
	if o.Format == 0 && d.group != nil {
		o.Format = d.group.Format()
	}
	x := &reducing{d: d, r: r, o: o, over: map[string]bool{}, by: map[string]*grouped{}, source: map[string][]byte{}}
	for _, dim := range r.Over {
		if !slices.ContainsFunc(d.Dims(), func(x Dim) bool { return x.Name == dim }) {
			return nil, d.noDim(dim)
		}
		x.over[dim] = true
	}
	for _, g := range r.By {
		if x.over[g.dim] || x.by[g.dim] != nil {
			return nil, fault.Newf(fault.Selection, "dimension %q is reduced twice", g.dim)
		}
		of, err := g.of(ctx, d)
		if err != nil {
			return nil, err
		}
		x.by[g.dim] = of
	}
	switch n := len(x.over) + len(x.by); {
	case n == 0:
		return nil, fault.Newf(fault.Selection, "a reduction needs a dimension")
	case n > 1 && (r.Op == First || r.Op == Last):
		return nil, fault.Newf(fault.Selection, "the %v element is along one dimension, not %d", r.Op, n)
	case int(r.Op) > int(Last):
		return nil, fault.Newf(fault.Selection, "the operation %d is not defined", r.Op)
	case r.MinCount < 0:
		return nil, fault.Newf(fault.Selection, "MinCount must not be negative, is %d", r.MinCount)
	}
	w, err := x.weights(ctx)
	if err != nil {
		return nil, err
	}
	return x, x.variables(ctx, w)
}

// variables adds the variables of the result and their tasks.
func (x *reducing) variables(ctx context.Context, w *weights) error {
	wanted, err := x.wanted()
	if err != nil {
		return err
	}
	dims := map[string]bool{}
	for _, v := range wanted {
		for _, dim := range v.Dims() {
			dims[dim.Name] = true
		}
		var err error
		switch {
		case !x.reduces(v):
			err = x.copy(ctx, v)
		case v.stored.coding == nil && v.Array().DType() != dtype.Type(dtype.Bool), v.stored.delta == 0 && x.meaningless(v):
			if x.r.Vars != nil {
				return fault.Newf(fault.Type, "variable %s: the operation %v does not accept the data type %v with units %v", v.Name(), x.r.Op, v.Array().DType(), v.stored.attrs["units"])
			}
			x.left = append(x.left, fmt.Sprintf("variable %s is left out: the operation %v does not accept its values", v.Name(), x.r.Op))
		default:
			err = x.reduce(v, x.r.Op, w)
		}
		if err != nil {
			return fmt.Errorf("variable %s: %w", v.Name(), err)
		}
	}
	for _, v := range x.d.Coords() {
		if !slices.ContainsFunc(v.Dims(), func(dim Dim) bool { return !dims[dim.Name] }) {
			if err := x.coordinate(ctx, v); err != nil {
				return fmt.Errorf("coordinate %s: %w", v.Name(), err)
			}
		}
	}
	for _, dim := range slices.Sorted(maps.Keys(x.by)) {
		if g := x.by[dim]; g.period != 0 && dims[dim] {
			if err := x.periods(g); err != nil {
				return err
			}
		}
	}
	return nil
}

// wanted returns the data variables of the result: without bounds of coordinates that are reduced,
// and with the grid mappings of the others.
func (x *reducing) wanted() (list []*Variable, err error) {
	if x.r.Vars == nil {
		bounds := x.d.boundaries()
		return slices.DeleteFunc(x.d.Vars(), func(v *Variable) bool { return bounds[v.name] && x.reduces(v) }), nil
	}
	names := slices.Clone(x.r.Vars)
	for i := 0; i < len(names); i++ {
		v, err := x.d.Var(names[i])
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if grid, ok := v.stored.attrs["grid_mapping"].(string); ok && x.d.vars[grid] != nil && !slices.Contains(names, grid) {
			names = append(names, grid)
		}
	}
	return list, nil
}

// meaningless reports whether the operation has no meaning for a variable of times.
func (x *reducing) meaningless(v *Variable) bool {
	if v.stored.coding == nil {
		return false
	}
	_, times := v.stored.coding.Units()
	return times && (x.r.Op == Sum || x.r.Op == Std)
}

// id returns the ID of the work: a hash of what determines the objects that it writes.
func (x *reducing) id(docs map[string]string) string {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%+v %d %s %+v\n", x.r, x.o.Memory, x.versions, x.d.chosen)
	for _, key := range slices.Sorted(maps.Keys(docs)) {
		_, _ = fmt.Fprintf(sum, "%q %q\n", key, docs[key])
	}
	for _, key := range slices.Sorted(maps.Keys(x.source)) {
		_, _ = fmt.Fprintf(sum, "%q %q\n", key, x.source[key])
	}
	return hex.EncodeToString(sum.Sum(nil))[:32]
}

// unchanged checks that the source is as it was read.
func (x *reducing) unchanged(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(x.d.vars)) {
		a := x.d.vars[name].array
		if _, used := x.source[name]; !used {
			continue
		}
		now, err := a.Stored(ctx)
		if err != nil {
			return err
		}
		var text []byte
		if b, ok := now.(*zarr.Array); ok {
			if text, err = metadataOf(b); err != nil {
				return err
			}
		}
		if string(text) != string(x.source[name]) {
			return fault.Newf(fault.Conflict, "the metadata of the array %q changed meanwhile", a.Path())
		}
	}
	now, err := x.versionsOf(ctx)
	if err == nil && now != x.versions {
		err = fault.Newf(fault.Conflict, "the elements of the dataset changed meanwhile")
	}
	return err
}

func (x *reducing) progress(f func(done, tasks int)) func(int) {
	if f == nil {
		return nil
	}
	var mu sync.Mutex
	done := 0
	return func(n int) {
		mu.Lock()
		defer mu.Unlock()
		done += n
		f(done, len(x.tasks))
	}
}
