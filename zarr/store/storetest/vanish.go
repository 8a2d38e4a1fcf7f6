package storetest

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// vanished removes the underlying directory or bucket of a store that has a value.
func vanished(e *env) {
	if e.cfg.vanish == nil {
		return
	}
	version, ok := e.put("a/held", []byte("1"))
	if !ok {
		return
	}
	e.holds("Put replaces the value", "a/held", []byte("1"))
	if err := e.cfg.vanish(e.s); err != nil {
		e.bad("Vanish removes the directory or bucket of the store", "%w", err)
		return
	}
	failed := func(clause, call string, err error) {
		if !errors.Is(err, fault.Refused) && !errors.Is(err, fault.Unavailable) || errors.Is(err, fault.NotFound) {
			e.bad(clause, "%s: want %q or %q, got: %w", call, fault.Refused, fault.Unavailable, orNone(err))
		}
	}
	const gone = "a store whose directory is gone does not prove absence"
	options := []store.GetOptions{{}}
	if e.has(Versions) && e.has(IfVersionGet) {
		options = append(options, store.GetOptions{IfVersion: version})
	}
	for _, key := range []string{"a/held", "a/never", "never"} {
		for _, o := range options {
			_, err := e.s.Get(e.ctx, key, o, nil)
			failed(gone, "Get("+key+")", err)
		}
	}
	for _, prefix := range []string{"", "a"} {
		_, err := collect(e.s.List(e.ctx, prefix, store.ListOptions{}))
		failed(gone, "List("+prefix+")", err)
		_, err = collect(store.Pages(e.ctx, e.s, prefix, store.ListOptions{Depth: store.OneLevel}))
		failed(gone, "Pages("+prefix+")", err)
	}
	if e.w != e.s {
		return
	}
	const lost = "a store whose directory is gone refuses writes"
	_, err := e.s.Put(e.ctx, "a/held", []byte("2"), store.PutOptions{})
	failed(lost, "Put(a/held)", err)
	if e.has(IfAbsentPut) {
		_, err = e.s.Put(e.ctx, "new", []byte("2"), store.PutOptions{IfAbsent: true})
		failed(lost, "Put(new, IfAbsent)", err)
	}
	failed(lost, "Delete(a/held)", e.s.Delete(e.ctx, "a/held", store.DeleteOptions{}))
}
