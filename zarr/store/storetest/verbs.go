package storetest

import (
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func verbDeleteAll(e *env) {
	const clause = "DeleteAll removes the keys, and absent keys are not an error"
	n := min(e.cfg.keys, 50)
	keys := make([]string, n, n+2)
	for i := range keys {
		keys[i] = fmt.Sprintf("all/%d/x", i)
		if e.has(AnyKey) {
			keys[i] += " &<+%\">" // a batch may be sent as XML or in a query
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

// readOnly tests that a read-only store refuses all writes and that nothing changes.
func readOnly(e *env) {
	if e.s == e.w {
		return
	}
	const clause = "writes to a read-only store are fault.ReadOnly"
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
	if _, err := store.PutParts(e.ctx, e.s, "z", store.PartsOptions{}); !errors.Is(err, fault.ReadOnly) && !errors.Is(err, errors.ErrUnsupported) {
		e.bad(clause, "PutParts(z): %w", orNone(err))
	}
	if _, err := store.Copy(e.ctx, e.s, "x", "z", store.CopyOptions{}); !errors.Is(err, fault.ReadOnly) && !errors.Is(err, errors.ErrUnsupported) {
		e.bad(clause, "Copy(x, z): %w", orNone(err))
	}
	e.lists("a refused write writes nothing", "", store.Deep, []string{"x"}, nil)
	e.holds("a refused write writes nothing", "x", []byte("1"))
}

// closing tests that Close succeeds and that later calls do not panic.
func closing(e *env) {
	if _, ok := e.put("x", []byte("1")); !ok {
		return
	}
	if err := e.s.Close(); err != nil {
		e.bad("Close releases the resources of the store", "Close: %w", err)
	}
	_, _ = e.s.Get(e.ctx, "x", store.GetOptions{}, nil)
	_, _ = e.s.Put(e.ctx, "y", []byte("1"), store.PutOptions{})
	_ = e.s.Delete(e.ctx, "x", store.DeleteOptions{})
	_, _ = collect(e.s.List(e.ctx, "", store.ListOptions{}))
	_ = e.s.Close()
}

// sameArray reports whether two slices start at the same address.
func sameArray(a, b []byte) bool {
	return cap(a) > 0 && cap(b) > 0 && &a[:1][0] == &b[:1][0]
}
