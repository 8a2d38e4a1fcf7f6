package bucketcheck

import "context"

// Check is a row of the table: an expected behaviour and the consequences of a failure.
type Check struct {
	Name     string
	Expected string
	Fails    string // consequence of the verdict Fails for Zarr arrays
	Lacks    string // consequence of the verdicts Unsupported, Refused and Unknown
	Reads    bool   // the check only reads, and is also run with Options.Key

	most func(sizes) most
	run  func(context.Context, *bench) outcome
}

// Checks returns all checks in the order that Run performs them.
func Checks() []Check {
	return append(append(append(append(valueChecks(), conditionChecks()...), rangeChecks()...), append(keyChecks(), listChecks()...)...), verbChecks()...)
}

// table returns the checks of a Run with these options.
func (o Options) table() []Check {
	if o.Key == "" {
		return Checks()
	}
	return readChecks()
}

// exactly returns a function that returns m for all sizes.
func exactly(m most) func(sizes) most { return func(sizes) most { return m } }

const (
	kib = 1 << 10
	mib = 1 << 20
)
