package pyramid

import (
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Method is how a window of elements becomes one element of the next level.
type Method uint8

const (
	// Mean is the arithmetic mean of the elements that are not missing. Integers are rounded to the
	// nearest, ties to even. It needs integers, floating-point numbers or times.
	Mean Method = iota
	// Nearest is the first element of the window along each dimension, also if it is missing. It
	// accepts any data type of fixed size.
	Nearest
	// Mode is the most frequent of the elements that are not missing, and the smallest one of
	// several that are equally frequent. It needs booleans or a data type that Mean accepts.
	Mode
)

// String returns "mean", "nearest" or "mode".
func (m Method) String() string {
	if int(m) < len(methods) {
		return methods[m]
	}
	return "unknown"
}

var methods = [...]string{Mean: "mean", Nearest: "nearest", Mode: "mode"}

// ParseMethod returns the method with a name that [Method.String] returns. The error is
// fault.Selection for other names.
func ParseMethod(name string) (Method, error) {
	for m, known := range methods {
		if name == known {
			return Method(m), nil //nolint:gosec // less than 3
		}
	}
	return 0, fault.Newf(fault.Selection, "the method must be %s, is %q", strings.Join(methods[:], ", "), name)
}
