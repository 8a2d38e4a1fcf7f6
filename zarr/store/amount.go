package store

import "math"

// Amount counts requests and the bytes of values that they transfer. Package zarr uses it for plans
// and for measurements. A delete, a copy, and each step of an upload in parts count as puts. Lists
// counts pages of listings.
type Amount struct{ Gets, Puts, Lists, BytesRead, BytesWritten int64 }

// Add returns the sum of two amounts of at least 0. A field that overflows is math.MaxInt64.
func (a Amount) Add(b Amount) Amount {
	return Amount{sum(a.Gets, b.Gets), sum(a.Puts, b.Puts), sum(a.Lists, b.Lists), sum(a.BytesRead, b.BytesRead), sum(a.BytesWritten, b.BytesWritten)}
}

// Sub returns a minus an earlier amount of the same counter.
func (a Amount) Sub(b Amount) Amount {
	return Amount{a.Gets - b.Gets, a.Puts - b.Puts, a.Lists - b.Lists, a.BytesRead - b.BytesRead, a.BytesWritten - b.BytesWritten}
}

// Requests returns the number of all requests.
func (a Amount) Requests() int64 { return sum(sum(a.Gets, a.Puts), a.Lists) }

func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
