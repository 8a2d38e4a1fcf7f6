package storetest

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func getAbsent(e *env) {
	const clause = "only a proven absence is fault.NotFound, and an absent key is proven absent"
	e.refused(clause, fault.NotFound, "absent", store.GetOptions{})
	e.refused(clause, fault.NotFound, "no/such/folder/absent", store.GetOptions{Range: store.Within(0, 4), Max: 4})
	if e.has(LastRange) {
		e.refused(clause, fault.NotFound, "absent", store.GetOptions{Range: store.Suffix(4)})
	}
	if _, ok := e.put("dir/file", []byte("x")); !ok {
		return
	}
	e.noKey("a path with keys below it is no key", "dir")
	e.noKey("a path below a key is no key", "dir/file/below")
}

// noKey checks the error of a Get for a key that cannot have a value, because another key is above
// or below it.
func (e *env) noKey(clause, key string) {
	if _, err := e.s.Get(e.ctx, key, store.GetOptions{}, nil); errors.Is(err, fault.Refused) {
		e.refused(clause, fault.Refused, key, store.GetOptions{})
		return
	}
	e.refused(clause, fault.NotFound, key, store.GetOptions{})
}

func getWhole(e *env) {
	for _, size := range []int{0, 1, 1000, 100_000} {
		key := fmt.Sprintf("whole/%d", size)
		want := pattern(size, size)
		version, ok := e.put(key, want)
		if !ok {
			continue
		}
		v, ok := e.holds("Get returns all of the bytes", key, want)
		if ok && v.Version != version {
			e.bad("Put returns the Version that Get returns", "Get(%q) returned %q, Put %q", key, v.Version, version)
		}
		if w, ok := e.get(key, store.GetOptions{}); ok && w.Version != v.Version {
			e.bad("a value keeps its Version", "Get(%q) returned %q, then %q", key, v.Version, w.Version)
		}
	}
}

func getRanges(e *env) {
	const n = 1000
	value := pattern(n, 1)
	version, ok := e.put("ranges", value)
	if _, ok2 := e.put("empty", nil); !ok || !ok2 {
		return
	}
	good := []struct {
		r        store.Range
		from, to int
	}{
		{store.Range{}, 0, n},
		{store.From(0), 0, n},
		{store.From(1), 1, n},
		{store.From(n - 1), n - 1, n},
		{store.Within(0, 1), 0, 1},
		{store.Within(0, n), 0, n},
		{store.Within(17, 300), 17, 317},
		{store.Within(n-1, 1), n - 1, n},
		{store.Suffix(1), n - 1, n},
		{store.Suffix(17), n - 17, n},
		{store.Suffix(n), 0, n},
	}
	for _, c := range good {
		o := store.GetOptions{Range: c.r}
		if _, isLast := c.r.IsSuffix(); isLast && !e.has(LastRange) {
			e.refused("an unsupported feature is errors.ErrUnsupported (LastRange)", errors.ErrUnsupported, "ranges", o)
			continue
		}
		if v, ok := e.get("ranges", o); ok && e.same("Get returns the selected bytes", "ranges", o, v, value[c.from:c.to], n) &&
			v.Version != version {
			e.bad("a value keeps its Version", "Get(ranges, %v) returned %q, Put %q", c.r, v.Version, version)
		}
	}
	short := []struct {
		key string
		r   store.Range
	}{
		{"ranges", store.From(n)},
		{"ranges", store.From(n + 1)},
		{"ranges", store.Within(0, n+1)},
		{"ranges", store.Within(n-1, 2)},
		{"ranges", store.Within(n, 1)},
		{"ranges", store.Within(1<<40, 1)},
		{"ranges", store.Suffix(n + 1)},
		{"empty", store.From(0)},
		{"empty", store.Within(0, 1)},
		{"empty", store.Suffix(1)},
	}
	for _, c := range short {
		if _, isLast := c.r.IsSuffix(); isLast && !e.has(LastRange) {
			continue
		}
		e.refused("a value shorter than the range is fault.Corrupt", fault.Corrupt, c.key, store.GetOptions{Range: c.r})
	}
	for _, r := range []store.Range{
		store.From(-1), store.Within(0, 0), store.Within(5, 0), store.Within(-1, 2), store.Within(0, -1),
		store.Within(1<<62, 1<<62), store.Suffix(0), store.Suffix(-1),
	} {
		const clause = "an empty or negative range is fault.Selection, and no request is made"
		e.refused(clause, fault.Selection, "ranges", store.GetOptions{Range: r})
		e.refused(clause, fault.Selection, "absent", store.GetOptions{Range: r})
	}
}

