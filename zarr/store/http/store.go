package http

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Store reads values from a web server. [Open] adds layers to it, such as retries.
type Store struct {
	base, query string
	header      http.Header
	client      *http.Client
	tuning      store.Tuning
	forbidden   bool         // status 403 means that the value is absent
	release     func() error // releases the connections; nil if the caller supplied the transport
}

// String returns the URL without its parameters.
func (s *Store) String() string { return s.base + "/" }

// Close closes the connections. If the caller supplied the transport, it closes only idle
// connections.
func (s *Store) Close() error {
	if s.release != nil {
		return s.release()
	}
	s.client.CloseIdleConnections()
	return nil
}

// Provide provides a store.Tuning.
func (s *Store) Provide(target any) bool {
	t, ok := target.(*store.Tuning)
	if ok {
		*t = s.tuning
	}
	return ok
}

func (s *Store) fail(op, key string, err error) error {
	return &fault.KeyError{Op: op, Store: s.String(), Key: key, Err: err}
}

// ReadOnly returns true; see store.IsReadOnly.
func (s *Store) ReadOnly() bool { return true }

// Put returns fault.ReadOnly.
func (s *Store) Put(_ context.Context, key string, _ []byte, _ store.PutOptions) (store.Version, error) {
	return "", s.refuse("put", key)
}

// Delete returns fault.ReadOnly.
func (s *Store) Delete(_ context.Context, key string, _ store.DeleteOptions) error {
	return s.refuse("delete", key)
}

func (s *Store) refuse(op, key string) error {
	if err := store.CheckKey(key); err != nil {
		return s.fail(op, key, err)
	}
	return s.fail(op, key, fault.ReadOnly)
}

// List yields errors.ErrUnsupported.
func (s *Store) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		err := o.Check(prefix)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = fmt.Errorf("a web server cannot list, which only hierarchies without consolidated metadata need: %w", errors.ErrUnsupported)
		}
		yield(store.Entry{}, s.fail("list", prefix, err))
	}
}

// url returns the URL of a key, with each segment of the key escaped.
func (s *Store) url(key string) string {
	var b strings.Builder
	b.WriteString(s.base)
	for seg := range strings.SplitSeq(key, "/") {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(seg))
	}
	b.WriteString(s.query)
	return b.String()
}
