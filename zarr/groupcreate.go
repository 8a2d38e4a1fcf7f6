package zarr

import (
	"context"

	arrayspec "github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// OpenOrCreateGroup opens the group at path if the group and its arrays exist. Otherwise it creates
// the missing nodes, and the group's consolidated metadata. The map arrays contains the Spec of
// each array by its path relative to the group. Arrays have the group's format unless their Spec
// sets one. Only Format and Attrs of spec may be set, as for [CreateGroup].
//
//	g, err := zarr.OpenOrCreateGroup(ctx, st, "weather", zarr.Spec{}, map[string]zarr.Spec{
//		"t2m": {
//			Shape: []int{0, 180, 360}, Chunks: []int{24, 180, 360}, DType: dtype.Float32,
//			Dims: []string{"time", "lat", "lon"},
//		},
//		"time": {
//			Shape: []int{0}, Chunks: []int{24 * 365}, DType: dtype.Int64,
//			Dims: []string{"time"},
//		},
//	})
//
// Concurrent callers all succeed and open the same group. The next call completes the work of a
// caller that was killed. If everything exists, the cost is that of [OpenGroup].
//
// An existing node must agree with its Spec; otherwise OpenOrCreateGroup returns ErrExists, and the
// error names the difference. Attributes may differ, because they may have been set since. An axis
// of length 0 in the Spec agrees with any length, because rows may have been appended since. Other
// nodes of the group are not changed.
func OpenOrCreateGroup(ctx context.Context, st store.Store, path string, spec Spec, arrays map[string]Spec, opts ...Option) (*Group, error) {
	at, cfg, err := place(st, path, opts)
	if err != nil {
		return nil, err
	}
	if err := spec.ofGroup(); err != nil {
		return nil, at.Errorf(err)
	}
	specs := map[string]arrayspec.Spec{} // by path relative to the group
	for path, s := range arrays {
		p, err := meta.NormalizePath(path)
		if err == nil && p == "" {
			err = fault.Newf(fault.Selection, "the path of an array must not be empty")
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
	return newNode(at, cfg).(*Group), nil
}
