package main

import (
	"sync"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr/store"
)

// readPlanFlags are the flags of commands that find out what to read and then read values.
type readPlanFlags struct {
	Plan bool `help:"Print the requests and the cost, without reading values."`
	priceFlags
}

func (f *readPlanFlags) checkPlan() error {
	if f.given() && !f.Plan {
		return usagef("prices require --plan")
	}
	return f.check()
}

// reads adds up planned reads. It is safe for concurrent use.
type reads struct {
	mu  sync.Mutex
	sum bounds
}

func (r *reads) add(least, most store.Amount) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum = r.sum.and(bounds{least, most})
}

// printPlan prints the requests of the command. Until now it has sent all requests except those of
// data.
func (f *readPlanFlags) printPlan(s *session, data *reads, asJSON bool) error {
	all := planned{fixed(s.report.Amount()), data.sum}
	if asJSON {
		return render.JSON(s.out, all.info(f.priceFlags))
	}
	return all.print(s.out, f.priceFlags)
}
