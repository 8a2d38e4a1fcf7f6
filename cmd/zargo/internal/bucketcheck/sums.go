package bucketcheck

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/provider/damaged"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func checksums(ctx context.Context, b *bench) outcome {
	var put damaged.Put
	if !store.As(b.root, &put) {
		return outcome{Unknown, "the store has no way to send a wrong checksum", nil}
	}
	const key = "damaged"
	b.mu.Lock()
	b.wrote[key] = true
	b.mu.Unlock()
	err := put(ctx, b.o.Place+"/"+key, pattern(kib, 57))
	if err != nil && !errors.Is(err, fault.Corrupt) {
		return because("put", err)
	}
	_, gone := b.s.Get(ctx, key, store.GetOptions{}, nil)
	switch {
	case err == nil:
		return fails("the value was stored")
	case gone == nil:
		return fails("the value was refused but stored")
	}
	return holds("refused, and not stored")
}
