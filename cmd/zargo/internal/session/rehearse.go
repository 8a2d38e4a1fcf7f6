package session

import (
	"context"
	"sync"

	"github.com/zargo-io/zargo/cmd/zargo/internal/cost"
	"github.com/zargo-io/zargo/internal/copying/rehearsal"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// Rehearse makes stores that are opened from now on keep all changes in memory. The report of the
// run counts only the requests that are sent.
func (s *Session) Rehearse() {
	r := &Rehearsed{stores: map[string]*rehearsal.Store{}}
	s.Rehearsed = r
	count := zarr.WithReport(&r.report)
	for scheme, open := range s.Stores {
		s.Stores[scheme] = func(ctx context.Context, l openurl.Location) (store.Store, error) {
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

// Rehearsed is a dry run of a command that writes. The command runs to its end in stores that keep
// documents and labels in memory. The writes of other elements are planned. It is safe for
// concurrent use.
type Rehearsed struct {
	report zarr.Report // the requests that the command itself would send, except for planned writes

	mu     sync.Mutex
	stores map[string]*rehearsal.Store // by location
	found  *store.Amount               // the requests before the data, see FoundOut; or nil
	data   cost.Bounds                 // of the planned writes
}

// RunOrPlan runs a command that writes. A dry run rehearses the command and prints its requests.
func (s *Session) RunOrPlan(ctx context.Context, dry bool, f cost.Prices, run func(context.Context, *Session) error) error {
	if err := f.CheckDry(dry); err != nil {
		return err
	}
	if !dry {
		return run(ctx, s)
	}
	s.Rehearse()
	if err := run(ctx, s); err != nil {
		return err
	}
	return s.Rehearsed.Planned().Print(s.Out, f)
}

// Add adds planned requests of the data.
func (r *Rehearsed) Add(least, most store.Amount) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.data = r.data.And(cost.Bounds{Least: least, Most: most})
}

// FoundOut records that all requests from now on are those of the data. Without this call, all
// requests except for planned writes are those around the data.
func (s *Session) FoundOut() {
	if r := s.Rehearsed; r != nil {
		found := r.report.Amount()
		r.found = &found
	}
}

// Planned returns the requests of the command.
func (r *Rehearsed) Planned() cost.Planned {
	sent := r.report.Amount()
	all := cost.Fixed(sent)
	for _, st := range r.stores {
		fewer, more := st.Inexact()
		all.Least, all.Most = all.Least.Sub(fewer), all.Most.Add(more)
	}
	if r.found == nil {
		return cost.Planned{Found: all, Data: r.data}
	}
	data := cost.Bounds{Least: all.Least.Sub(*r.found), Most: all.Most.Sub(*r.found)}
	return cost.Planned{Found: cost.Fixed(*r.found), Data: data.And(r.data)}
}
