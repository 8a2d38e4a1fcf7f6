package retry

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// PutParts implements [store.PartPutter] if the store below does. If the response to the start of
// an upload is lost, another upload is started. The store's clean-up of unfinished uploads removes
// the first one.
func (s *Store) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	pp, ok := s.Store.(store.PartPutter)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	p := &parts{s: s, key: key, seed: maphash.MakeSeed(), sent: map[int]sum{}, listed: o.Resume == ""}
	err := s.run("put", key).do(ctx, func(ctx context.Context) (err error) {
		p.below, err = pp.PutParts(ctx, key, o)
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

	mu     sync.Mutex
	sent   map[int]sum
	listed bool // set if sent includes the parts of other processes
}

// sum identifies a part. A seeded hash of 64 bits suffices to distinguish the writes of this
// process from others, because an attacker does not know the seed. For a part that another process
// sent, only the provider's checksum is known, if there is one.
type sum struct {
	size  int64
	hash  uint64
	other bool   // sent by another process
	sum   string // the provider's checksum
}

func (p *parts) sum(b []byte) sum { return sum{size: int64(len(b)), hash: maphash.Bytes(p.seed, b)} }

// errUnknown is the error for a part of another process without a checksum.
var errUnknown = fault.Newf(fault.Unavailable, "a part that another process sent has no checksum to compare")

// holds reports whether b contains the bytes of the part with sum s.
func (p *parts) holds(b []byte, s sum) (bool, error) {
	if !s.other {
		return p.sum(b) == s, nil
	}
	same, known := store.PartInfo{Size: s.size, Sum: s.sum}.Holds(b)
	if !known {
		return false, errUnknown
	}
	return same, nil
}

func (p *parts) Limits() store.PartLimits { return p.below.Limits() }
func (p *parts) Token() string            { return p.below.Token() }

func (p *parts) Sent(ctx context.Context) (sent []store.PartInfo, err error) {
	err = p.s.run("put", p.key).do(ctx, func(ctx context.Context) error {
		sent, err = p.below.Sent(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range sent {
		if _, own := p.sent[s.N]; !own {
			p.sent[s.N] = sum{size: s.Size, other: true, sum: s.Sum}
		}
	}
	p.listed = true
	return sent, nil
}

func (p *parts) Part(ctx context.Context, n int, b []byte) error {
	err := p.s.run("put", p.key).do(ctx, func(ctx context.Context) error { return p.below.Part(ctx, n, b) })
	if err == nil {
		p.mu.Lock()
		p.sent[n] = p.sum(b)
		p.mu.Unlock()
	}
	return err
}

func (p *parts) Abort(ctx context.Context) error {
	return p.s.run("put", p.key).do(ctx, func(ctx context.Context) error { return p.below.Abort(ctx) })
}

// Commit sends the commit until it succeeds or fails. If an attempt was applied, the next one fails
// because the parts are gone. After a lost response, Commit therefore reads the value back on any
// failure.
func (p *parts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	w := write{run: p.s.run("put", p.key), o: o, once: true}
	if err := w.check(); err != nil {
		return "", err
	}
	p.mu.Lock()
	listed := p.listed
	p.mu.Unlock()
	if !listed { // the parts cannot be listed after the commit
		if _, err := p.Sent(ctx); err != nil {
			return "", err
		}
	}
	v, err := w.do(ctx, func(ctx context.Context) (store.Version, error) {
		return p.below.Commit(ctx, o)
	}, func() (store.Version, bool, error) {
		return p.look(w.look(ctx), o.IfVersion)
	})
	if w.read {
		_ = p.below.Abort(ctx) // the store below missed the response, so it may still hold parts
	}
	return v, err
}

// look reports whether the value of the key consists of the sent parts. It reads one part at a
// time, and returns fault.Unchanged if the value has the version previous.
func (p *parts) look(get getter, previous store.Version) (store.Version, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	total := int64(0)
	for _, s := range p.sent {
		total += s.size
	}
	o := store.GetOptions{IfNotVersion: previous, Max: 1}
	if total > 0 {
		o.Range = store.Within(total-1, 1)
	}
	v, err := get(p.key, o, nil)
	if errors.Is(err, fault.Corrupt) { // the value is shorter than the parts
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
			return "", false, nil // the parts have a gap and are not a value
		}
		if s.size == 0 {
			continue
		}
		v, err := get(p.key, store.GetOptions{Range: store.Within(off, s.size), IfVersion: version}, buf[:0])
		if errors.Is(err, fault.Conflict) {
			return "", false, nil // the value was replaced in the meantime
		}
		if err != nil {
			return "", false, err
		}
		if same, err := p.holds(v.Bytes, s); err != nil || !same {
			return "", false, err
		}
		buf, off = v.Bytes, off+s.size
	}
	return version, true, nil
}
