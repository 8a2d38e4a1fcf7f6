package retry

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// PutParts implements [store.PartPutter] where the store below does. A begin whose answer was lost is begun again; the
// first one is then left to the store's own clean-up of unfinished uploads.
func (s *Store) PutParts(ctx context.Context, key string) (store.Parts, error) {
	pp, ok := s.s.(store.PartPutter)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	p := &parts{s: s, key: key, seed: maphash.MakeSeed(), sent: map[int]sum{}}
	err := s.run("put", key).do(ctx, func() (err error) {
		p.below, err = pp.PutParts(ctx, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

type parts struct {
	s     *Store
	key   string
	below store.Parts
	seed  maphash.Seed

	mu   sync.Mutex
	sent map[int]sum
}

// sum is what is kept of a part to know it again. 64 bits of a seeded hash are enough to tell our own write from
// another's; nobody who could make them collide knows the seed.
type sum struct {
	size int
	hash uint64
}

func (p *parts) sum(b []byte) sum { return sum{len(b), maphash.Bytes(p.seed, b)} }

func (p *parts) MinPart() int { return p.below.MinPart() }

func (p *parts) Part(ctx context.Context, n int, b []byte) error {
	err := p.s.run("put", p.key).do(ctx, func() error { return p.below.Part(ctx, n, b) })
	if err == nil {
		p.mu.Lock()
		p.sent[n] = p.sum(b)
		p.mu.Unlock()
	}
	return err
}

func (p *parts) Abort(ctx context.Context) error {
	return p.s.run("put", p.key).do(ctx, func() error { return p.below.Abort(ctx) })
}

// Commit is harmless twice only if the first was not applied: then the parts are gone and the second fails in a way of
// its own. So whatever follows a lost answer is settled by reading back.
func (p *parts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	w := write{run: p.s.run("put", p.key), o: o, once: true}
	if err := w.check(); err != nil {
		return "", err
	}
	return w.do(ctx, func() (store.Version, error) {
		return p.below.Commit(ctx, o)
	}, func() (store.Version, bool, error) {
		return p.look(w.look(ctx), o.IfVersion)
	})
}

// look tells whether the key holds the parts, comparing one part at a time. not is a version that it is not to be at.
func (p *parts) look(get getter, not store.Version) (store.Version, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	total := int64(0)
	for _, s := range p.sent {
		total += int64(s.size)
	}
	o := store.GetOptions{IfNotVersion: not, Max: 1}
	if total > 0 {
		o.Range = store.Within(total-1, 1)
	}
	v, err := get(p.key, o, nil)
	if errors.Is(err, fault.Corrupt) { // it is shorter
		return "", false, nil
	}
	if err != nil || v.Size != total {
		return v.Version, false, err
	}
	version, off := v.Version, int64(0)
	var buf []byte
	for n := range len(p.sent) {
		s, ok := p.sent[n]
		if !ok {
			return "", false, nil // a gap: this was never a value
		}
		if s.size == 0 {
			continue
		}
		v, err := get(p.key, store.GetOptions{Range: store.Within(off, int64(s.size)), IfVersion: version}, buf[:0])
		if errors.Is(err, fault.Conflict) {
			return "", false, nil // replaced while we looked
		}
		if err != nil || p.sum(v.Bytes) != s {
			return "", false, err
		}
		buf, off = v.Bytes, off+int64(s.size)
	}
	return version, true, nil
}
