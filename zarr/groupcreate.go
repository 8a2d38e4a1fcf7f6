package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/arrayspec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// OpenOrCreateGroup opens the group at path if it and its arrays exist, and creates what is missing
// of them, and the group's consolidated metadata. arrays are by path below the group, in its format
// unless they name one; of spec Format and Attrs are used, as for [CreateGroup].
//
//	g, err := zarr.OpenOrCreateGroup(ctx, st, "weather", zarr.Spec{}, map[string]zarr.Spec{
//		"t2m":  {Shape: []int{0, 180, 360}, Chunks: []int{24, 180, 360}, DType: dtype.Float32, Dims: []string{"time", "lat", "lon"}},
//		"time": {Shape: []int{0}, Chunks: []int{24 * 365}, DType: dtype.Int64, Dims: []string{"time"}},
//	})
//
// Any number of callers may do so at once: all of them succeed, with the same group. What a caller
// that was killed began is completed by the next one. Where everything exists it costs what
// [OpenGroup] costs.
//
// A node that exists has to agree with its Spec: ErrExists names what differs. Attributes may
// differ, as they may have been set since. An axis of length 0 in the Spec agrees with any length:
// rows may have been appended since. Nodes of the group that are not among the arrays stay as they
// are.
func OpenOrCreateGroup(ctx context.Context, st store.Store, path string, spec Spec, arrays map[string]Spec, opts ...Option) (*Group, error) {
	at, cfg, err := place(st, path, opts)
	if err != nil {
		return nil, err
	}
	if err := spec.ofGroup(); err != nil {
		return nil, at.Errorf(err)
	}
	specs := map[string]arrayspec.Spec{} // by path below the group
	for path, s := range arrays {
		p, err := meta.NormalizePath(path)
		if err == nil && p == "" {
			err = fault.Newf(fault.Selection, "an array has to have a path below the group")
		}
		if err != nil {
			return nil, at.Errorf(err)
		}
		if s.Format == 0 {
			s.Format = spec.Format
		}
		specs[p] = s.arrays()
	}
	if at, err = at.OpenOrCreateGroup(ctx, spec.Format, spec.Attrs, specs); err != nil {
		return nil, err
	}
	return made(at, cfg).(*Group), nil
}
