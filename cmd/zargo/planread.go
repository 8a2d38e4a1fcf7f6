package main

import (
	"io"
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

// printPlan prints the requests of the command. sent are all requests except those of data.
func (f *readPlanFlags) printPlan(out io.Writer, sent store.Amount, data *reads, asJSON bool) error {
	all := planned{fixed(sent), data.sum}
	if asJSON {
		return render.JSON(out, all.info(f.priceFlags))
	}
	return all.print(out, f.priceFlags)
}
