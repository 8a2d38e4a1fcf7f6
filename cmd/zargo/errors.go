package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// usageError is an error in the command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// placed adds to an error the URL or the file that the error concerns.
type placed struct {
	where string // without secrets
	err   error
}

func (p *placed) Error() string { return p.where + ": " + p.err.Error() }
func (p *placed) Unwrap() error { return p.err }

// at adds the URL or file that err concerns. It returns nil if err is nil.
func at(where string, err error) error {
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

// reword returns err with a different text.
func reword(text string, err error) error { return &reworded{text, err} }

// resumable is the error of an interrupted run that can be resumed. how is a hint on how to resume.
type resumable struct {
	err error
	how string
}

func (r *resumable) Error() string { return r.err.Error() + "; " + r.how }
func (r *resumable) Unwrap() error { return r.err }

// resume returns err with a hint on how to resume.
func resume(err error, how string) error { return &resumable{err, how} }

// transient is an error after which the same command may succeed.
type transient struct{ error }

func (t *transient) Unwrap() error { return t.error }

// again marks errors after which a job engine should retry: throttling, unavailability and
// timeouts.
func again(err error) error {
	var late errTimeout
	if err != nil && (errors.Is(err, fault.Throttled) || errors.Is(err, fault.Unavailable) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late)) {
		return &transient{err}
	}
	return err
}

// interrupted returns the error of a run that an interrupt or SIGTERM ended. If err has a hint on
// how to resume, the result has the same hint.
func interrupted(err, cause error) error {
	why := errInterrupted
	if errors.Is(cause, errTerminated) {
		why = errTerminated
	}
	var r *resumable
	if errors.As(err, &r) {
		return resume(why, r.how)
	}
	return why
}

// errTimeout is the cause of cancellation after --timeout.
type errTimeout time.Duration

func (e errTimeout) Error() string {
	return fmt.Sprintf("the timeout of %v has expired", time.Duration(e))
}

// expired is the error of a run that --timeout ended.
type expired struct {
	errTimeout
	err error
}

func (e *expired) Error() string {
	if text := e.err.Error(); strings.Contains(text, e.errTimeout.Error()) {
		return text
	}
	return fmt.Sprintf("%v (%v)", e.err, e.errTimeout)
}

func (e *expired) Unwrap() []error { return []error{e.errTimeout, e.err} }

// expire returns err as the error of a run that --timeout ended if cause, the cause of the end of
// its context, is the timeout.
func expire(cause, err error) error {
	var late errTimeout
	if err == nil || !errors.As(cause, &late) {
		return err
	}
	var t *transient
	if errors.As(err, &t) {
		return &transient{&expired{late, err}}
	}
	return &expired{late, err}
}
