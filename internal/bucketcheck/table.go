package bucketcheck

import "context"

// Check is a row of the table: what is asked, and what it means where the answer is another one.
type Check struct {
	Name     string
	Expected string
	Fails    string // what it means for Zarr arrays that it does not hold
	Lacks    string // that it is not supported, refused, or cannot be known
	Reads    bool   // it needs no writes, and is made with Options.Key too

	most func(sizes) most
	run  func(context.Context, *bench) outcome
}

// Checks are all checks, in the order in which they are made.
func Checks() []Check {
	return append(append(append(append(valueChecks(), conditionChecks()...), rangeChecks()...), append(keyChecks(), listChecks()...)...), verbChecks()...)
}

// table are the checks that a Run with these options makes.
func (o Options) table() []Check {
	if o.Key == "" {
		return Checks()
	}
	return readChecks()
}

// exactly is a check's bound that depends on nothing.
func exactly(m most) func(sizes) most { return func(sizes) most { return m } }

const (
	kib = 1 << 10
	mib = 1 << 20
)
