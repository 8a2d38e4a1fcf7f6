package mem

import (
	"context"

	"github.com/zargo-io/zargo/zarr/store"
)

// Copy implements [store.Copier]. The two keys share the bytes of the value, because writes never
// modify bytes in place.
func (s *Store) Copy(ctx context.Context, from, to string, o store.CopyOptions) (store.Version, error) {
	if err := check(ctx, from); err != nil {
		return "", failed("copy", from, err)
	}
	if err := check(ctx, to); err != nil {
		return "", failed("copy", to, err)
	}
	v, err := s.lookup(from, store.GetOptions{IfVersion: o.FromVersion})
	if err != nil {
		return "", failed("copy", from, err)
	}
	version, err := s.set(to, v.bytes, store.PutOptions{IfAbsent: o.IfAbsent, IfVersion: o.IfVersion})
	if err != nil {
		return "", failed("copy", to, err)
	}
	return version, nil
}
