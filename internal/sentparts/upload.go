package sentparts

import (
	"context"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Upload is how a provider sends, lists and joins the parts of one value. [Parts] decides when its
// methods are called, and checks their arguments before. They follow the methods of store.Parts
// with the same meaning.
type Upload[At any] interface {
	Limits() store.PartLimits
	Token() string
	// Send sends part n, and returns where it is stored.
	Send(ctx context.Context, n int, b []byte) (At, error)
	// List returns the stored parts.
	List(ctx context.Context) (List[At], error)
	// Join makes the parts, in this order, the value of the key.
	Join(ctx context.Context, all []Part[At], o store.PutOptions) (store.Version, error)
	// Drop removes the stored parts.
	Drop(ctx context.Context) error
}

// List is a listing of the parts of a value.
type List[At any] struct {
	Parts map[int]Part[At]
	Sums  map[int]string // checksums, as store.PartInfo has them
	Label int            // the greatest label of a part; 0 where there are none
}

// Parts makes an Upload a store.Parts. set is that of the value.
//
// A provider that keeps the parts of an upload together refuses a part of an upload that is over,
// and knows an upload of which no part was sent. Of any other provider the parts are listed before
// a resumed value gets another one.
func Parts[At any](u Upload[At], set *Set[At], together bool) store.Parts {
	return &parts[At]{u, set, together}
}

type parts[At any] struct {
	u        Upload[At]
	set      *Set[At]
	together bool
}

func (p *parts[At]) Limits() store.PartLimits { return p.u.Limits() }
func (p *parts[At]) Token() string            { return p.u.Token() }

func (p *parts[At]) Part(ctx context.Context, n int, b []byte) error {
	size, l := int64(len(b)), p.u.Limits()
	if n < 0 || n >= l.Parts {
		return fault.Newf(fault.Limit, "part %d is not among the %d that a value can have", n, l.Parts)
	}
	if size > l.Max {
		return fault.Newf(fault.Limit, "%d bytes are more than the %d that a part can hold", size, l.Max)
	}
	if err := p.ready(ctx, !p.together); err != nil {
		return err
	}
	at, err := p.u.Send(ctx, n, b)
	if err != nil {
		return err
	}
	p.set.Sent(n, Part[At]{Size: size, Sent: size, At: at})
	return nil
}

// ready refuses a value that is over. With list it lists the parts of a value that another process
// began, if that was not done.
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
	if p.together && len(l.Parts) == 0 && p.set.Unlisted() {
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
