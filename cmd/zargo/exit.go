package main

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/fault"
)

// exit is an exit code with its meaning and its kinds of errors.
type exit struct {
	code  int
	means string
	kinds []error
}

// exits returns the table of exit codes. The help prints the table, and docs/reference/cli.md
// repeats it.
func exits() []exit {
	return []exit{
		{0, "done", nil},
		{1, "any other error, such as a data type that does not fit the array", nil},
		{2, "the command line or the selection is wrong", []error{fault.Selection}},
		{3, "there is no such node", []error{fault.NotFound}},
		{4, "invalid metadata, or an unsafe path", []error{fault.Metadata, fault.Path}},
		{5, "corrupt data", []error{fault.Corrupt}},
		{6, "not supported", []error{errors.ErrUnsupported}},
		{7, "over a limit", []error{fault.Limit}},
		{8, "refused: credentials, permissions, no such bucket", []error{fault.Refused, fault.NoBucket, fault.NoCredentials, fault.Unauthenticated, fault.Denied}},
		{9, "throttled or unavailable after retries, or --timeout passed", []error{fault.Throttled, fault.Unavailable}},
		{10, "a node already exists", []error{fault.Exists}},
		{11, "conflict: another writer changed it", []error{fault.Conflict}},
		{12, "the store is read-only", []error{fault.ReadOnly}},
		{13, "a check of the bucket failed", []error{errNotHeld}},
		{14, "the compared data differ", []error{errDiffers}},
		{15, "the disk or the quota is full", []error{fault.Full, syscall.ENOSPC, syscall.EDQUOT}},
		{75, "zargo transfer: throttled, unavailable or out of time; try again", nil},
		{130, "interrupted", []error{errInterrupted}},
		{143, "ended by SIGTERM", []error{errTerminated}},
	}
}

// constError is an error type for constants.
type constError string

func (e constError) Error() string { return string(e) }

const (
	errNotHeld     = constError("checks failed")
	errInterrupted = constError("interrupted")
	errTerminated  = constError("ended by SIGTERM")
	errDiffers     = constError("it differs")
)

// exitCode returns the exit code for err. If err wraps several kinds of errors, the outermost kind
// determines the code, because the outer layer has more context.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if code := codeIn(err, exits()); code != 0 {
		return code
	}
	return 1
}

func codeIn(err error, table []exit) int {
	switch err.(type) {
	case *usageError, *s3.UsageError /* every provider's */, *openurl.SyntaxError:
		return 2
	case *transient:
		return 75
	case errTimeout:
		return 9
	}
	for _, e := range table {
		for _, k := range e.kinds {
			if err == k {
				return e.code
			}
		}
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return codeIn(inner, table)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if code := codeIn(inner, table); code != 0 {
				return code
			}
		}
	}
	return 0
}

// complain prints err on one line and returns its exit code.
func complain(w io.Writer, err error) int {
	fmt.Fprintf(w, "zargo: %s\n", render.Message(err.Error()))
	return exitCode(err)
}