func getMax(e *env) {
	value := pattern(1000, 2)
	version, ok := e.put("max", value)
	if !ok {
		return
	}
	if v, ok := e.get("max", store.GetOptions{Max: 1000}); ok {
		e.same("Max itself is allowed", "max", store.GetOptions{Max: 1000}, v, value, 1000)
	}
	o := store.GetOptions{Range: store.Within(10, 20), Max: 20}
	if v, ok := e.get("max", o); ok {
		e.same("Max bounds the selected bytes, not the size", "max", o, v, value[10:30], 1000)
	}
	const clause = "more bytes than Max are fault.Limit"
	e.refused(clause, fault.Limit, "max", store.GetOptions{Max: 999})
	var long *store.TooLong
	_, err := e.s.Get(e.ctx, "max", store.GetOptions{Max: 999}, nil)
	if errors.As(err, &long) && (long.Announced != 1000 || version != "" && long.Version != "" && long.Version != version) {
		e.bad("TooLong has the length and the version of the value", "it is %+v for 1000 bytes of version %q", *long, version)
	}
	e.refused(clause, fault.Limit, "max", store.GetOptions{Range: store.Within(0, 21), Max: 20})
	e.refused(clause, fault.Limit, "max", store.GetOptions{Range: store.From(10), Max: 989})
	if e.has(LastRange) {
		e.refused(clause, fault.Limit, "max", store.GetOptions{Range: store.Suffix(11), Max: 10})
	}
}

func getBuffer(e *env) {
	value := pattern(500, 3)
	if _, ok := e.put("buffer", value); !ok {
		return
	}
	const prefix = "held before"
	for _, r := range []store.Range{{}, store.Within(100, 200)} {
		off, n, _ := r.Resolve(500)
		want := append([]byte(prefix), value[off:off+n]...)
		for _, spare := range []int64{n, n + 100, 0, n - 1} {
			buf := append(make([]byte, 0, int64(len(prefix))+spare), prefix...)
			v, err := e.s.Get(e.ctx, "buffer", store.GetOptions{Range: r}, buf)
			if err != nil {
				e.bad("Get returns all of the selected bytes", "Get(buffer, %v): %w", r, err)
				continue
			}
			if !bytes.Equal(v.Bytes, want) {
				e.bad("Bytes is buf with the selected bytes appended", "range %v, spare capacity %d: got %s, want %s",
					r, spare, brief(v.Bytes), brief(want))
			}
			if spare >= n && !sameArray(v.Bytes, buf) {
				e.bad("Bytes uses buf's array if that has the capacity", "range %v, spare capacity %d for %d bytes: another array",
					r, spare, n)
			}
			if !bytes.Equal(buf, []byte(prefix)) {
				e.bad("the contents of buf are not modified", "range %v: buf now holds %s", r, brief(buf))
			}
		}
	}
	v, ok := e.get("buffer", store.GetOptions{})
	if !ok {
		return
	}
	clear(v.Bytes)
	e.holds("the returned bytes belong to the caller", "buffer", value)
}

