package provider

import (
	"fmt"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Setting is an option about the layers around a provider. Every provider has it in its own type of
// options, under the name that Text begins with.
type Setting struct {
	Text  string // as it is written in code, without the package
	Apply func(*Stack)
}

func setting(apply func(*Stack), format string, args ...any) Setting {
	return Setting{fmt.Sprintf(format, args...), apply}
}

// MaxInFlight fixes the number of requests in flight.
func MaxInFlight(n int) Setting {
	return setting(func(s *Stack) { s.InFlight = n }, "MaxInFlight(%d)", n)
}

// RequestRate bounds the requests in a second.
func RequestRate(perSecond float64) Setting {
	return setting(func(s *Stack) { s.RequestRate = perSecond }, "RequestRate(%v)", perSecond)
}

// ByteRate bounds the bytes of values in a second.
func ByteRate(perSecond float64) Setting {
	return setting(func(s *Stack) { s.ByteRate = perSecond }, "ByteRate(%v)", perSecond)
}

// Limits replaces the limits of the process.
func Limits(l *concurrency.Limits) Setting {
	return setting(func(s *Stack) { s.Limits = l }, "Limits(…)")
}

// Hedge repeats slow reads.
func Hedge() Setting { return setting(func(s *Stack) { s.Hedge = true }, "Hedge()") }

// StallTimeout is how long a request may stand still.
func StallTimeout(d time.Duration) Setting {
	return setting(func(s *Stack) { s.Stall = d }, "StallTimeout(%v)", d)
}

// Retry changes how failed requests are repeated.
func Retry(opts ...retry.Option) Setting {
	return setting(func(s *Stack) { s.Retry = append(s.Retry, opts...) }, "Retry(%v)", opts)
}

// ReadOnly refuses every write.
func ReadOnly() Setting { return setting(func(s *Stack) { s.ReadOnly = true }, "ReadOnly()") }
