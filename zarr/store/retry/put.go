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

// write is a write under way that may have a condition.
type write struct {
	*run
	o    store.PutOptions
	once bool // what is sent can be applied only once, and fails in a way of its own after that
	lost bool // a try whose answer was lost may have been applied
	read bool // and it was, as reading back showed
}

// repeatable tells whether sending twice is the same as sending once.
func (w *write) repeatable() bool { return !w.once && !w.o.IfAbsent && w.o.IfVersion == "" }

// check refuses what no store takes: read back by two conditions, a lost answer could not be
// judged.
func (w *write) check() error {
	if w.o.IfAbsent && w.o.IfVersion != "" {
		return w.fail(fault.Selection, errors.New("both IfAbsent and IfVersion are set"))
	}
	return nil
}

// untouched tells of a write that failed that nothing happened: it was refused before anything was
// done, or never sent.
func untouched(err error) bool {
	var unsent *store.UnsentError
	var refusal interface{ Uncertain() bool }
	return errors.Is(err, fault.Throttled) && !(errors.As(err, &refusal) && refusal.Uncertain()) || errors.As(err, &unsent)
}

// unexpected tells whether an error after a lost answer may come from that try's success.
func (w *write) unexpected(err error) bool {
	if w.once {
		return !retryable(err)
	}
	return errors.Is(err, fault.Exists) || errors.Is(err, fault.Conflict)
}

// do sends until there is an answer. look reads the key, but not at version o.IfVersion, and tells
// whether it holds what send writes; fault.Limit from it means that it holds something longer.
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
		if err := w.again(ctx, err); err != nil {
			return "", w.note(err)
		}
		if w.repeatable() || untouched {
			continue // harmless twice, or refused before anything was done
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
	asBefore state = iota // what the condition asks for is still there
	applied               // what was sent is there
	replaced              // something else is there
)

// readBack tells what became of a write whose answer was lost.
func (w *write) readBack(look func() (store.Version, bool, error)) (store.Version, state, error) {
	v, same, err := look()
	switch {
	case err == nil && same:
		return v, applied, nil
	case err == nil, errors.Is(err, fault.Limit):
		return "", replaced, nil
	case errors.Is(err, fault.Unchanged):
		return "", asBefore, nil
	case errors.Is(err, fault.NotFound) && w.o.IfVersion == "":
		return "", asBefore, nil
	case errors.Is(err, fault.NotFound):
		return "", replaced, nil
	}
	return "", asBefore, fmt.Errorf("%s %q: its answer was lost, and so was whether it happened: %w", w.op, w.key, err)
}

// note says that a try may have been applied, and replaced since.
func (w *write) note(err error) error {
	if !w.lost {
		return err
	}
	return fmt.Errorf("%w (the answer to an earlier try was lost; it may have been applied and then replaced)", err)
}

// Delete implements [store.Store]. After a lost answer, an absent key is success, also if it was
// absent before.
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
			if err := r.again(ctx, err); err != nil {
				return err
			}
			if o.IfVersion == "" || untouched {
				continue
			}
			lost = true
		}
		switch _, look := r.look(ctx)(key, store.GetOptions{IfNotVersion: o.IfVersion, Max: 1}, nil); {
		case errors.Is(look, fault.NotFound):
			return nil // gone, as was asked for
		case errors.Is(look, fault.Unchanged) && !conflict:
			continue
		case conflict:
			return err
		case look == nil, errors.Is(look, fault.Limit):
			return r.fail(fault.Conflict, fmt.Errorf("the answer was lost, and now it holds another version"))
		default:
			return fmt.Errorf("delete %q: its answer was lost, and so was whether it happened: %w", key, look)
		}
	}
}

// DeleteAll implements [store.BatchDeleter] where the store below does.
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

// left is which of the keys are still there after a failure, as far as is known.
func left(keys []string, err error) []string {
	var of *store.NotDeleted
	if !errors.As(err, &of) || len(of.Keys) == 0 || len(of.Keys) > len(keys) {
		return keys
	}
	asked := make(map[string]bool, len(keys))
	for _, k := range keys {
		asked[k] = true
	}
	for _, k := range of.Keys {
		if !asked[k] {
			return keys // names of another store
		}
	}
	return of.Keys
}
