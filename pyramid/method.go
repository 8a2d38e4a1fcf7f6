package pyramid

import (
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Method determines how Build reduces a window to one element of the next level.
type Method uint8

const (
	// Mean is the arithmetic mean of the elements that are not missing. The mean of integers is
	// rounded to the nearest integer, ties to even. Mean accepts integers, floating-point numbers
	// and times.
	Mean Method = iota
	// Nearest is the first element of the window along each dimension, even if it is missing. It
	// accepts all data types of fixed size.
	Nearest
	// Mode is the most frequent of the elements that are not missing. If several are equally
	// frequent, it is the smallest of them. Mode accepts booleans and the data types that Mean
	// accepts.
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

// ParseMethod returns the method whose [Method.String] is name. It returns fault.Selection for
// other names.
func ParseMethod(name string) (Method, error) {
	for m, known := range methods {
		if name == known {
			return Method(m), nil //nolint:gosec // less than 3
		}
	}
	return 0, fault.Newf(fault.Selection, "the method must be %s, is %q", strings.Join(methods[:], ", "), name)
}
