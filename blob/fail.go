package blob

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"

	"gocloud.dev/gcerrors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func (s *Store) fail(op, key string, err error) error {
	e := &fault.KeyError{Op: op, Store: s.opt.name, Key: key, Err: err}
	if !hasKind(err) {
		e.Kind = s.kind(err)
	}
	return e
}

// hasKind reports whether err matches a fault.Kind or errors.ErrUnsupported.
func hasKind(err error) bool {
	var k fault.Kind
	return errors.As(err, &k) || errors.Is(err, errors.ErrUnsupported)
}

// kind returns the kind of a driver's error. gocloud's NotFound does not become fault.NotFound
// here; method absent handles it.
func (s *Store) kind(err error) error {
	if s.opt.classify != nil {
		if k := s.opt.classify(err); k != nil {
			return k
		}
	}
	if unreached(err) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.Unavailable
	}
	switch gcerrors.Code(err) {
	case gcerrors.PermissionDenied, gcerrors.NotFound, gcerrors.InvalidArgument:
		return fault.Refused
	case gcerrors.ResourceExhausted:
		return fault.Throttled
	case gcerrors.Unimplemented:
		return errors.ErrUnsupported
	}
	return fault.Unavailable
}

// absent returns nil if err, an error of the portable API, proves that key is absent. Otherwise it
// returns the error to report.
func (s *Store) absent(ctx context.Context, key string, err error) error {
	if s.opt.classify != nil {
		if k := s.opt.classify(err); k != nil {
			if errors.Is(k, fault.NotFound) {
				return nil
			}
			return err
		}
	}
	if gcerrors.Code(err) != gcerrors.NotFound || unreached(err) {
		return err
	}
	if s.opt.trust {
		return nil
	}
	return s.proveAbsent(ctx, key)
}

// unreached reports whether no server responded. azureblob returns NotFound for an unknown host
// name. Every syscall.Errno implements net.Error, so unreached checks for more specific types.
func unreached(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	var url *url.Error
	return errors.As(err, &op) || errors.As(err, &dns) || errors.As(err, &url)
}

// unsupported returns the error for a feature that the portable API lacks.
func (s *Store) unsupported(op, key, what string) error {
	return s.fail(op, key, fault.Newf(errors.ErrUnsupported, "%s is not part of the portable bucket API", what))
}

// begin returns an error for an invalid key, a closed store or a context that has ended.
func (s *Store) begin(ctx context.Context, op, key string) error {
	err := store.CheckKey(key)
	if err == nil {
		err = plainKey(key)
	}
	if err == nil && s.opt.keys != nil {
		err = s.opt.keys(key)
	}
	if err != nil {
		return s.fail(op, key, err)
	}
	return s.ready(ctx, op, key)
}

func (s *Store) ready(ctx context.Context, op, key string) error {
	if s.closed.Load() {
		return s.fail(op, key, fault.Newf(fault.Refused, "the store is closed"))
	}
	if err := ctx.Err(); err != nil {
		return &fault.KeyError{Op: op, Store: s.opt.name, Key: key, Err: err}
	}
	return nil
}

// failed is like fail, but returns the error of ctx if ctx has ended. It is for errors of requests
// that were made with ctx.
func (s *Store) failed(ctx context.Context, op, key string, err error) error {
	if end := ctx.Err(); end != nil {
		return &fault.KeyError{Op: op, Store: s.opt.name, Key: key, Err: end}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		// The driver's own timeout has expired. The caller's context has not ended, so the error
		// must not match the errors of package context.
		err = fault.Newf(fault.Unavailable, "%v", err)
	}
	return s.fail(op, key, err)
}
