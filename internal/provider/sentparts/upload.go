package sentparts

import (
	"context"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Upload sends, lists and joins the parts of one value at a provider. The methods have the
// contracts of the corresponding methods of store.Parts, but need not check arguments or the state
// of the upload, because [Parts] does so before it calls them.
type Upload[At any] interface {
	Limits() store.PartLimits
	Token() string
	// Send sends part n and returns its location.
	Send(ctx context.Context, n int, b []byte) (At, error)
	// List returns the stored parts.
	List(ctx context.Context) (List[At], error)
	// Join stores the concatenation of the parts as the value of the key.
	Join(ctx context.Context, all []Part[At], o store.PutOptions) (store.Version, error)
	// Drop removes the stored parts.
	Drop(ctx context.Context) error
}

// List is a listing of the stored parts of an upload.
type List[At any] struct {
	Parts map[int]Part[At]
	Sums  map[int]string // checksums in the form of store.PartInfo
	Label int            // greatest label of a part; 0 without labels
}

// Parts returns a store.Parts for an Upload. set is the set of its parts.
//
// grouped means that the provider keeps the parts of an upload together. Such a provider rejects
// parts of an upload that was committed or aborted, and can store an upload without parts. If
// grouped is false, the parts of a resumed upload are listed before another part is sent.
func Parts[At any](u Upload[At], set *Set[At], grouped bool) store.Parts {
	return &parts[At]{u, set, grouped}
}

type parts[At any] struct {
	u       Upload[At]
	set     *Set[At]
	grouped bool
}

func (p *parts[At]) Limits() store.PartLimits { return p.u.Limits() }
func (p *parts[At]) Token() string            { return p.u.Token() }

func (p *parts[At]) Part(ctx context.Context, n int, b []byte) error {
	size, l := int64(len(b)), p.u.Limits()
	if n < 0 || n >= l.Parts {
		return fault.Newf(fault.Limit, "part must be 0 to %d, is %d", l.Parts-1, n)
	}
	if size > l.Max {
		return fault.Newf(fault.Limit, "part has %d bytes, more than the maximum of %d", size, l.Max)
	}
	if err := p.ready(ctx, !p.grouped); err != nil {
		return err
	}
	at, err := p.u.Send(ctx, n, b)
	if err != nil {
		return err
	}
	p.set.Sent(n, Part[At]{Size: size, Sent: size, At: at})
	return nil
}

// ready checks that the upload was not committed or aborted. If list is true, it also lists the
// parts of a resumed upload that were not listed before.
func (p *parts[At]) ready(ctx context.Context, list bool) error {
	err := p.set.Going()
	if err == nil && list && p.set.Unlisted() {
		_, err = p.Sent(ctx)
	}
	return err
}

func (p *parts[At]) Sent(ctx context.Context) ([]store.PartInfo, error) {
	if err := p.set.Going(); err != nil {
		return nil, err
	}
	l, err := p.u.List(ctx)
	if err != nil {
		return nil, err
	}
	if p.grouped && len(l.Parts) == 0 && p.set.Unlisted() {
		p.set.Known()
	}
	if err := p.set.Listed(l.Parts, l.Label); err != nil {
		return nil, err
	}
	sent := make([]store.PartInfo, 0, len(l.Parts))
	for _, n := range slices.Sorted(maps.Keys(l.Parts)) {
		sent = append(sent, store.PartInfo{N: n, Size: l.Parts[n].Size, Sum: l.Sums[n]})
	}
	return sent, nil
}

func (p *parts[At]) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	if err := p.ready(ctx, true); err != nil {
		return "", err
	}
	all, err := p.set.Parts()
	if err != nil {
		return "", err
	}
	v, err := p.u.Join(ctx, all, o)
	if err != nil {
		return "", err
	}
	p.set.End()
	return v, nil
}

func (p *parts[At]) Abort(ctx context.Context) error {
	if p.set.Over() {
		return nil
	}
	if err := p.u.Drop(ctx); err != nil {
		return err
	}
	p.set.End()
	return nil
}
