package store

import (
	"fmt"
	"strings"
)

// Tuning holds a provider's numbers. A store that has its own gives them through [As]; [TuningOf]
// falls back to Local.
type Tuning struct {
	Requests    int     // requests in flight at once, over all arrays and calls on the opened store
	RangeGap    int64   // bytes of a hole worth reading through rather than paying another request
	RangeMax    int64   // bytes of the longest merged read
	SplitAbove  int64   // bytes above which one value is read as several ranges; 0 is never
	PartAbove   int64   // bytes from which on one value is written as several parts; 0 is never
	ListFanout  int     // prefixes, or parts of a long listing, listed at once
	ListPage    int     // entries asked for in one listing request
	DeleteBatch int     // keys deleted by one request; 0 or 1 where there are no such requests
	Reason      string  // what the numbers are for
	Why         Reasons // of each number
}

// Reasons says why each number of a Tuning is what it is.
type Reasons struct{ Requests, RangeGap, RangeMax, SplitAbove, PartAbove, ListFanout, ListPage, DeleteBatch string }

// Setting is one number of a [Tuning], for printing.
type Setting struct {
	Name   string // "range gap"
	Value  int64
	Unit   string // "bytes", or what is counted
	Reason string
}

// Settings returns the numbers in the order of the fields.
func (t Tuning) Settings() []Setting {
	return []Setting{
		{"requests", int64(t.Requests), "in flight", t.Why.Requests},
		{"range gap", t.RangeGap, "bytes", t.Why.RangeGap},
		{"range max", t.RangeMax, "bytes", t.Why.RangeMax},
		{"split above", t.SplitAbove, "bytes", t.Why.SplitAbove},
		{"part above", t.PartAbove, "bytes", t.Why.PartAbove},
		{"list fanout", int64(t.ListFanout), "prefixes", t.Why.ListFanout},
		{"list page", int64(t.ListPage), "entries", t.Why.ListPage},
		{"delete batch", int64(max(1, t.DeleteBatch)), "keys", t.Why.DeleteBatch},
	}
}

// String gives one line for each number, with its reason.
func (t Tuning) String() string {
	var b strings.Builder
	b.WriteString(t.Reason)
	for _, n := range t.Settings() {
		fmt.Fprintf(&b, "\n%s %d %s: %s", n.Name, n.Value, n.Unit, n.Reason)
	}
	return b.String()
}

// Local is the tuning of a store without a network: more requests than cores only cost memory
// there.
func Local() Tuning {
	return Tuning{
		Requests:    16,
		RangeGap:    4 << 10,
		RangeMax:    8 << 20,
		ListFanout:  4,
		ListPage:    1000,
		DeleteBatch: 1000,
		Reason:      "no network: a few requests keep every core busy",
		Why: Reasons{
			Requests:    "a few keep every core busy; more only cost memory",
			RangeGap:    "a system call costs about what copying 4 KiB does",
			RangeMax:    "beyond some MiB a longer read saves nothing that a system call costs",
			SplitAbove:  "never: one reader copies as fast as memory does",
			PartAbove:   "never: one writer copies as fast as memory does",
			ListFanout:  "a folder is listed in microseconds",
			ListPage:    "what the providers' pages hold",
			DeleteBatch: "little to hold",
		},
	}
}

// TuningOf gives the numbers of the store's provider.
func TuningOf(s Store) Tuning {
	var t Tuning
	if As(s, &t) {
		return t
	}
	return Local()
}
