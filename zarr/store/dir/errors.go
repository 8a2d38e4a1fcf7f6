package dir

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"github.com/zargo-io/zargo/zarr/fault"
)

// absent reports whether the system found no file: the name does not exist, or a parent is a file.
// It does not prove that the key is absent; see Store.proven.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// failed returns err as a KeyError. Errors with a kind and context errors keep their kind.
func (s *Store) failed(op, key string, err error) error {
	e := &fault.KeyError{Op: op, Store: s.root, Key: key, Err: err}
	var k fault.Kind
	switch {
	case errors.As(err, &k), errors.Is(err, errors.ErrUnsupported), isContext(err):
		if err == error(k) { // the error is only the kind
			e.Kind, e.Err = k, nil
		}
	default:
		e.Kind = kindOf(err)
	}
	return e
}

// kindOf returns the kind of a system error. Absence is not among them: callers of absent prove it
// with Store.proven.
func kindOf(err error) fault.Kind {
	switch {
	case errors.Is(err, syscall.EROFS):
		return fault.ReadOnly
	case errors.Is(err, fs.ErrPermission):
		return fault.Denied
	case errors.Is(err, syscall.ELOOP):
		return fault.Refused
	case escapes(err):
		return fault.Refused
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fault.Path
	case isFull(err):
		return fault.Full
	case errors.Is(err, syscall.EFBIG):
		return fault.Limit
	}
	return fault.Unavailable
}

// blocked converts the errors of a write that conflicts with names that a directory cannot hold
// together, although a bucket can.
func blocked(err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return fault.Newf(fault.Path, "a parent of the key holds a value: %w", clean(err))
	}
	if err == errFolder {
		return fault.Newf(fault.Path, "%w", err)
	}
	if errors.Is(err, syscall.EISDIR) || errors.Is(err, fs.ErrExist) {
		return fault.Newf(fault.Path, "there are keys below it, or an empty folder: %w", clean(err))
	}
	return err
}

// clean hides the error number, which would add a second kind to the error.
func clean(err error) error { return opaque{err} }

type opaque struct{ err error }

func (o opaque) Error() string { return o.err.Error() }

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