func getVersions(e *env) {
	if !e.has(Versions) {
		if _, ok := e.put("v", []byte("1")); ok {
			const clause = "a store without versions refuses a pinned read with errors.ErrUnsupported"
			e.refused(clause, errors.ErrUnsupported, "v", store.GetOptions{IfVersion: "storetest"})
			e.refused(clause, errors.ErrUnsupported, "v", store.GetOptions{IfNotVersion: "storetest"})
		}
		return
	}
	seen := map[store.Version]string{}
	for _, value := range []string{"one", "two", "six", "", "longer than before", "eno"} {
		version, ok := e.put("v", []byte(value))
		if !ok {
			return
		}
		if old, dup := seen[version]; dup {
			e.bad("values that differ in a byte never have the same Version", "%q and %q both have %q", old, value, version)
		}
		seen[version] = value
		if v, ok := e.holds("Put replaces the value", "v", []byte(value)); ok && v.Version != version {
			e.bad("Put returns the Version that Get returns", "Get returned %q, Put %q", v.Version, version)
		}
	}
	if err := e.w.Delete(e.ctx, "v", store.DeleteOptions{}); err != nil {
		e.bad("Delete removes the key", "Delete(v): %w", err)
	}
	if version, ok := e.put("v", []byte("not seen before")); ok && seen[version] != "" {
		e.bad("values that differ in a byte never have the same Version", "%q and, after a Delete, another both have %q",
			seen[version], version)
	}
}

func getPinned(e *env) {
	if !e.has(Versions) {
		return // getVersions tests that it is refused
	}
	first, ok := e.put("pin", pattern(100, 4))
	if !ok {
		return
	}
	pin := store.GetOptions{IfVersion: first}
	pinPart := store.GetOptions{IfVersion: first, Range: store.Within(10, 20)}
	not := store.GetOptions{IfNotVersion: first}
	if !e.has(IfVersionGet) {
		e.refused("an unsupported feature is errors.ErrUnsupported (IfVersionGet)", errors.ErrUnsupported, "pin", pin)
	}
	if !e.has(IfNotVersionGet) {
		e.refused("an unsupported feature is errors.ErrUnsupported (IfNotVersionGet)", errors.ErrUnsupported, "pin", not)
	}
	if e.has(IfVersionGet) {
		if v, ok := e.get("pin", pin); ok {
			e.same("a pinned Get of the same version reads", "pin", pin, v, pattern(100, 4), 100)
		}
		if v, ok := e.get("pin", pinPart); ok {
			e.same("a pinned Get of the same version reads", "pin", pinPart, v, pattern(100, 4)[10:30], 100)
		}
	}
	if e.has(IfNotVersionGet) {
		e.refused("a Get of the version that the caller has is fault.Unchanged", fault.Unchanged, "pin", not)
	}
	if _, ok := e.put("pin", pattern(100, 5)); !ok {
		return
	}
	e.pinsGone("was replaced", pin, pinPart)
	if e.has(IfNotVersionGet) {
		if v, ok := e.get("pin", not); ok {
			e.same("a Get of another version than the caller has reads", "pin", not, v, pattern(100, 5), 100)
		}
	}
	if err := e.w.Delete(e.ctx, "pin", store.DeleteOptions{}); err != nil {
		e.bad("Delete removes the key", "Delete(pin): %w", err)
		return
	}
	e.pinsGone("was deleted", pin, pinPart)
	if e.has(IfNotVersionGet) {
		e.refused("with IfNotVersion an absent key is fault.NotFound", fault.NotFound, "pin", not)
	}
	if _, ok := e.put("pin", pattern(100, 6)); ok {
		e.pinsGone("was deleted and made again", pin, pinPart)
	}
}

func (e *env) pinsGone(how string, pins ...store.GetOptions) {
	if !e.has(IfVersionGet) {
		return
	}
	for _, o := range pins {
		e.refused("a pinned Get is fault.Conflict, never NotFound, after the value "+how, fault.Conflict, "pin", o)
	}
}
