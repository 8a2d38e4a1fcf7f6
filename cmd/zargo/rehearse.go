package main

import (
	"context"
	"sync"

	"github.com/zargo-io/zargo/internal/rehearsal"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// rehearsed is a dry run of a command that writes. The command runs to its end in stores that keep
// documents and labels in memory. The writes of other elements are planned. It is safe for
// concurrent use.
type rehearsed struct {
	report zarr.Report // the requests that the command itself would send, except for planned writes

	mu     sync.Mutex
	stores []*rehearsal.Store
	data   bounds // of the planned writes
}

// rehearse makes stores that are opened from now on keep all changes in memory. The report of the
// run counts only the requests that are sent.
func (s *session) rehearse() {
	r := &rehearsed{}
	s.rehearsed = r
	count := zarr.ReportTo(&r.report)
	for scheme, open := range s.stores {
		s.stores[scheme] = func(ctx context.Context, l openurl.Location) (store.Store, error) {
			st, err := open(ctx, l)
			if err != nil {
				return nil, err
			}
			dry := rehearsal.New(st)
			r.mu.Lock()
			r.stores = append(r.stores, dry)
			r.mu.Unlock()
			st, _ = count.Count(dry)
			return st, nil
		}
	}
}

// write plans a write of a region of an array, whose elements have at most the given size.
func (r *rehearsed) write(ctx context.Context, a *zarr.Array, where region, each int) error {
	bands, err := bandsToWrite(ctx, a, where, each)
	if err != nil {
		return err
	}
	for b := range bands {
		p, err := a.PlanWrite(b.selections()...)
		if err != nil {
			return err
		}
		least, most := p.Bounds()
		r.mu.Lock()
		r.data = r.data.and(bounds{least, most})
		r.mu.Unlock()
	}
	return nil
}

// planned returns the requests of the command.
func (r *rehearsed) planned() planned {
	found := fixed(r.report.Amount())
	for _, st := range r.stores {
		found.most.Gets += st.Conditional()
	}
	return planned{found, r.data}
}
