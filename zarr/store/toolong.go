package store

import (
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
)

// TooLong is the error of a Get that selects more than GetOptions.Max bytes, if the store knows the
// length before it reads the value. Its kind is fault.Limit.
type TooLong struct {
	Announced int64 // number of selected bytes
	Max       int64
	Version   Version // version of the value; empty if unknown
}

// Error returns a message with both lengths.
func (e *TooLong) Error() string {
	return fmt.Sprintf("%v: %d bytes are more than the %d allowed", fault.Limit, e.Announced, e.Max)
}

// Unwrap returns fault.Limit.
func (e *TooLong) Unwrap() error { return fault.Limit }
