package retry

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Copy implements [store.Copier] if the store below does. After a lost response the copy is sent
// again. If the copy has a condition on the destination and the first attempt was applied, the
// second attempt fails, and the error says that an earlier attempt may have been applied. Copy
// cannot find out whether it was, because it does not have the bytes to compare.
func (s *Store) Copy(ctx context.Context, from, to string, o store.CopyOptions) (_ store.Version, err error) {
	c, ok := s.Store.(store.Copier)
	if !ok {
		return "", errors.ErrUnsupported
	}
	w := write{run: s.run("copy", to), o: store.PutOptions{IfAbsent: o.IfAbsent, IfVersion: o.IfVersion}}
	if err := w.check(); err != nil {
		return "", err
	}
	defer func() { w.settle(ctx, err) }()
	for {
		v, err := c.Copy(w.context(ctx), from, to, o)
		if err == nil {
			return v, nil
		}
		untouched := untouched(err)
		conflict := errors.Is(err, fault.Exists) || errors.Is(err, fault.Conflict)
		if err := w.retry(ctx, err); err != nil {
			if conflict {
				return "", w.note(err)
			}
			return "", err
		}
		w.lost = w.lost || !untouched && !w.repeatable()
	}
}
