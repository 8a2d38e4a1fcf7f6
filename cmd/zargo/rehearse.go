package main

import (
	"context"
	"sync"

	"github.com/zargo-io/zargo/internal/copying/rehearsal"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// rehearse makes stores that are opened from now on keep all changes in memory. The report of the
// run counts only the requests that are sent.
func (s *session) rehearse() {
	r := &rehearsed{stores: map[string]*rehearsal.Store{}}
	s.rehearsed = r
	count := zarr.WithReport(&r.report)
	for scheme, open := range s.stores {
		s.stores[scheme] = func(ctx context.Context, l openurl.Location) (store.Store, error) {
			st, err := open(ctx, l)
			if err != nil {
				return nil, err
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			dry := rehearsal.New(st)
			if first := r.stores[l.URL()]; first != nil {
				dry = first.With(st)
			} else {
				r.stores[l.URL()] = dry
			}
			st, _ = count.Count(dry)
			return st, nil
		}
	}
}

// rehearsed is a dry run of a command that writes. The command runs to its end in stores that keep
// documents and labels in memory. The writes of other elements are planned. It is safe for
// concurrent use.
type rehearsed struct {
	report zarr.Report // the requests that the command itself would send, except for planned writes

	mu     sync.Mutex
	stores map[string]*rehearsal.Store // by location
	found  *store.Amount               // the requests before the data, see foundOut; or nil
	data   bounds                      // of the planned writes
}

// runOrPlan runs a command that writes. A dry run rehearses the command and prints its requests.
func (s *session) runOrPlan(ctx context.Context, dry bool, f priceFlags, run func(context.Context, *session) error) error {
	if err := f.checkDry(dry); err != nil {
		return err
	}
	if !dry {
		return run(ctx, s)
	}
	s.rehearse()
	if err := run(ctx, s); err != nil {
		return err
	}
	return s.rehearsed.planned().print(s.out, f)
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
		r.add(p.Bounds())
	}
	return nil
}

// add adds planned requests of the data.
func (r *rehearsed) add(least, most store.Amount) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.data = r.data.and(bounds{least, most})
}

// foundOut records that all requests from now on are those of the data. Without this call, all
// requests except for planned writes are those around the data.
func (s *session) foundOut() {
	if r := s.rehearsed; r != nil {
		found := r.report.Amount()
		r.found = &found
	}
}

// planned returns the requests of the command.
func (r *rehearsed) planned() planned {
	sent := r.report.Amount()
	all := fixed(sent)
	for _, st := range r.stores {
		fewer, more := st.Inexact()
		all.least, all.most = all.least.Sub(fewer), all.most.Add(more)
	}
	if r.found == nil {
		return planned{all, r.data}
	}
	data := bounds{all.least.Sub(*r.found), all.most.Sub(*r.found)}
	return planned{fixed(*r.found), data.and(r.data)}
}
