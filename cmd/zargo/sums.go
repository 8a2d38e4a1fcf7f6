package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr/store"
)

// stats holds the requests and bytes of a command. They are printed at the end of the command.
type stats struct {
	opened, read store.Amount
	prices       priceFlags
}

// bounds are the minimum and the maximum of an amount that is not exactly known.
type bounds struct{ least, most store.Amount }

// fixed returns the bounds of a known amount.
func fixed(a store.Amount) bounds { return bounds{a, a} }

// and returns the bounds of the sum of two amounts.
func (b bounds) and(c bounds) bounds { return bounds{b.least.Add(c.least), b.most.Add(c.most)} }

// planned are the requests of a command. found contains the requests around the data: for
// documents, labels, probes, claims and listings.
type planned struct{ found, data bounds }

func (p planned) all() bounds { return p.found.and(p.data) }

// sumsInfo is the JSON form of sums.
type sumsInfo struct {
	Requests     int64    `json:"requests"`
	Gets         int64    `json:"gets"`
	Puts         int64    `json:"puts"`
	Listings     int64    `json:"listings"`
	BytesRead    int64    `json:"bytes_read"`
	BytesWritten int64    `json:"bytes_written"`
	Cost         *float64 `json:"cost,omitempty"`
}

func infoOf(s store.Amount, p priceFlags) sumsInfo {
	i := sumsInfo{Requests: s.Requests(), Gets: s.Gets, Puts: s.Puts, Listings: s.Lists, BytesRead: s.BytesRead, BytesWritten: s.BytesWritten}
	if p.given() {
		cost := p.cost(s)
		i.Cost = &cost
	}
	return i
}

// boundsInfo is the JSON form of bounds.
type boundsInfo struct {
	Least sumsInfo `json:"least"`
	Most  sumsInfo `json:"most"`
}

// plannedInfo is the JSON form of planned. Its bounds are those of all requests.
type plannedInfo struct {
	Found boundsInfo `json:"to_find_out"`
	Data  boundsInfo `json:"data"`
	boundsInfo
}

func (p planned) info(of priceFlags) plannedInfo {
	info := func(b bounds) boundsInfo { return boundsInfo{infoOf(b.least, of), infoOf(b.most, of)} }
	return plannedInfo{info(p.found), info(p.data), info(p.all())}
}

// priceFlags holds the prices of requests, in any currency.
type priceFlags struct {
	GetPrice float64 `name:"get-price" help:"Price of 1000 reads, to compute the cost." placeholder:"PRICE"`
	PutPrice float64 `name:"put-price" help:"Price of 1000 writes or listings." placeholder:"PRICE"`
	GBPrice  float64 `name:"gb-price" help:"Price of reading 2^30 bytes." placeholder:"PRICE"`
}

func (p priceFlags) given() bool { return p != priceFlags{} }

// checkDry checks the flags of a command that prints its cost with --dry-run.
func (p priceFlags) checkDry(dry bool) error {
	if p.given() && !dry {
		return usagef("prices require --dry-run")
	}
	return p.check()
}

func (p priceFlags) check() error {
	for flag, v := range map[string]float64{"--get-price": p.GetPrice, "--put-price": p.PutPrice, "--gb-price": p.GBPrice} {
		if !(v >= 0 && v < math.Inf(1)) {
			return usagef("%s must be a finite number of at least 0, is %v", flag, v)
		}
	}
	return nil
}

// cost returns the cost of an amount. Providers charge a page of a listing like a write.
func (p priceFlags) cost(s store.Amount) float64 {
	return float64(s.Gets)/1000*p.GetPrice + float64(store.Amount{Puts: s.Puts, Lists: s.Lists}.Requests())/1000*p.PutPrice + float64(s.BytesRead)/(1<<30)*p.GBPrice
}

// print prints the requests as a table.
func (p planned) print(out io.Writer, of priceFlags) error {
	all := p.all()
	return printSums(out, of, "\tto find out\tdata\tat least\tat most", p.found, p.data, fixed(all.least), fixed(all.most))
}

// printSums prints bounds as the columns of a table. heads is the header line.
func printSums(out io.Writer, p priceFlags, heads string, all ...bounds) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, heads)
	row := func(name string, cell func(store.Amount) string) {
		fmt.Fprint(w, name)
		for _, s := range all {
			low, high := cell(s.least), cell(s.most)
			if low != high {
				low += " to " + high
			}
			fmt.Fprint(w, "\t", low)
		}
		fmt.Fprintln(w)
	}
	row("gets", func(s store.Amount) string { return fmt.Sprint(s.Gets) })
	row("puts", func(s store.Amount) string { return fmt.Sprint(s.Puts) })
	row("listings", func(s store.Amount) string { return fmt.Sprint(s.Lists) })
	row("bytes read", func(s store.Amount) string { return render.Bytes(s.BytesRead) })
	row("bytes written", func(s store.Amount) string { return render.Bytes(s.BytesWritten) })
	if p.given() {
		row("cost", func(s store.Amount) string { return fmt.Sprintf("%.6g", p.cost(s)) })
	}
	return w.Flush()
}

// print prints the sums in the form of a plan.
func (s *stats) print(out io.Writer) error {
	return printSums(out, s.prices, "\tto find out\tdata\tin all", fixed(s.opened), fixed(s.read), fixed(s.opened.Add(s.read)))
}
