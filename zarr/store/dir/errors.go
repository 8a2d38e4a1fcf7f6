package dir

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"github.com/zargo-io/zargo/zarr/fault"
)

// absent reports whether err means that the system found no file: the name does not exist, or a
// parent is a file. Such an error does not prove that the key is absent; see Store.proven.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// failed returns err as a *fault.KeyError. Errors with a kind and context errors keep their kind.
func (s *Store) failed(op, key string, err error) error {
	e := &fault.KeyError{Op: op, Store: s.root, Key: key, Err: err}
	var k fault.Kind
	switch {
	case errors.As(err, &k), errors.Is(err, errors.ErrUnsupported), isContext(err):
		if err == error(k) { // the error has no text besides the kind
			e.Kind, e.Err = k, nil
		}
	default:
		e.Kind = kindOf(err)
	}
	return e
}

// kindOf returns the kind of a system error. It never returns fault.NotFound, because a missing
// file does not prove that the key is absent; see Store.proven.
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

// blocked converts the errors of writes that fail because of other names, to fault.Path: a parent
// of the key is a file, or the key is a directory. Other errors are returned unchanged.
func blocked(err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return fault.Newf(fault.Path, "a parent of the key is a file: %w", clean(err))
	}
	if err == errFolder {
		return fault.Newf(fault.Path, "%w", err)
	}
	if errors.Is(err, syscall.EISDIR) || errors.Is(err, fs.ErrExist) {
		return fault.Newf(fault.Path, "the key is a directory: %w", clean(err))
	}
	return err
}

// clean returns an error with the text of err that does not wrap err. Otherwise the error number of
// err would add a second kind to an error that has a kind.
func clean(err error) error { return opaque{err} }

type opaque struct{ err error }

func (o opaque) Error() string { return o.err.Error() }

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
