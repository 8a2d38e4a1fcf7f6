package blob

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Copy implements store.Copier. Without a hook it returns errors.ErrUnsupported: the portable API
// does not support conditions of copies, and does not distinguish an absent source from a missing
// bucket.
func (s *Store) Copy(ctx context.Context, from, to string, o store.CopyOptions) (store.Version, error) {
	h := s.opt.hooks.Copy
	if h == nil {
		return "", errors.ErrUnsupported
	}
	for _, key := range []string{from, to} {
		if err := s.begin(ctx, "copy", key); err != nil {
			return "", err
		}
	}
	if o.IfAbsent && o.IfVersion != "" {
		return "", s.fail("copy", to, fault.Newf(fault.Selection, "IfAbsent and IfVersion cannot be combined"))
	}
	v, err := h(ctx, from, to, o)
	if err != nil {
		key := from
		if errors.Is(err, fault.Exists) {
			key = to
		}
		return "", s.pinned(s.failed(ctx, "copy", key, err), o.FromVersion)
	}
	return v, nil
}
