package storetest

import (
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func putPlain(e *env) {
	for i, size := range []int{300, 100_000, 10, 0, 500} {
		if _, ok := e.put("a/key", pattern(size, i)); ok {
			e.holds("Put replaces the value", "a/key", pattern(size, i))
		}
	}
	if _, ok := e.put("a/other", []byte("other")); ok {
		e.holds("Put replaces no other key's value", "a/key", pattern(500, 4))
	}
}

func putKept(e *env) {
	value := pattern(100, 1)
	if _, ok := e.put("kept", value); !ok {
		return
	}
	if string(value) != string(pattern(100, 1)) {
		e.bad("Put does not modify the caller's bytes", "they were modified")
	}
	clear(value)
	e.holds("Put does not keep the caller's bytes", "kept", pattern(100, 1))
}

func putIfAbsent(e *env) {
	o := store.PutOptions{IfAbsent: true}
	if !e.has(IfAbsentPut) {
		_, err := e.s.Put(e.ctx, "x", []byte("1"), o)
		e.expect("a condition that cannot be honoured is errors.ErrUnsupported (IfAbsentPut)", err, errors.ErrUnsupported, "Put(x, IfAbsent)")
		e.refused("a refused Put writes nothing", fault.NotFound, "x", store.GetOptions{})
		return
	}
	version, err := e.s.Put(e.ctx, "x", []byte("1"), o)
	if err != nil {
		e.bad("IfAbsent writes if the key has no value", "Put(x, IfAbsent): %w", err)
		return
	}
	if v, ok := e.holds("IfAbsent writes the value", "x", []byte("1")); ok && v.Version != version {
		e.bad("Put returns the Version that Get returns", "Get returned %q, Put %q", v.Version, version)
	}
	_, err = e.s.Put(e.ctx, "x", []byte("2"), o)
	e.expect("IfAbsent is fault.Exists if the key has a value", err, fault.Exists, "Put(x, IfAbsent)")
	e.holds("a refused Put writes nothing", "x", []byte("1"))

	if _, ok := e.put("nothing", nil); ok {
		_, err = e.s.Put(e.ctx, "nothing", []byte("2"), o)
		e.expect("an empty value is a value: IfAbsent is fault.Exists", err, fault.Exists, "Put(nothing, IfAbsent)")
	}
	if err := e.s.Delete(e.ctx, "x", store.DeleteOptions{}); err != nil {
		e.bad("Delete removes the key", "Delete(x): %w", err)
		return
	}
	if _, err = e.s.Put(e.ctx, "x", []byte("3"), o); err != nil {
		e.bad("IfAbsent writes again after a Delete", "Put(x, IfAbsent): %w", err)
		return
	}
	e.holds("IfAbsent writes again after a Delete", "x", []byte("3"))
}

func putIfVersion(e *env) {
	first, ok := e.put("x", []byte("1"))
	if !ok {
		return
	}
	if !e.has(IfVersionPut) {
		if first == "" {
			first = "storetest"
		}
		_, err := e.s.Put(e.ctx, "x", []byte("2"), store.PutOptions{IfVersion: first})
		e.expect("a condition that cannot be honoured is errors.ErrUnsupported (IfVersionPut)", err, errors.ErrUnsupported, "Put(x, IfVersion)")
		e.holds("a refused Put writes nothing", "x", []byte("1"))
		return
	}
	second, err := e.s.Put(e.ctx, "x", []byte("2"), store.PutOptions{IfVersion: first})
	if err != nil {
		e.bad("IfVersion writes over this version", "Put(x, IfVersion): %w", err)
		return
	}
	if v, ok := e.holds("IfVersion writes the value", "x", []byte("2")); ok && v.Version != second {
		e.bad("Put returns the Version that Get returns", "Get returned %q, Put %q", v.Version, second)
	}
	e.conflict("is at another version", "x", first)
	e.holds("a refused Put writes nothing", "x", []byte("2"))
	e.conflict("never was", "y", first)
	e.refused("a refused Put writes nothing", fault.NotFound, "y", store.GetOptions{})
	if err := e.s.Delete(e.ctx, "x", store.DeleteOptions{}); err != nil {
		e.bad("Delete removes the key", "Delete(x): %w", err)
		return
	}
	e.conflict("was deleted", "x", second)
	e.refused("a refused Put writes nothing", fault.NotFound, "x", store.GetOptions{})
	if _, ok := e.put("x", []byte("3")); ok {
		e.conflict("was deleted and made again", "x", second)
		e.holds("a refused Put writes nothing", "x", []byte("3"))
	}
}

func (e *env) conflict(how, key string, v store.Version) {
	_, err := e.s.Put(e.ctx, key, []byte("stale"), store.PutOptions{IfVersion: v})
	e.expect("IfVersion is fault.Conflict, never NotFound, when the key "+how, err, fault.Conflict, fmt.Sprintf("Put(%s, IfVersion)", key))
}

func putBoth(e *env) {
	first, ok := e.put("x", []byte("1"))
	if !ok {
		return
	}
	if first == "" {
		first = "storetest"
	}
	for _, key := range []string{"x", "y"} {
		_, err := e.s.Put(e.ctx, key, []byte("2"), store.PutOptions{IfAbsent: true, IfVersion: first})
		e.expect("both conditions together are fault.Selection", err, fault.Selection, fmt.Sprintf("Put(%s, IfAbsent+IfVersion)", key))
	}
	e.holds("a refused Put writes nothing", "x", []byte("1"))
}

// putABA writes A, then B, then different bytes of A's length. The third value must not have A's
// version.
func putABA(e *env) {
	if !e.has(Versions) || !e.has(IfVersionPut) {
		return // putIfVersion tests that it is refused
	}
	for i := range e.cfg.rounds {
		first, ok := e.put("x", fmt.Appendf(nil, "A%06d", i))
		if !ok {
			return
		}
		if _, ok := e.put("x", fmt.Appendf(nil, "B%06d", i)); !ok {
			return
		}
		third := fmt.Appendf(nil, "C%06d", i)
		if _, ok := e.put("x", third); !ok {
			return
		}
		_, err := e.s.Put(e.ctx, "x", []byte("lost"), store.PutOptions{IfVersion: first})
		if !e.expect("a version is not reused for other bytes (ABA)", err, fault.Conflict, "Put(x, IfVersion)") {
			return
		}
		e.holds("a refused Put writes nothing", "x", third)
		if e.has(IfVersionGet) {
			e.refused("a version is not reused for other bytes (ABA)", fault.Conflict, "x", store.GetOptions{IfVersion: first})
		}
	}
}

func deletePlain(e *env) {
	const clause = "deleting an absent key is not an error"
	for _, key := range []string{"absent", "no/such/folder/absent"} {
		if err := e.s.Delete(e.ctx, key, store.DeleteOptions{}); err != nil {
			e.bad(clause, "Delete(%q): %w", key, err)
		}
	}
	_, ok := e.put("d/x", []byte("1"))
	if _, ok2 := e.put("d/y", []byte("2")); !ok || !ok2 {
		return
	}
	for range 2 {
		if err := e.s.Delete(e.ctx, "d/x", store.DeleteOptions{}); err != nil {
			e.bad(clause, "Delete(d/x): %w", err)
		}
		e.refused("Delete removes the key", fault.NotFound, "d/x", store.GetOptions{})
	}
	for _, key := range []string{"d", "d/y/below"} {
		if err := e.s.Delete(e.ctx, key, store.DeleteOptions{}); err != nil {
			e.bad(clause, "Delete(%q): %w", key, err)
		}
	}
	e.holds("Delete removes no other key", "d/y", []byte("2"))
}

func deleteIfVersion(e *env) {
	first, ok := e.put("x", []byte("1"))
	if !ok {
		return
	}
	if !e.has(IfVersionDelete) {
		if first == "" {
			first = "storetest"
		}
		err := e.s.Delete(e.ctx, "x", store.DeleteOptions{IfVersion: first})
		e.expect("a condition that cannot be honoured is errors.ErrUnsupported (IfVersionDelete)", err, errors.ErrUnsupported, "Delete(x, IfVersion)")
		e.holds("a refused Delete removes nothing", "x", []byte("1"))
		return
	}
	second, ok := e.put("x", []byte("2"))
	if !ok {
		return
	}
	err := e.s.Delete(e.ctx, "x", store.DeleteOptions{IfVersion: first})
	e.expect("Delete of another version is fault.Conflict", err, fault.Conflict, "Delete(x, IfVersion)")
	e.holds("a refused Delete removes nothing", "x", []byte("2"))
	if err := e.s.Delete(e.ctx, "x", store.DeleteOptions{IfVersion: second}); err != nil {
		e.bad("Delete removes this version", "Delete(x, IfVersion): %w", err)
	}
	e.refused("Delete removes this version", fault.NotFound, "x", store.GetOptions{})
	for _, key := range []string{"x", "never/was"} {
		err = e.s.Delete(e.ctx, key, store.DeleteOptions{IfVersion: second})
		e.expect("Delete of a version of an absent key is fault.Conflict", err, fault.Conflict, fmt.Sprintf("Delete(%s, IfVersion)", key))
	}
}
