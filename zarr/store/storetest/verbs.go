package storetest

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func verbDeleteAll(e *env) {
	const clause = "DeleteAll removes the keys, absent ones are no error"
	n := min(e.cfg.keys, 50)
	keys := make([]string, n, n+2)
	for i := range keys {
		keys[i] = fmt.Sprintf("all/%d/x", i)
		if e.has(AnyKey) {
			keys[i] += " &<+%\">" // a batch may travel as XML or in a query
		}
	}
	e.each(16, n, func(i int) {
		if _, err := e.s.Put(e.ctx, keys[i], []byte("x"), store.PutOptions{}); err != nil {
			e.bad("Put replaces the value", "Put(%q): %w", keys[i], err)
		}
	})
	if _, ok := e.put("stays", []byte("x")); !ok {
		return
	}
	for range 2 {
		if err := store.DeleteAll(e.ctx, e.s, append(keys, "absent", "no/such/folder")); err != nil {
			e.bad(clause, "DeleteAll: %w", err)
		}
		e.lists(clause, "", store.Deep, []string{"stays"}, nil)
	}
	if err := store.DeleteAll(e.ctx, e.s, nil); err != nil {
		e.bad(clause, "DeleteAll of nothing: %w", err)
	}
}

func verbParts(e *env) {
	p, err := store.PutParts(e.ctx, e.s, "parts/x")
	if errors.Is(err, errors.ErrUnsupported) {
		return // allowed: Put is the way then
	}
	if err != nil {
		e.bad("PutParts begins a value", "PutParts: %w", err)
		return
	}
	size := max(p.MinPart(), 10)
	one, two, tail := pattern(size, 1), pattern(size+3, 2), pattern(7, 3)
	const clause = "parts become the value by Commit, in order, a part sent again replaces"
	e.each(4, 4, func(i int) {
		var err error
		switch i {
		case 0:
			err = p.Part(e.ctx, 2, bytes.Clone(tail))
		case 1:
			err = p.Part(e.ctx, 0, bytes.Clone(one))
		case 2:
			if err = p.Part(e.ctx, 1, pattern(size, 9)); err == nil {
				b := bytes.Clone(two)
				err = p.Part(e.ctx, 1, b)
				clear(b) // parts are not kept either
			}
		}
		if err != nil {
			e.bad(clause, "Part: %w", err)
		}
	})
	e.refused("nothing is visible before Commit", fault.NotFound, "parts/x", store.GetOptions{})
	e.lists("nothing is visible before Commit", "", store.Deep, nil, nil)
	version, err := p.Commit(e.ctx, store.PutOptions{})
	if err != nil {
		e.bad(clause, "Commit: %w", err)
		return
	}
	want := bytes.Join([][]byte{one, two, tail}, nil)
	if v, ok := e.holds(clause, "parts/x", want); ok && v.Version != version {
		e.bad("the Version of Commit is that of Get", "Get said %q, Commit %q", v.Version, version)
	}
	if err := p.Abort(e.ctx); err != nil {
		e.bad("Abort does nothing after a successful Commit", "Abort: %w", err)
	}
	e.holds("Abort does nothing after a successful Commit", "parts/x", want)
	e.commitFails("IfAbsent", store.PutOptions{IfAbsent: true}, fault.Exists, IfAbsentPut, want)
	if version == "" {
		version = "storetest"
	}
	e.commitFails("IfVersion", store.PutOptions{IfVersion: version + "0"}, fault.Conflict, IfVersionPut, want)
	e.commitFails("both", store.PutOptions{IfAbsent: true, IfVersion: version}, fault.Selection, "", want)
	p, err = store.PutParts(e.ctx, e.s, "parts/y")
	if err == nil {
		err = errors.Join(p.Part(e.ctx, 0, one), p.Abort(e.ctx))
	}
	if err != nil {
		e.bad("Abort drops the parts", "Part, Abort: %w", err)
	}
	e.refused("Abort drops the parts", fault.NotFound, "parts/y", store.GetOptions{})
}

func (e *env) commitFails(what string, o store.PutOptions, kind error, f Feature, want []byte) {
	if f != "" && !e.has(f) {
		kind = errors.ErrUnsupported
	}
	clause := "Commit goes by the condition"
	p, err := store.PutParts(e.ctx, e.s, "parts/x")
	if err == nil {
		err = p.Part(e.ctx, 0, []byte("other"))
	}
	if err != nil {
		e.bad("PutParts begins a value", "PutParts, Part: %w", err)
		return
	}
	_, err = p.Commit(e.ctx, o)
	e.expect(clause, err, kind, "Commit("+what+")")
	if err := p.Abort(e.ctx); err != nil {
		e.bad("Abort may be called after a failed Commit", "Abort: %w", err)
	}
	e.holds("a refused Commit writes nothing", "parts/x", want)
}

// readOnly shows that a store which takes no writes refuses each, and changes nothing.
func readOnly(e *env) {
	if e.s == e.w {
		return
	}
	const clause = "a store that takes no writes is fault.ReadOnly"
	if _, ok := e.put("x", []byte("1")); !ok {
		return
	}
	for _, key := range []string{"x", "y"} {
		for _, o := range []store.PutOptions{{}, {IfAbsent: true}} {
			_, err := e.s.Put(e.ctx, key, []byte("2"), o)
			e.expect(clause, err, fault.ReadOnly, fmt.Sprintf("Put(%q, %+v)", key, o))
		}
		e.expect(clause, e.s.Delete(e.ctx, key, store.DeleteOptions{}), fault.ReadOnly, fmt.Sprintf("Delete(%q)", key))
	}
	e.expect(clause, store.DeleteAll(e.ctx, e.s, []string{"x"}), fault.ReadOnly, "DeleteAll(x)")
	if _, err := store.PutParts(e.ctx, e.s, "z"); !errors.Is(err, fault.ReadOnly) && !errors.Is(err, errors.ErrUnsupported) {
		e.bad(clause, "PutParts(z): %w", orNone(err))
	}
	e.lists("a refused write writes nothing", "", store.Deep, []string{"x"}, nil)
	e.holds("a refused write writes nothing", "x", []byte("1"))
}

// closing shows that Close succeeds and that what comes after it does not panic, whether it works or not.
func closing(e *env) {
	if _, ok := e.put("x", []byte("1")); !ok {
		return
	}
	if err := e.s.Close(); err != nil {
		e.bad("Close gives back what the store holds", "Close: %w", err)
	}
	_, _ = e.s.Get(e.ctx, "x", store.GetOptions{}, nil)
	_, _ = e.s.Put(e.ctx, "y", []byte("1"), store.PutOptions{})
	_ = e.s.Delete(e.ctx, "x", store.DeleteOptions{})
	_, _ = collect(e.s.List(e.ctx, "", store.ListOptions{}))
	_ = e.s.Close()
}

// sameArray tells whether two slices begin at the same place in memory.
func sameArray(a, b []byte) bool {
	return cap(a) > 0 && cap(b) > 0 && &a[:1][0] == &b[:1][0]
}
