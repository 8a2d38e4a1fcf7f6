package large

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
)

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if s.o.PartAbove <= 0 || int64(len(value)) < s.o.PartAbove || o.IfAbsent && o.IfVersion != "" {
		return s.Store.Put(ctx, key, value, o)
	}
	p, err := store.PutParts(ctx, s.Store, key, store.PartsOptions{})
	if errors.Is(err, errors.ErrUnsupported) {
		return s.Store.Put(ctx, key, value, o)
	}
	if err != nil {
		return "", err
	}
	parts := partsOf(int64(len(value)), s.o.Piece, p.Limits())
	err = concurrency.EachN(ctx, s.o.InFlight, parts.count, func(ctx context.Context, i int) error {
		from, to := parts.span(i)
		return p.Part(ctx, i, value[from:to:to])
	})
	var v store.Version
	if err == nil {
		v, err = p.Commit(ctx, o)
	}
	if err != nil {
		return "", s.failed(ctx, "put", key, dropped(ctx, p, err))
	}
	return v, nil
}

// usual is the maximum number of parts of the usual length. If a value would have more parts, its
// parts become longer.
const usual = 1000

// removal limits the time for removing the parts after a failed Put. It is enough for one request
// and some retries. Put waits for the removal even if its context has ended.
const removal = 10 * time.Second

// dropped removes the parts of a failed upload and returns err.
func dropped(ctx context.Context, p store.Parts, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removal)
	defer cancel()
	if left := p.Abort(ctx); left != nil {
		return fmt.Errorf("%w (its parts could not be removed: %v)", err, left)
	}
	return err
}

// partsOf divides a value of at least one byte into parts within the limits of the store. The
// result depends only on the arguments.
func partsOf(total, piece int64, l store.PartLimits) pieces {
	each := max(piece, (total-1)/usual+1, l.Min)
	if l.Parts > 0 {
		each = max(each, (total-1)/int64(l.Parts)+1)
	}
	return pieces{total, each, int((total-1)/each + 1)}
}
