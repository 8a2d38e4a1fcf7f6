package zarr

import (
	"context"
	"errors"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/shard"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// stored fetches what is there of the object before a part of it is written. A shard with so much unused space that it is
// longer than any encoder makes one is read in parts, and given without that space.
func (w *chunkWriter) stored(ctx context.Context, buf *buffer) (store.Value, error) {
	if err := w.allow.take(1); err != nil {
		return store.Value{}, err
	}
	v, err := w.a.get(ctx, w.c, w.f.Key, buf)
	if w.layout == nil || !errors.Is(err, errTooLong) {
		return v, err
	}
	if v, err = w.compact(ctx, buf); errors.Is(err, errWhole) {
		if err = w.allow.take(1); err == nil {
			v, err = w.a.fetch(ctx, w.c, w.f.Key, buf, w.a.longestShard(w.c))
		}
	}
	if err == nil {
		w.a.cfg.report.chunks(1, 0)
	}
	return v, err
}

// compact reads the inner chunks of a shard as its index tells, all of one version, and makes a shard of them without unused
// space; fault.Conflict when the shard was replaced meanwhile.
func (w *chunkWriter) compact(ctx context.Context, buf *buffer) (store.Value, error) {
	a := w.a
	if err := w.allow.take(1); err != nil {
		return store.Value{}, err
	}
	x, err := a.loadIndex(ctx, w.c, w.f.Key, "")
	if err != nil {
		return store.Value{}, err
	}
	cut := w.layout.All()
	p, err := cut.Plan(x.ShardIndex)
	if err != nil {
		return store.Value{}, err
	}
	var total int64
	most := a.longestShard(w.c)
	for _, rd := range p.Reads {
		for _, k := range rd.Chunks {
			// Inner chunks may share bytes, and are written without.
			if total += k.Len; k.Len > most || total > most {
				return store.Value{}, fault.Newf(fault.Limit, "the inner chunks of the shard have more than %d bytes", most)
			}
		}
	}
	hold, err := w.op.Acquire(ctx, total)
	if err != nil {
		return store.Value{}, err
	}
	defer hold.Release()
	if err := w.allow.take(len(p.Reads)); err != nil {
		return store.Value{}, err
	}
	r := &shardReader{a: a, op: w.op}
	o := &object{key: w.f.Key, version: x.version}
	found := make([][]byte, x.Len()) // by place in the index
	err = concurrency.Each(ctx, a.inFlight(), slices.Values(p.Reads), func(ctx context.Context, rd shard.Read) error {
		return r.pinned(ctx, o, rd, func(_ context.Context, b []byte) error {
			for _, k := range rd.Chunks {
				at := k.Off - rd.Off
				found[w.layout.Place(cut.Box(k.I).Coord)] = slices.Clone(b[at : at+k.Len])
			}
			return nil
		})
	})
	if err != nil {
		return store.Value{}, err
	}
	buf.b, _, err = w.layout.Pack(buf.b[:0], func(dst []byte, place int) ([]byte, error) { return append(dst, found[place]...), nil })
	return store.Value{Bytes: buf.b, Size: x.Size(), Version: x.version}, err
}
