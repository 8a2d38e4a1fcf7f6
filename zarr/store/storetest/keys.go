package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func unsafeKeys() []string {
	return []string{
		"/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a/..", "a\\b", "..\\a", "a\x00b",
		"\xff\xfe", "a/\xc3(", strings.Repeat("k", store.MaxKey+1),
	}
}

func keysUnsafe(e *env) {
	const clause = "a key that CheckKey refuses is fault.Path for every verb"
	for _, key := range append(unsafeKeys(), "") {
		e.refused(clause, fault.Path, key, store.GetOptions{})
		_, err := e.s.Put(e.ctx, key, []byte("x"), store.PutOptions{})
		e.expect(clause, err, fault.Path, fmt.Sprintf("Put(%q)", key))
		err = e.s.Delete(e.ctx, key, store.DeleteOptions{})
		e.expect(clause, err, fault.Path, fmt.Sprintf("Delete(%q)", key))
		err = store.DeleteAll(e.ctx, e.s, []string{key})
		e.expect(clause, err, fault.Path, fmt.Sprintf("DeleteAll(%q)", key))
		p, err := store.PutParts(e.ctx, e.s, key, store.PartsOptions{})
		if !errors.Is(err, errors.ErrUnsupported) && !e.expect(clause, err, fault.Path, fmt.Sprintf("PutParts(%q)", key)) && p != nil {
			_ = p.Abort(e.ctx)
		}
		for _, c := range [][2]string{{key, "b"}, {"a", key}} {
			if _, err := store.Copy(e.ctx, e.s, c[0], c[1], store.CopyOptions{}); !errors.Is(err, errors.ErrUnsupported) {
				e.expect(clause, err, fault.Path, fmt.Sprintf("Copy(%q, %q)", c[0], c[1]))
			}
		}
	}
	for _, prefix := range unsafeKeys() {
		for _, depth := range []store.Depth{store.Deep, store.OneLevel} {
			e.refusesListing(clause, prefix, store.ListOptions{Depth: depth})
		}
	}
	for _, key := range []string{"/", "a//b", "../a", "a/./b", "a\\b", "\xff"} {
		e.refusesListing("a beginning that no key has is fault.Path", "a", store.ListOptions{KeyPrefix: key})
		e.refusesListing("a beginning that no key has is fault.Path", "", store.ListOptions{StartAfter: key})
	}
	if got, err := collect(e.w.List(e.ctx, "", store.ListOptions{})); err != nil || len(got) != 0 {
		e.bad("a refused key writes nothing", "the store now holds %v (%v)", got, err)
	}
}

// refusesListing checks that List and Pages return fault.Path.
func (e *env) refusesListing(clause, prefix string, o store.ListOptions) {
	_, err := collect(e.s.List(e.ctx, prefix, o))
	e.expect(clause, err, fault.Path, fmt.Sprintf("List(%q, %+v)", prefix, o))
	_, err = collect(store.Pages(e.ctx, e.s, prefix, o))
	e.expect(clause, err, fault.Path, fmt.Sprintf("Pages(%q, %+v)", prefix, o))
}

func unusualKeys() []string {
	long := strings.TrimSuffix(strings.Repeat(strings.Repeat("k", 99)+"/", 9), "/")
	return []string{
		".zarray", ".zgroup", "zarr.json", "c/0/0", "0.0", "x.attrs", "...", "a..b", "..a/b..", "trailing.", "a b", " lead", "trail ",
		"é/ü", "e\u0301", "日本/東京", "😀", "100%", "%2F", "%41", "%", "a:b", "a+b", "a&b=c", "what?", "a#b", "__0x41__", "~home", "'q'",
		"\"qq\"", "[0]", "*", "{a}", "<a>", "a|b", "a,b;c", "@a", "$HOME", "`a`", "!a", "^a", "-rf", "CON", "a/CON.txt", "a\nb", "a\tb/c\x01", "\x7f", "\u009b0m", "\u202ea", long,
	}
}

func keysAny(e *env) {
	const clause = "every key that CheckKey accepts is stored unchanged, or refused if it has control characters"
	var held []string
	for i, key := range unusualKeys() {
		_, err := e.w.Put(e.ctx, key, pattern(20+i, i), store.PutOptions{})
		if err != nil && !e.has(AnyKey) && (errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fault.Path)) {
			continue
		}
		if errors.Is(err, fault.Path) && strings.ContainsFunc(key, unicode.IsControl) {
			continue // listings of buckets cannot contain all control characters
		}
		if err != nil {
			e.bad(clause, "Put(%q): %w", key, err)
			continue
		}
		held = append(held, key)
	}
	for i, key := range unusualKeys() {
		for _, h := range held {
			if h == key {
				e.holds(clause, key, pattern(20+i, i))
			}
		}
	}
	e.lists(clause, "", store.Deep, held, nil)
	for _, key := range held {
		if err := e.w.Delete(e.ctx, key, store.DeleteOptions{}); err != nil {
			e.bad(clause, "Delete(%q): %w", key, err)
		}
	}
	e.lists(clause, "", store.Deep, nil, nil)
}

func cancelled(e *env) {
	const clause = "a cancelled context is context.Canceled, without a kind"
	version, ok := e.put("x", []byte("1"))
	if !ok {
		return
	}
	ctx, cancel := context.WithCancel(e.ctx)
	cancel()
	check := func(call string, err error) {
		if !errors.Is(err, context.Canceled) {
			e.bad(clause, "%s: got %w", call, orNone(err))
			return
		}
		repeated := errors.As(err, new(*fault.Interrupted))
		for _, k := range kinds {
			if failure := k == error(fault.Throttled) || k == error(fault.Unavailable); repeated && failure {
				continue // the failure that the store was repeating
			}
			if errors.Is(err, k) {
				e.bad(clause, "%s: it is %q as well: %w", call, k, err)
			}
		}
	}
	v, err := e.s.Get(ctx, "x", store.GetOptions{}, nil)
	check("Get(x)", err)
	if v.Bytes != nil {
		e.bad("on error the Value is zero", "Get(x) returned %+v with the error: %w", v, orNone(err))
	}
	_, err = e.s.Get(ctx, "absent", store.GetOptions{}, nil)
	check("Get(absent)", err)
	_, err = collect(e.s.List(ctx, "", store.ListOptions{}))
	check("List", err)
	_, err = collect(store.Pages(ctx, e.s, "", store.ListOptions{Depth: store.OneLevel}))
	check("Pages", err)
	if e.s != e.w {
		return
	}
	_, err = e.s.Put(ctx, "x", []byte("2"), store.PutOptions{})
	check("Put(x)", err)
	if e.has(IfVersionPut) {
		_, err = e.s.Put(ctx, "x", []byte("2"), store.PutOptions{IfVersion: version})
		check("Put(x, IfVersion)", err)
	}
	if e.has(IfAbsentPut) {
		_, err = e.s.Put(ctx, "y", []byte("2"), store.PutOptions{IfAbsent: true})
		check("Put(y, IfAbsent)", err)
	}
	check("Delete(x)", e.s.Delete(ctx, "x", store.DeleteOptions{}))
	check("DeleteAll(x)", store.DeleteAll(ctx, e.s, []string{"x"}))
	e.holds("a cancelled write writes nothing", "x", []byte("1"))
}

func orNone(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return err
}
