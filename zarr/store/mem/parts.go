package mem

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// PutParts implements [store.PartPutter]. A part may have any size.
func (s *Store) PutParts(ctx context.Context, key string) (store.Parts, error) {
	if err := check(ctx, key); err != nil {
		return nil, failed("put", key, err)
	}
	return &parts{store: s, key: key, parts: map[int][]byte{}}, nil
}

type parts struct {
	store *Store
	key   string

	mu    sync.Mutex
	parts map[int][]byte // nil after Commit or Abort
}

func (p *parts) MinPart() int { return 1 }

func (p *parts) Part(ctx context.Context, n int, b []byte) error {
	if err := ctx.Err(); err != nil {
		return failed("put", p.key, err)
	}
	if n < 0 {
		return failed("put", p.key, fault.Newf(fault.Selection, "part %d", n))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.parts == nil {
		return failed("put", p.key, fault.Newf(fault.Selection, "part %d comes after the end", n))
	}
	p.parts[n] = slices.Clone(b)
	return nil
}

func (p *parts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	if err := ctx.Err(); err != nil {
		return "", failed("put", p.key, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.parts == nil {
		return "", failed("put", p.key, fault.Newf(fault.Selection, "it was committed or aborted before"))
	}
	all := make([][]byte, len(p.parts))
	for n, b := range p.parts {
		if n >= len(all) {
			return "", failed("put", p.key, fault.Newf(fault.Selection, "part %d of %d: one before it is missing", n, len(all)))
		}
		all[n] = b
	}
	version, err := p.store.set(p.key, bytes.Join(all, nil), o)
	if err != nil {
		return "", failed("put", p.key, err)
	}
	p.parts = nil
	return version, nil
}

func (p *parts) Abort(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parts = nil
	return nil
}
