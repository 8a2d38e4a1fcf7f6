package store

import (
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
)

// TooLong is the error of a Get that selects more bytes than GetOptions.Max allows, where the store
// knows how many before it reads them. It is of kind fault.Limit.
type TooLong struct {
	Announced int64 // bytes that are selected
	Max       int64
	Version   Version // of the value that is so long; empty where it is not known
}

// Error says both lengths.
func (e *TooLong) Error() string {
	return fmt.Sprintf("%v: %d bytes are more than the %d allowed", fault.Limit, e.Announced, e.Max)
}

// Unwrap gives fault.Limit.
func (e *TooLong) Unwrap() error { return fault.Limit }
