package retry

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	w := write{run: s.run("put", key), o: o}
	if err := w.check(); err != nil {
		return "", err
	}
	return w.do(ctx, func(ctx context.Context) (store.Version, error) {
		return s.Store.Put(ctx, key, value, o)
	}, func() (store.Version, bool, error) {
		v, err := w.look(ctx)(key, store.GetOptions{IfNotVersion: o.IfVersion, Max: max(1, int64(len(value)))}, nil)
		return v.Version, bytes.Equal(v.Bytes, value), err
	})
}

// write is the state of a write that may have a condition.
type write struct {
	*run
	o    store.PutOptions
	once bool // set if it can be applied only once, so that a second attempt fails
	lost bool // set if an attempt whose response was lost may have been applied
	read bool // set if reading back has shown that it was applied
}

// repeatable reports whether sending the write twice has the same effect as sending it once.
func (w *write) repeatable() bool { return !w.once && !w.o.IfAbsent && w.o.IfVersion == "" }

// check returns an error if both conditions are set. Every store does that, but with both
// conditions a lost response could not be resolved here.
func (w *write) check() error {
	if w.o.IfAbsent && w.o.IfVersion != "" {
		return w.fail(fault.Selection, errors.New("both IfAbsent and IfVersion are set"))
	}
	return nil
}

// untouched reports whether err proves that a write was not applied: it was refused before any
// change, or it was never sent.
func untouched(err error) bool {
	var unsent interface{ Unsent() bool }
	var refusal interface{ Uncertain() bool }
	return errors.Is(err, fault.Throttled) && !(errors.As(err, &refusal) && refusal.Uncertain()) || errors.As(err, &unsent) && unsent.Unsent()
}

// unexpected reports whether err may result from an earlier attempt that succeeded but whose
// response was lost.
func (w *write) unexpected(err error) bool {
	if w.once {
		return !retryable(err)
	}
	return errors.Is(err, fault.Exists) || errors.Is(err, fault.Conflict)
}

// do calls send until it succeeds or retry gives up. The function look reads the key and reports
// whether its value has the bytes that send writes. It returns fault.Unchanged if the version is
// still o.IfVersion, and fault.Limit if the value is longer than the bytes.
func (w *write) do(ctx context.Context, send func(context.Context) (store.Version, error), look func() (store.Version, bool, error)) (_ store.Version, err error) {
	defer func() { w.settle(ctx, err) }()
	for {
		v, err := send(w.context(ctx))
		if err == nil {
			return v, nil
		}
		if w.lost && w.unexpected(err) {
			if v, state, lookErr := w.readBack(look); lookErr == nil && state == applied {
				w.read = true
				return v, nil
			}
			return "", w.note(err)
		}
		untouched := untouched(err)
		if err := w.retry(ctx, err); err != nil {
			return "", w.note(err)
		}
		if w.repeatable() || untouched {
			continue // repeatable, or refused before any change
		}
		w.lost = true
		v, state, err := w.readBack(look)
		switch {
		case err != nil:
			return "", err
		case state == applied:
			w.read = true
			return v, nil
		case state == replaced && w.o.IfAbsent:
			return "", w.note(w.fail(fault.Exists, nil))
		case state == replaced && w.o.IfVersion != "":
			return "", w.note(w.fail(fault.Conflict, nil))
		}
	}
}

type state int

const (
	unchanged state = iota // the state that the condition requires
	applied                // the value has the bytes that were sent
	replaced               // the key has another value
)

// readBack reads the key to find the outcome of a write whose response was lost.
func (w *write) readBack(look func() (store.Version, bool, error)) (store.Version, state, error) {
	v, same, err := look()
	switch {
	case err == nil && same:
		return v, applied, nil
	case err == nil, errors.Is(err, fault.Limit):
		return "", replaced, nil
	case errors.Is(err, fault.Unchanged):
		return "", unchanged, nil
	case errors.Is(err, fault.NotFound) && w.o.IfVersion == "":
		return "", unchanged, nil
	case errors.Is(err, fault.NotFound):
		return "", replaced, nil
	}
	return "", unchanged, fmt.Errorf("%s %q: the response was lost, and reading back failed: %w", w.op, w.key, err)
}

// note returns err. If a response was lost, it adds that an attempt may have been applied and then
// replaced.
func (w *write) note(err error) error {
	if !w.lost {
		return err
	}
	return fmt.Errorf("%w (the response to an earlier attempt was lost; it may have been applied and then replaced)", err)
}

// Delete implements [store.Store]. After a lost response Delete succeeds if the key is absent, even
// if the key was absent before the first attempt.
func (s *Store) Delete(ctx context.Context, key string, o store.DeleteOptions) (err error) {
	r, lost := s.run("delete", key), false
	defer func() { r.settle(ctx, err) }()
	for {
		err := s.Store.Delete(r.context(ctx), key, o)
		if err == nil {
			return nil
		}
		conflict := lost && errors.Is(err, fault.Conflict)
		untouched := untouched(err)
		if !conflict {
			if err := r.retry(ctx, err); err != nil {
				return err
			}
			if o.IfVersion == "" || untouched {
				continue
			}
			lost = true
		}
		switch _, look := r.look(ctx)(key, store.GetOptions{IfNotVersion: o.IfVersion, Max: 1}, nil); {
		case errors.Is(look, fault.NotFound):
			return nil // the key is gone
		case errors.Is(look, fault.Unchanged) && !conflict:
			continue
		case conflict:
			return err
		case look == nil, errors.Is(look, fault.Limit):
			return r.fail(fault.Conflict, fmt.Errorf("the response was lost, and the key now has another version"))
		default:
			return fmt.Errorf("delete %q: the response was lost, and reading back failed: %w", key, look)
		}
	}
}

// DeleteAll implements [store.BatchDeleter] if the store below does.
func (s *Store) DeleteAll(ctx context.Context, keys []string) error {
	bd, ok := s.Store.(store.BatchDeleter)
	if !ok {
		return errors.ErrUnsupported
	}
	if len(keys) == 0 {
		return nil
	}
	r := s.run("delete", keys[0])
	return r.do(ctx, func(ctx context.Context) error {
		err := bd.DeleteAll(ctx, keys)
		if left := left(keys, err); len(left) < len(keys) {
			keys = left
			r.progress()
		}
		return err
	})
}

// left returns the keys that remain after a failure, or all keys if the remaining keys are unknown.
func left(keys []string, err error) []string {
	var of *store.NotDeleted
	if !errors.As(err, &of) || len(of.Keys) == 0 || len(of.Keys) > len(keys) {
		return keys
	}
	requested := make(map[string]bool, len(keys))
	for _, k := range keys {
		requested[k] = true
	}
	for _, k := range of.Keys {
		if !requested[k] {
			return keys // the error has other keys
		}
	}
	return of.Keys
}
