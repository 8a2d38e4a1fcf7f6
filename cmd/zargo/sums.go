package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// stats holds the requests and bytes of a command. They are printed at the end of the command.
type stats struct {
	amount store.Amount
	prices priceFlags
}

// since returns the amount of a report minus an earlier amount. Deletes and parts of uploads count
// as writes, as in the bounds of a plan.
func since(r *zarr.Report, before store.Amount) store.Amount {
	return store.Amount{
		Gets:         r.Gets.Load() - before.Gets,
		Puts:         r.Puts.Load() + r.Deletes.Load() + r.Parts.Load() - before.Puts,
		BytesRead:    r.BytesRead.Load() - before.BytesRead,
		BytesWritten: r.BytesWritten.Load() - before.BytesWritten,
	}
}

// add returns a+b, or math.MaxInt64 if it overflows.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// sumsInfo is the JSON form of sums.
type sumsInfo struct {
	Requests     int64    `json:"requests"`
	Gets         int64    `json:"gets"`
	Puts         int64    `json:"puts"`
	BytesRead    int64    `json:"bytes_read"`
	BytesWritten int64    `json:"bytes_written"`
	Cost         *float64 `json:"cost,omitempty"`
}

func infoOf(s store.Amount, p priceFlags) sumsInfo {
	i := sumsInfo{Requests: add(s.Gets, s.Puts), Gets: s.Gets, Puts: s.Puts, BytesRead: s.BytesRead, BytesWritten: s.BytesWritten}
	if p.given() {
		cost := p.cost(s)
		i.Cost = &cost
	}
	return i
}

// priceFlags holds the prices of requests, in any currency.
type priceFlags struct {
	GetPrice float64 `name:"get-price" help:"Price of 1000 reads, to compute the cost." placeholder:"PRICE"`
	PutPrice float64 `name:"put-price" help:"Price of 1000 writes." placeholder:"PRICE"`
	GBPrice  float64 `name:"gb-price" help:"Price of reading 2^30 bytes." placeholder:"PRICE"`
}

func (p priceFlags) given() bool { return p != priceFlags{} }

func (p priceFlags) check() error {
	for flag, v := range map[string]float64{"--get-price": p.GetPrice, "--put-price": p.PutPrice, "--gb-price": p.GBPrice} {
		if !(v >= 0 && v < math.Inf(1)) {
			return usagef("%s must be a finite number of at least 0, is %v", flag, v)
		}
	}
	return nil
}

func (p priceFlags) cost(s store.Amount) float64 {
	return float64(s.Gets)/1000*p.GetPrice + float64(s.Puts)/1000*p.PutPrice + float64(s.BytesRead)/(1<<30)*p.GBPrice
}

// printSums prints sums as the columns of a table. heads is the header line, omitted if it is "".
func printSums(out io.Writer, p priceFlags, heads string, all ...store.Amount) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if heads != "" {
		fmt.Fprintln(w, heads)
	}
	row := func(name string, cell func(store.Amount) string) {
		fmt.Fprint(w, name)
		for _, s := range all {
			fmt.Fprint(w, "\t", cell(s))
		}
		fmt.Fprintln(w)
	}
	row("gets", func(s store.Amount) string { return fmt.Sprint(s.Gets) })
	row("puts", func(s store.Amount) string { return fmt.Sprint(s.Puts) })
	row("bytes read", func(s store.Amount) string { return render.Bytes(s.BytesRead) })
	row("bytes written", func(s store.Amount) string { return render.Bytes(s.BytesWritten) })
	if p.given() {
		row("cost", func(s store.Amount) string { return fmt.Sprintf("%.6g", p.cost(s)) })
	}
	return w.Flush()
}
