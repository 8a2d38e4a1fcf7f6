package cost

import (
	"fmt"
	"io"
	"math"
	"sync"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr/store"
)

// Stats holds the requests and bytes of a command. They are printed at the end of the command.
type Stats struct {
	Opened, Read store.Amount
	Prices       Prices
}

// Bounds are the minimum and the maximum of an amount that is not exactly known.
type Bounds struct{ Least, Most store.Amount }

// Fixed returns the bounds of a known amount.
func Fixed(a store.Amount) Bounds { return Bounds{a, a} }

// And returns the bounds of the sum of two amounts.
func (b Bounds) And(c Bounds) Bounds { return Bounds{b.Least.Add(c.Least), b.Most.Add(c.Most)} }

// Planned are the requests of a command. Found contains the requests around the data: for
// documents, labels, probes, claims and listings.
type Planned struct{ Found, Data Bounds }

func (p Planned) all() Bounds { return p.Found.And(p.Data) }

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

func infoOf(s store.Amount, p Prices) sumsInfo {
	i := sumsInfo{Requests: s.Requests(), Gets: s.Gets, Puts: s.Puts, Listings: s.Lists, BytesRead: s.BytesRead, BytesWritten: s.BytesWritten}
	if p.Given() {
		cost := p.cost(s)
		i.Cost = &cost
	}
	return i
}

// BoundsInfo is the JSON form of bounds.
type BoundsInfo struct {
	Least sumsInfo `json:"least"`
	Most  sumsInfo `json:"most"`
}

// PlannedInfo is the JSON form of planned. Its bounds are those of all requests.
type PlannedInfo struct {
	Found BoundsInfo `json:"to_find_out"`
	Data  BoundsInfo `json:"data"`
	BoundsInfo
}

// Info returns the JSON form, with prices.
func (p Planned) Info(of Prices) PlannedInfo {
	info := func(b Bounds) BoundsInfo { return BoundsInfo{infoOf(b.Least, of), infoOf(b.Most, of)} }
	return PlannedInfo{info(p.Found), info(p.Data), info(p.all())}
}

// Prices holds the prices of requests, in any currency.
type Prices struct {
	GetPrice float64 `name:"get-price" help:"Price of 1000 reads, to compute the cost." placeholder:"PRICE"`
	PutPrice float64 `name:"put-price" help:"Price of 1000 writes or listings." placeholder:"PRICE"`
	GBPrice  float64 `name:"gb-price" help:"Price of reading 2^30 bytes." placeholder:"PRICE"`
}

// Given reports whether a price is set.
func (p Prices) Given() bool { return p != Prices{} }

// CheckDry checks the flags of a command that prints its cost with --dry-run.
func (p Prices) CheckDry(dry bool) error {
	if p.Given() && !dry {
		return exit.Usagef("prices require --dry-run")
	}
	return p.Check()
}

// Check returns an error for an invalid price.
func (p Prices) Check() error {
	for flag, v := range map[string]float64{"--get-price": p.GetPrice, "--put-price": p.PutPrice, "--gb-price": p.GBPrice} {
		if !(v >= 0 && v < math.Inf(1)) {
			return exit.Usagef("%s must be a finite number of at least 0, is %v", flag, v)
		}
	}
	return nil
}

// cost returns the cost of an amount. Providers charge a page of a listing like a write.
func (p Prices) cost(s store.Amount) float64 {
	return float64(s.Gets)/1000*p.GetPrice + float64(store.Amount{Puts: s.Puts, Lists: s.Lists}.Requests())/1000*p.PutPrice + float64(s.BytesRead)/(1<<30)*p.GBPrice
}

// Print prints the requests as a table.
func (p Planned) Print(out io.Writer, of Prices) error {
	all := p.all()
	return printSums(out, of, "\tto find out\tdata\tat least\tat most", p.Found, p.Data, Fixed(all.Least), Fixed(all.Most))
}

// printSums prints bounds as the columns of a table. heads is the header line.
func printSums(out io.Writer, p Prices, heads string, all ...Bounds) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, heads)
	row := func(name string, cell func(store.Amount) string) {
		fmt.Fprint(w, name)
		for _, s := range all {
			low, high := cell(s.Least), cell(s.Most)
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
	if p.Given() {
		row("cost", func(s store.Amount) string { return fmt.Sprintf("%.6g", p.cost(s)) })
	}
	return w.Flush()
}

// Print prints the sums in the form of a plan.
func (s *Stats) Print(out io.Writer) error {
	return printSums(out, s.Prices, "\tto find out\tdata\tin all", Fixed(s.Opened), Fixed(s.Read), Fixed(s.Opened.Add(s.Read)))
}

// PlanFlags are the flags of commands that find out what to read and then read values.
type PlanFlags struct {
	Plan bool `help:"Print the requests and the cost, without reading values."`
	Prices
}

// CheckPlan returns an error for a flag without --plan, or with an invalid value.
func (f *PlanFlags) CheckPlan() error {
	if f.Given() && !f.Plan {
		return exit.Usagef("prices require --plan")
	}
	return f.Check()
}

// Reads adds up planned reads. It is safe for concurrent use.
type Reads struct {
	mu  sync.Mutex
	sum Bounds
}

// Add adds planned reads.
func (r *Reads) Add(least, most store.Amount) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum = r.sum.And(Bounds{least, most})
}

// PrintPlan prints the requests of the command. sent are all requests except those of data.
func (f *PlanFlags) PrintPlan(out io.Writer, sent store.Amount, data *Reads, asJSON bool) error {
	all := Planned{Fixed(sent), data.sum}
	if asJSON {
		return render.JSON(out, all.Info(f.Prices))
	}
	return all.Print(out, f.Prices)
}
