package blob

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// PutParts implements store.PartPutter. Without a hook it returns errors.ErrUnsupported.
func (s *Store) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	h := s.opt.hooks.PutParts
	if h == nil {
		return nil, errors.ErrUnsupported
	}
	if err := s.begin(ctx, "put", key); err != nil {
		return nil, err
	}
	p, err := h(ctx, key, o)
	if err != nil {
		return nil, s.failed(ctx, "put", key, err)
	}
	return &parts{s, key, p}, nil
}

// parts wraps the Parts that a hook returned, and converts their errors like the errors of the
// hook.
type parts struct {
	s   *Store
	key string
	p   store.Parts
}

func (p *parts) Limits() store.PartLimits { return p.p.Limits() }
func (p *parts) Token() string            { return p.p.Token() }

func (p *parts) Sent(ctx context.Context) ([]store.PartInfo, error) {
	if err := p.s.ready(ctx, "put", p.key); err != nil {
		return nil, err
	}
	sent, err := p.p.Sent(ctx)
	if err != nil {
		return nil, p.s.failed(ctx, "put", p.key, err)
	}
	return sent, nil
}

func (p *parts) Part(ctx context.Context, n int, b []byte) error {
	if err := p.s.ready(ctx, "put", p.key); err != nil {
		return err
	}
	if err := p.p.Part(ctx, n, b); err != nil {
		return p.s.failed(ctx, "put", p.key, err)
	}
	return nil
}

func (p *parts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	if err := p.s.ready(ctx, "put", p.key); err != nil {
		return "", err
	}
	if o.IfAbsent && o.IfVersion != "" {
		return "", p.s.fail("put", p.key, fault.Newf(fault.Selection, "IfAbsent and IfVersion cannot be combined"))
	}
	v, err := p.p.Commit(ctx, o)
	if err != nil {
		return "", p.s.pinned(p.s.failed(ctx, "put", p.key, err), o.IfVersion)
	}
	return v, nil
}

func (p *parts) Abort(ctx context.Context) error {
	if err := p.p.Abort(ctx); err != nil {
		return p.s.failed(ctx, "put", p.key, err)
	}
	return nil
}
