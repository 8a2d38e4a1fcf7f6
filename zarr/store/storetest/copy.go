package storetest

import (
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func verbCopy(e *env) {
	const clause = "Copy replaces the value of one key by that of another"
	value, other := pattern(100, 1), pattern(50, 2)
	const from, to = "copy/from", "copy/to"
	version, ok := e.put(from, value)
	if !ok {
		return
	}
	copied, err := store.Copy(e.ctx, e.s, from, to, store.CopyOptions{})
	if errors.Is(err, errors.ErrUnsupported) {
		return // permitted, because callers can use Get and Put instead
	}
	if err != nil {
		e.bad(clause, "Copy: %w", err)
		return
	}
	if v, ok := e.holds(clause, to, value); ok && v.Version != copied {
		e.bad("Copy returns the Version that Get returns", "Get returned %q, Copy %q", v.Version, copied)
	}
	e.holds("Copy does not change its source", from, value)
	_, err = store.Copy(e.ctx, e.s, "absent", to, store.CopyOptions{})
	e.expect("an absent source is fault.NotFound", err, fault.NotFound, "Copy(absent)")
	e.holds("a Copy that fails writes nothing", to, value)
	if e.has(AnyKey) {
		odd := "copy/a b+%41&?"
		if _, ok := e.put(odd, other); ok {
			if _, err := store.Copy(e.ctx, e.s, odd, odd+"2", store.CopyOptions{}); err != nil {
				e.bad(clause, "Copy(%q): %w", odd, err)
			}
			e.holds(clause, odd+"2", other)
		}
	}
	if _, err := store.Copy(e.ctx, e.s, from, to, store.CopyOptions{IfAbsent: true, IfVersion: "x"}); err == nil {
		e.bad("both conditions together are fault.Selection", "Copy: no error")
	}

	// A Copy whose conditions hold may succeed or be refused as unsupported. Any other Copy must
	// not write.
	if copied, ok = e.put(to, other); !ok {
		return
	}
	fails := func(from string, o store.CopyOptions, kind error) {
		_, err := store.Copy(e.ctx, e.s, from, to, o)
		if !errors.Is(err, errors.ErrUnsupported) {
			e.expect("Copy honours its conditions", err, kind, fmt.Sprintf("Copy(%q, %+v)", from, o))
		}
		e.holds("a refused Copy writes nothing", to, other)
	}
	fails(from, store.CopyOptions{IfAbsent: true}, fault.Exists)
	if e.has(Versions) {
		fails(from, store.CopyOptions{FromVersion: copied}, fault.Conflict)
		fails("absent", store.CopyOptions{FromVersion: version}, fault.Conflict)
		fails(from, store.CopyOptions{IfVersion: version}, fault.Conflict)
		fails("absent", store.CopyOptions{IfVersion: copied}, fault.NotFound)
	}
	works := func(o store.CopyOptions, to string) {
		_, err := store.Copy(e.ctx, e.s, from, to, o)
		if errors.Is(err, errors.ErrUnsupported) {
			return
		}
		if err != nil {
			e.bad("Copy honours its conditions", "Copy(%q, %+v): %w", to, o, err)
		}
		e.holds(clause, to, value)
	}
	works(store.CopyOptions{IfAbsent: true}, "copy/new")
	if e.has(Versions) {
		works(store.CopyOptions{FromVersion: version}, "copy/pinned")
		works(store.CopyOptions{IfVersion: copied}, to)
	}
}
