package serve

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/store"
)

// source is a served dataset with its state.
type source struct {
	Dataset             // its Store counts in the account of the request
	values  store.Store // Store below Path
	every   time.Duration

	typical atomic.Int64 // bytes to reserve for a value of unknown length

	opened       fresh[*dataset.Dataset]
	consolidated fresh[[]byte]
	views        map[string]*fresh[*source] // by name
}

func newSource(d Dataset, every time.Duration) (*source, error) {
	d.Store = counted(d.Store)
	src := &source{Dataset: d, values: d.Store, every: every, views: map[string]*fresh[*source]{}}
	src.typical.Store(firstPiece)
	for name := range d.Views {
		src.views[name] = &fresh[*source]{}
	}
	if d.Path == "" {
		return src, nil
	}
	var err error
	src.values, err = store.Prefix(d.Store, d.Path)
	return src, err
}

// open returns the opened dataset, as Options.Refresh demands.
func (src *source) open(ctx context.Context) (*dataset.Dataset, error) {
	return src.opened.current(ctx, src.every, func(ctx context.Context, d *dataset.Dataset) (*dataset.Dataset, error) {
		if d != nil {
			return d.Refresh(ctx)
		}
		return dataset.Open(ctx, src.Store, src.Path, src.Options, src.Zarr...)
	})
}

// view returns the source of a view. ok is false if the dataset has no such view.
func (src *source) view(ctx context.Context, name string) (view *source, ok bool, err error) {
	open, ok := src.Views[name]
	if !ok {
		return nil, false, nil
	}
	view, err = src.views[name].current(ctx, src.every, func(ctx context.Context, old *source) (*source, error) {
		if old != nil {
			if r, ok := old.values.(refresher); ok {
				return old, r.Refresh(ctx)
			}
		}
		st, err := open(ctx, src.values)
		if err != nil {
			return nil, err
		}
		// The requests to the source are counted below the view.
		view := &source{Dataset: Dataset{ID: src.ID, Store: st, Zarr: src.Zarr, Options: src.Options}, values: st, every: src.every}
		view.typical.Store(firstPiece)
		return view, nil
	})
	return view, true, err
}

// longer notes that a value, or a part of one, is longer than expected.
func (src *source) longer(n int64) {
	for {
		most := src.typical.Load()
		if min(n, piece) <= most || src.typical.CompareAndSwap(most, min(n, piece)) {
			return
		}
	}
}

// The lengths of pieces in which values are read and sent. firstPiece is reserved for the first value
// of a dataset; the later ones reserve the longest so far. piece is long enough that the time of a
// request to a bucket is short beside that of the transfer.
const (
	firstPiece = 1 << 20
	piece      = 4 << 20
)

// refresher is a store that can be made current without being opened again, which keeps its caches.
type refresher interface {
	Refresh(ctx context.Context) error
}
