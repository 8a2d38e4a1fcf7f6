package store

import (
	"fmt"
	"strings"
)

// Tuning holds a provider's settings. Stores provide their Tuning through [As], and [TuningOf]
// finds it.
type Tuning struct {
	Requests    int     // requests in flight, over all arrays and calls on the opened store
	RangeGap    int64   // largest gap in bytes that is read to avoid another request
	RangeMax    int64   // maximum bytes of a merged read
	SplitAbove  int64   // longer values are read as several ranges; 0 means never
	PartAbove   int64   // values of at least this many bytes are written in parts; 0 means never
	ListFanout  int     // prefixes, or ranges of a long listing, that are listed concurrently
	ListPage    int     // entries requested per listing request
	DeleteBatch int     // keys deleted by one request; 0 or 1 without batch deletes
	Reason      string  // purpose of the settings
	Why         Reasons // reason of each setting
}

// Reasons explains each number of a Tuning.
type Reasons struct{ Requests, RangeGap, RangeMax, SplitAbove, PartAbove, ListFanout, ListPage, DeleteBatch string }

// Setting is one number of a [Tuning], for printing.
type Setting struct {
	Name   string // such as "range gap"
	Value  int64
	Unit   string // "bytes", or the name of what is counted
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

// String returns the Reason of the Tuning, followed by one line for each number with the reason of
// that number.
func (t Tuning) String() string {
	var b strings.Builder
	b.WriteString(t.Reason)
	for _, n := range t.Settings() {
		fmt.Fprintf(&b, "\n%s %d %s: %s", n.Name, n.Value, n.Unit, n.Reason)
	}
	return b.String()
}

// Local returns the tuning of a store without a network. In such a store, additional requests
// beyond the number of cores only use memory.
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

// TuningOf returns the Tuning that s provides, or that of [Local] if s provides none.
func TuningOf(s Store) Tuning {
	var t Tuning
	if As(s, &t) {
		return t
	}
	return Local()
}
