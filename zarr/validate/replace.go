package validate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/large"
)

// replace overwrites an object with an object of another store. If RepairOptions.Keep is set,
// replace first copies the old object to that store. Both objects must be unchanged since their
// snapshots.
func (p *repair) replace(ctx context.Context, was snapshot, from store.Store, with snapshot) error {
	cond, err := was.condition()
	if err != nil {
		return err
	}
	if err := p.keep(ctx, was); err != nil {
		return fmt.Errorf("saving the previous object: %w", err)
	}
	return p.carry(ctx, from, with, p.st, was.key, cond)
}

// condition returns put options that require the object to be unchanged since the snapshot.
func (t snapshot) condition() (store.PutOptions, error) {
	switch {
	case !t.there:
		return store.PutOptions{IfAbsent: true}, nil
	case t.version == "":
		return store.PutOptions{}, fault.Newf(errors.ErrUnsupported, "the store has no versions, so objects cannot be replaced safely")
	}
	return store.PutOptions{IfVersion: t.version}, nil
}

// keep copies an object to RepairOptions.Keep before the object is replaced. The key contains a
// digest of the version. A repair that is repeated after it was killed therefore uses the same key.
func (p *repair) keep(ctx context.Context, was snapshot) error {
	if p.opts.Keep == nil || !was.there {
		return nil
	}
	key := fmt.Sprintf("%s~%x", was.key, sha256.Sum256([]byte(was.version)))[:len(was.key)+17]
	err := p.carry(ctx, p.st, was, p.opts.Keep, key, store.PutOptions{IfAbsent: true})
	if errors.Is(err, fault.Exists) {
		return nil
	}
	return err
}

// carry copies the object of a snapshot to another store.
func (p *repair) carry(ctx context.Context, from store.Store, t snapshot, to store.Store, key string, cond store.PutOptions) error {
	if t.bytes != nil {
		_, err := to.Put(ctx, key, t.bytes, cond)
		return err
	}
	src := readerAt(func(b []byte, off int64) (int, error) {
		v, err := from.Get(ctx, t.key, store.GetOptions{Range: store.Within(off, int64(len(b))), IfVersion: t.version}, b[:0])
		if err != nil {
			return 0, err
		}
		return copy(b, v.Bytes), nil
	})
	_, err := large.Upload(ctx, to, key, src, t.size, large.UploadOptions{Put: cond, InFlight: 2, Memory: p.opts.Limits.Bytes})
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if t.size > concurrency.Memory()/4 {
		return fault.Newf(fault.Limit, "%q has %d bytes, but the store cannot upload in parts", t.key, t.size)
	}
	hold, err := p.opts.Limits.Bytes.Acquire(ctx, concurrency.Task, concurrency.Need(int(t.size)))
	if err != nil {
		return err
	}
	defer hold.Release()
	v, err := from.Get(ctx, t.key, store.GetOptions{IfVersion: t.version, Max: t.size}, hold.Buffer(int(t.size)))
	if err == nil {
		_, err = to.Put(ctx, key, v.Bytes, cond)
	}
	return err
}

// readerAt adapts a function to io.ReaderAt.
type readerAt func(b []byte, off int64) (int, error)

func (f readerAt) ReadAt(b []byte, off int64) (int, error) { return f(b, off) }

// same reports whether two documents have equal bytes, or are both missing.
func (t snapshot) same(u snapshot) bool { return t.there == u.there && bytes.Equal(t.bytes, u.bytes) }
