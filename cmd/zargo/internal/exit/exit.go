package exit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Row is an exit code with its meaning and its kinds of errors.
type Row struct {
	Code  int
	Means string
	kinds []error
}

// Table returns the table of exit codes. The help prints the table, and docs/reference/cli.md
// repeats it.
func Table() []Row {
	return []Row{
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
		{13, "a check of the bucket failed", []error{ErrNotHeld}},
		{14, "the compared data differ", []error{ErrDiffers}},
		{15, "the disk or the quota is full", []error{fault.Full, syscall.ENOSPC, syscall.EDQUOT}},
		{75, "zargo transfer: throttled, unavailable or out of time; try again", nil},
		{130, "interrupted", []error{ErrInterrupted}},
		{143, "ended by SIGTERM", []error{ErrTerminated}},
	}
}

// constError is an error type for constants.
type constError string

func (e constError) Error() string { return string(e) }

// Errors with exit codes of their own.
const (
	ErrNotHeld     = constError("checks failed")
	ErrInterrupted = constError("interrupted")
	ErrTerminated  = constError("ended by SIGTERM")
	ErrDiffers     = constError("it differs")
)

// Code returns the exit code for err. If err wraps several kinds of errors, the outermost kind
// determines the code, because the outer layer has more context.
func Code(err error) int {
	if err == nil {
		return 0
	}
	if code := codeIn(err, Table()); code != 0 {
		return code
	}
	return 1
}

func codeIn(err error, table []Row) int {
	switch err.(type) {
	case *usageError, *s3.UsageError /* every provider's */, *openurl.SyntaxError:
		return 2
	case *transient:
		return 75
	case Timeout:
		return 9
	}
	for _, e := range table {
		if slices.Contains(e.kinds, err) {
			return e.Code
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

// Complain prints err on one line and returns its exit code.
func Complain(w io.Writer, err error) int {
	fmt.Fprintf(w, "zargo: %s\n", render.Message(err.Error()))
	return Code(err)
}

// usageError is an error in the command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// Usagef returns an error in the command line.
func Usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// placed adds to an error the URL or the file that the error concerns.
type placed struct {
	where string // without secrets
	err   error
}

func (p *placed) Error() string { return p.where + ": " + p.err.Error() }

func (p *placed) Unwrap() error { return p.err }

// At adds the URL or file that err concerns. It returns nil if err is nil.
func At(where string, err error) error {
	if err == nil || where == "" {
		return err
	}
	return &placed{where, err}
}

// reworded is an error with a different text.
type reworded struct {
	text string
	err  error
}

func (r *reworded) Error() string { return r.text }

func (r *reworded) Unwrap() error { return r.err }

// Reword returns err with a different text.
func Reword(text string, err error) error { return &reworded{text, err} }

// resumable is the error of an interrupted run that can be resumed. how is a hint on how to resume.
type resumable struct {
	err error
	how string
}

func (r *resumable) Error() string { return r.err.Error() + "; " + r.how }

func (r *resumable) Unwrap() error { return r.err }

// Resume returns err with a hint on how to resume.
func Resume(err error, how string) error { return &resumable{err, how} }

// transient is an error after which the same command may succeed.
type transient struct{ error }

func (t *transient) Unwrap() error { return t.error }

// Again marks errors after which a job engine should retry: throttling, unavailability and
// timeouts.
func Again(err error) error {
	var late Timeout
	if err != nil && (errors.Is(err, fault.Throttled) || errors.Is(err, fault.Unavailable) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late)) {
		return &transient{err}
	}
	return err
}

// Interrupted returns the error of a run that an interrupt or SIGTERM ended. If err has a hint on
// how to resume, the result has the same hint.
func Interrupted(err, cause error) error {
	why := ErrInterrupted
	if errors.Is(cause, ErrTerminated) {
		why = ErrTerminated
	}
	if r, ok := errors.AsType[*resumable](err); ok {
		return Resume(why, r.how)
	}
	return why
}

// Timeout is the cause of cancellation after --timeout.
type Timeout time.Duration

func (e Timeout) Error() string {
	return fmt.Sprintf("the timeout of %v has expired", time.Duration(e))
}

// expired is the error of a run that --timeout ended.
type expired struct {
	Timeout
	err error
}

func (e *expired) Error() string {
	if text := e.err.Error(); strings.Contains(text, e.Timeout.Error()) {
		return text
	}
	return fmt.Sprintf("%v (%v)", e.err, e.Timeout)
}

func (e *expired) Unwrap() []error { return []error{e.Timeout, e.err} }

// Expire returns err as the error of a run that --timeout ended if cause, the cause of the end of
// its context, is the timeout.
func Expire(cause, err error) error {
	var late Timeout
	if err == nil || !errors.As(cause, &late) {
		return err
	}
	if _, ok := errors.AsType[*transient](err); ok {
		return &transient{&expired{late, err}}
	}
	return &expired{late, err}
}
