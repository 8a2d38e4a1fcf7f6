package serve

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/store"
)

// source is a served dataset with its state.
type source struct {
	Dataset             // its Store counts in the account of the request
	values  store.Store // Store below Path
	every   time.Duration

	typical atomic.Int64 // bytes to reserve for a value of unknown length

	opens  concurrency.SingleFlight[string, any]
	mu     sync.Mutex
	opened *dataset.Dataset
	at     time.Time // when opened was opened
}

func newSource(d Dataset, every time.Duration) (*source, error) {
	d.Store = counted(d.Store)
	src := &source{Dataset: d, values: d.Store, every: every}
	src.typical.Store(firstPiece)
	if d.Path == "" {
		return src, nil
	}
	var err error
	src.values, err = store.Prefix(d.Store, d.Path)
	return src, err
}

// open returns the opened dataset, and opens it if Options.Refresh demands it. Requests at the same
// time share one opening, which counts in the account of none.
func (src *source) open(ctx context.Context) (*dataset.Dataset, error) {
	src.mu.Lock()
	d, age := src.opened, time.Since(src.at)
	src.mu.Unlock()
	if d != nil && (src.every == 0 || age < src.every) {
		return d, nil
	}
	v, _, err := src.opens.Do(withAccount(ctx, nil), "", func(ctx context.Context) (any, error) {
		begun := time.Now()
		next, err := src.reopen(ctx, d)
		if err != nil {
			return nil, err
		}
		src.mu.Lock()
		defer src.mu.Unlock()
		src.opened, src.at = next, begun
		return next, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*dataset.Dataset), nil
}

func (src *source) reopen(ctx context.Context, d *dataset.Dataset) (*dataset.Dataset, error) {
	if d != nil {
		return d.Refresh(ctx)
	}
	return dataset.Open(ctx, src.Store, src.Path, src.Options, src.Zarr...)
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
