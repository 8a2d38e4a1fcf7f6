package provider

import (
	"fmt"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Setting is an option of the layers around a provider. Each provider exports it under the same
// name in its own option type.
type Setting struct {
	Text  string // the option as Go code, without the package
	Apply func(*Stack)
}

func setting(apply func(*Stack), format string, args ...any) Setting {
	return Setting{fmt.Sprintf(format, args...), apply}
}

// MaxInFlight sets a fixed number of requests in flight.
func MaxInFlight(n int) Setting {
	return setting(func(s *Stack) { s.InFlight = n }, "MaxInFlight(%d)", n)
}

// RequestRate limits the requests per second.
func RequestRate(perSecond float64) Setting {
	return setting(func(s *Stack) { s.RequestRate = perSecond }, "RequestRate(%v)", perSecond)
}

// ByteRate limits the bytes of values per second.
func ByteRate(perSecond float64) Setting {
	return setting(func(s *Stack) { s.ByteRate = perSecond }, "ByteRate(%v)", perSecond)
}

// Limits replaces the limits of the process.
func Limits(l *concurrency.Limits) Setting {
	return setting(func(s *Stack) { s.Limits = l }, "Limits(…)")
}

// Hedge repeats slow reads.
func Hedge() Setting { return setting(func(s *Stack) { s.Hedge = true }, "Hedge()") }

// StallTimeout sets the stall limit: the maximum time that a request may make no progress.
func StallTimeout(d time.Duration) Setting {
	return setting(func(s *Stack) { s.Stall = d }, "StallTimeout(%v)", d)
}

// Retry configures the retries of failed requests.
func Retry(opts ...retry.Option) Setting {
	return setting(func(s *Stack) { s.Retry = append(s.Retry, opts...) }, "Retry(%v)", opts)
}

// ReadOnly makes the store refuse all writes.
func ReadOnly() Setting { return setting(func(s *Stack) { s.ReadOnly = true }, "ReadOnly()") }
