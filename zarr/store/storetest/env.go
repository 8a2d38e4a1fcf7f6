package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// env is the environment of a case: the store under test, the store for writes, and the violations
// found.
type env struct {
	ctx  context.Context
	cfg  *config
	name string
	s    store.Store // store under test
	w    store.Store // store for writes; s itself unless Writer is set

	mu  sync.Mutex
	all []error
}

func (e *env) has(f Feature) bool { return !slices.Contains(e.cfg.without, f) }

// bad records a violation.
func (e *env) bad(clause, format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, &Misbehaviour{e.name, clause, fmt.Errorf(format, args...)})
}

// expect records a violation unless err is a *fault.KeyError with exactly the given kind. If err
// matches errors.ErrUnsupported, its type may be another one.
func (e *env) expect(clause string, err, kind error, call string) bool {
	if err == nil {
		e.bad(clause, "%s: want %q, got no error", call, kind)
		return false
	}
	if !errors.Is(err, kind) {
		e.bad(clause, "%s: want %q, got: %w", call, kind, err)
		return false
	}
	for _, other := range kinds {
		if other != kind && errors.Is(err, other) {
			e.bad(clause, "%s: want only %q, but it is %q as well: %w", call, kind, other, err)
			return false
		}
	}
	var ke *fault.KeyError
	if kind != errors.ErrUnsupported && !errors.As(err, &ke) {
		e.bad("errors are *fault.KeyError", "%s: got %T: %w", call, err, err)
		return false
	}
	return true
}

var kinds = [...]error{
	fault.NotFound, fault.Exists, fault.Conflict, fault.Unchanged, fault.ReadOnly, fault.Type, fault.Selection,
	fault.Metadata, fault.Path, fault.Corrupt, fault.Refused, fault.Throttled, fault.Unavailable, fault.Limit,
	errors.ErrUnsupported,
}

// put stores value and returns the version that a Get of key then returns.
func (e *env) put(key string, value []byte) (store.Version, bool) {
	v, err := e.w.Put(e.ctx, key, value, store.PutOptions{})
	if err != nil {
		e.bad("Put replaces the value", "Put(%q, %d bytes): %w", key, len(value), err)
		return "", false
	}
	if e.w != e.s && e.has(Versions) {
		got, ok := e.get(key, store.GetOptions{})
		return got.Version, ok
	}
	if e.has(Versions) && v == "" {
		e.bad("Put returns the Version", "Put(%q) returned none", key)
		return "", false
	}
	return v, true
}

// get reads a value. It records an error as a violation.
func (e *env) get(key string, o store.GetOptions) (store.Value, bool) {
	v, err := e.s.Get(e.ctx, key, o, nil)
	if err != nil {
		e.bad("Get returns all of the selected bytes", "Get(%q, %+v): %w", key, o, err)
		return v, false
	}
	return v, true
}

// refused checks that a Get fails with the kind and returns the zero Value.
func (e *env) refused(clause string, kind error, key string, o store.GetOptions) {
	v, err := e.s.Get(e.ctx, key, o, nil)
	if e.expect(clause, err, kind, fmt.Sprintf("Get(%q, %+v)", key, o)) && (v.Bytes != nil || v.Size != 0 || v.Version != "") {
		e.bad("on error the Value is zero", "Get(%q, %+v) returned %+v with the error: %w", key, o, v, err)
	}
}

// holds checks that the value of key is exactly want.
func (e *env) holds(clause, key string, want []byte) (store.Value, bool) {
	v, err := e.s.Get(e.ctx, key, store.GetOptions{}, nil)
	if err != nil {
		e.bad(clause, "Get(%q): %w", key, err)
		return v, false
	}
	return v, e.same(clause, key, store.GetOptions{}, v, want, len(want))
}

// same checks a Value against the expected bytes and size.
func (e *env) same(clause, key string, o store.GetOptions, v store.Value, want []byte, size int) bool {
	switch {
	case !bytes.Equal(v.Bytes, want):
		e.bad(clause, "Get(%q, %+v) returned %s, want %s", key, o, brief(v.Bytes), brief(want))
	case v.Size != int64(size):
		e.bad("Size is that of the whole value for every range", "Get(%q, %+v) returned size %d, want %d", key, o, v.Size, size)
	case e.has(Versions) && v.Version == "":
		e.bad("Get returns the Version", "Get(%q, %+v) returned none", key, o)
	case !e.has(Versions) && v.Version != "":
		e.bad("a store without Versions returns none", "Get(%q, %+v) returned %q", key, o, v.Version)
	default:
		return true
	}
	return false
}

func brief(b []byte) string {
	if len(b) > 24 {
		return fmt.Sprintf("%d bytes %q…", len(b), b[:24])
	}
	return fmt.Sprintf("%d bytes %q", len(b), b)
}

// pattern returns n bytes that differ between nearby offsets and between seeds.
func pattern(n, seed int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8*13 + seed*31)
	}
	return b
}

// each calls f(0) … f(n-1) from a number of goroutines and waits for them.
func (e *env) each(workers, n int, f func(i int)) {
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(workers, n) {
		e.goes(&wg, func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// goes runs f in a goroutine of wg and records a panic of f as a violation.
func (e *env) goes(wg *sync.WaitGroup, f func()) {
	wg.Go(func() {
		defer e.caught()
		f()
	})
}

func (e *env) caught() {
	if r := recover(); r != nil {
		e.bad("a store does not panic", "%v\n%s", r, debug.Stack())
	}
}
