package storetest

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// collect reads a listing. It checks that an error is yielded with a zero Entry and ends the
// listing.
func collect(seq iter.Seq2[store.Entry, error]) (all []store.Entry, err error) {
	for ent, e := range seq {
		if err != nil {
			return all, fmt.Errorf("the listing continued after its error: %v, %v", ent, e)
		}
		if e != nil && ent != (store.Entry{}) {
			return all, fmt.Errorf("the error was yielded with an Entry %+v: %w", ent, e)
		}
		if err = e; e == nil {
			all = append(all, ent)
		}
	}
	return all, err
}

// lists checks that List and Pages of the prefix yield exactly these keys and dirs.
func (e *env) lists(clause, prefix string, depth store.Depth, keys, dirs []string) {
	e.selects(clause, prefix, store.ListOptions{Depth: depth}, keys, dirs)
}

// selects checks like lists, for any list options.
func (e *env) selects(clause, prefix string, o store.ListOptions, keys, dirs []string) {
	want := map[string]bool{}
	for _, k := range keys {
		want[k] = false
	}
	for _, d := range dirs {
		want[d] = true
	}
	for name, seq := range map[string]iter.Seq2[store.Entry, error]{
		"List": e.s.List(e.ctx, prefix, o), "Pages": store.Pages(e.ctx, e.s, prefix, o),
	} {
		call := fmt.Sprintf("%s(%q, %s)", name, prefix, describe(o))
		got, err := collect(seq)
		if err != nil {
			e.bad(clause, "%s: %w", call, err)
			continue
		}
		seen := map[string]bool{}
		for _, ent := range got {
			if _, dup := seen[ent.Key]; dup {
				e.bad("a listing yields each entry once", "%s yielded %q again", call, ent.Key)
			}
			seen[ent.Key] = ent.Dir
		}
		if !maps.Equal(seen, want) {
			e.bad(clause, "%s yielded %s", call, differ(seen, want))
		}
	}
}

// describe formats options, such as "OneLevel KeyPrefix=c/1".
func describe(o store.ListOptions) string {
	s := [...]string{"Deep", "OneLevel"}[o.Depth]
	if o.KeyPrefix != "" {
		s += " KeyPrefix=" + o.KeyPrefix
	}
	if o.StartAfter != "" {
		s += " StartAfter=" + o.StartAfter
	}
	return s
}

func differ(got, want map[string]bool) string {
	var b []string
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if d, ok := want[k]; !ok {
			b = append(b, fmt.Sprintf("unexpected %q (dir %v)", k, got[k]))
		} else if d != got[k] {
			b = append(b, fmt.Sprintf("%q as dir %v, want %v", k, got[k], d))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[k]; !ok {
			b = append(b, fmt.Sprintf("no %q (dir %v)", k, want[k]))
		}
	}
	if len(b) > 8 {
		b = append(b[:8], fmt.Sprintf("and %d more", len(b)-8))
	}
	return strings.Join(b, ", ")
}

// tree stores keys that an incorrect implementation of prefixes would confuse with each other.
func (e *env) tree() bool {
	for i, k := range []string{"top", "a/x", "a/y", "a/b/x", "a/b/c/z", "ab/x", "a.b/x", "a-b/x", "a/bc", "b/only/deep/key"} {
		if _, ok := e.put(k, pattern(10+i, i)); !ok {
			return false
		}
	}
	return true
}

func listDeep(e *env) {
	const clause = "Deep yields every key below the prefix, and no other"
	e.lists(clause, "", store.Deep, nil, nil)
	e.lists(clause, "absent", store.Deep, nil, nil)
	if !e.tree() {
		return
	}
	all := []string{"top", "a/x", "a/y", "a/b/x", "a/b/c/z", "ab/x", "a.b/x", "a-b/x", "a/bc", "b/only/deep/key"}
	e.lists(clause, "", store.Deep, all, nil)
	e.lists(clause, "a", store.Deep, []string{"a/x", "a/y", "a/b/x", "a/b/c/z", "a/bc"}, nil)
	e.lists(clause, "a/b", store.Deep, []string{"a/b/x", "a/b/c/z"}, nil)
	e.lists(clause, "b/only", store.Deep, []string{"b/only/deep/key"}, nil)
	e.lists("a key is not below itself", "top", store.Deep, nil, nil)
}

func listLevel(e *env) {
	const clause = "OneLevel yields the keys without a further slash and one Dir for each next segment"
	e.lists(clause, "", store.OneLevel, nil, nil)
	e.lists(clause, "absent/too", store.OneLevel, nil, nil)
	if !e.tree() {
		return
	}
	e.lists(clause, "", store.OneLevel, []string{"top"}, []string{"a", "ab", "a.b", "a-b", "b"})
	e.lists(clause, "a", store.OneLevel, []string{"a/x", "a/y", "a/bc"}, []string{"a/b"})
	e.lists(clause, "a/b", store.OneLevel, []string{"a/b/x"}, []string{"a/b/c"})
	e.lists(clause, "b", store.OneLevel, nil, []string{"b/only"})
	e.lists("a key is not below itself", "top", store.OneLevel, nil, nil)
	if err := e.w.Delete(e.ctx, "b/only/deep/key", store.DeleteOptions{}); err != nil {
		e.bad("Delete removes the key", "Delete: %w", err)
		return
	}
	e.lists("a Dir has keys below it", "", store.OneLevel, []string{"top"}, []string{"a", "ab", "a.b", "a-b"})
	e.lists("a Dir has keys below it", "b", store.OneLevel, nil, nil)
}

func listKeyPrefix(e *env) {
	const clause = "KeyPrefix selects the paths below the prefix that begin with it"
	e.selects(clause, "", store.ListOptions{KeyPrefix: "a"}, nil, nil)
	e.selects(clause, "absent", store.ListOptions{KeyPrefix: "a/b"}, nil, nil)
	if !e.tree() {
		return
	}
	for _, c := range []struct {
		prefix, begin    string
		deep, keys, dirs []string
	}{
		{"", "a", []string{"a/x", "a/y", "a/b/x", "a/b/c/z", "ab/x", "a.b/x", "a-b/x", "a/bc"}, nil, []string{"a", "ab", "a.b", "a-b"}},
		{"", "a/", []string{"a/x", "a/y", "a/b/x", "a/b/c/z", "a/bc"}, []string{"a/x", "a/y", "a/bc"}, []string{"a/b"}},
		{"", "a/b", []string{"a/b/x", "a/b/c/z", "a/bc"}, []string{"a/bc"}, []string{"a/b"}},
		{"", "t", []string{"top"}, []string{"top"}, nil},
		{"", "top", []string{"top"}, []string{"top"}, nil},
		{"", "top/", nil, nil, nil},
		{"", "x", nil, nil, nil},
		{"a", "b", []string{"a/b/x", "a/b/c/z", "a/bc"}, []string{"a/bc"}, []string{"a/b"}},
		{"a", "b/c", []string{"a/b/c/z"}, nil, []string{"a/b/c"}},
		{"a", "b/c/z", []string{"a/b/c/z"}, []string{"a/b/c/z"}, nil},
		{"a", "b/d/z", nil, nil, nil},
		{"b/only", "d", []string{"b/only/deep/key"}, nil, []string{"b/only/deep"}},
	} {
		e.selects(clause, c.prefix, store.ListOptions{KeyPrefix: c.begin}, c.deep, nil)
		e.selects(clause+", and OneLevel begins after it", c.prefix, store.ListOptions{Depth: store.OneLevel, KeyPrefix: c.begin}, c.keys, c.dirs)
	}
}

func listStartAfter(e *env) {
	const clause = "StartAfter selects the paths below the prefix that are greater, a Dir with its slash"
	e.selects(clause, "", store.ListOptions{StartAfter: "a"}, nil, nil)
	if !e.tree() {
		return
	}
	for _, c := range []struct {
		prefix, begin, after string
		deep, keys, dirs     []string
	}{
		{"", "", "b", []string{"top", "b/only/deep/key"}, []string{"top"}, []string{"b"}},
		{"", "", "b/", []string{"top", "b/only/deep/key"}, []string{"top"}, nil},
		{"", "", "b/only/deep/key", []string{"top"}, []string{"top"}, nil},
		{"", "", "top", nil, nil, nil},
		{"", "", "a/b/x", []string{"a/bc", "a/x", "a/y", "ab/x", "b/only/deep/key", "top"}, []string{"top"}, []string{"ab", "b"}},
		{"", "", "a-", []string{"a-b/x", "a.b/x", "a/b/c/z", "a/b/x", "a/bc", "a/x", "a/y", "ab/x", "b/only/deep/key", "top"},
			[]string{"top"}, []string{"a-b", "a.b", "a", "ab", "b"}},
		{"a", "", "b", []string{"a/b/x", "a/b/c/z", "a/bc", "a/x", "a/y"}, []string{"a/bc", "a/x", "a/y"}, []string{"a/b"}},
		{"a", "", "bc", []string{"a/x", "a/y"}, []string{"a/x", "a/y"}, nil},
		{"a", "b", "b/c/z", []string{"a/b/x", "a/bc"}, []string{"a/bc"}, nil},
		{"a", "b/", "b/c/z", []string{"a/b/x"}, []string{"a/b/x"}, nil},
		{"a", "x", "y", nil, nil, nil},
		{"a", "x", "b", []string{"a/x"}, []string{"a/x"}, nil},
	} {
		o := store.ListOptions{KeyPrefix: c.begin, StartAfter: c.after}
		e.selects(clause, c.prefix, o, c.deep, nil)
		o.Depth = store.OneLevel
		e.selects(clause, c.prefix, o, c.keys, c.dirs)
	}
}

// listEdges checks the fields of entries, and that the consumer can stop a listing early.
func listEdges(e *env) {
	if !e.tree() {
		return
	}
	for _, seq := range []iter.Seq2[store.Entry, error]{
		e.s.List(e.ctx, "", store.ListOptions{}), store.Pages(e.ctx, e.s, "a", store.ListOptions{Depth: store.OneLevel}),
	} {
		got, err := collect(seq)
		if err != nil {
			e.bad("a listing yields the entries", "%w", err)
		}
		for _, ent := range got {
			if ent.Dir {
				if ent.Size != 0 || ent.Version != "" {
					e.bad("a Dir has no size and no version", "%+v", ent)
				}
				continue
			}
			v, ok := e.get(ent.Key, store.GetOptions{})
			if ok && ent.Size != -1 && ent.Size != v.Size {
				e.bad("an Entry has the size or -1", "%+v, but Get returned %d", ent, v.Size)
			}
			if ok && ent.Version != "" && ent.Version != v.Version {
				e.bad("an Entry has the Version of Get or none", "%+v, but Get returned %q", ent, v.Version)
			}
		}
	}
	for _, seq := range []iter.Seq2[store.Entry, error]{e.s.List(e.ctx, "", store.ListOptions{}), store.Pages(e.ctx, e.s, "", store.ListOptions{})} {
		for _, err := range seq { // ending early must neither panic nor continue
			if err != nil {
				e.bad("a listing yields the entries", "%w", err)
			}
			break
		}
	}
	if _, err := collect(e.s.List(e.ctx, "a/../b", store.ListOptions{})); !errors.Is(err, fault.Path) {
		e.bad("an error is yielded once, last, with a zero Entry", "List(a/../b): %w", orNone(err))
	}
}

func listMany(e *env) {
	n := e.cfg.keys
	keys := make([]string, n)
	dirs := []string{}
	for i := range keys {
		keys[i] = fmt.Sprintf("many/d%02d/k%05d", i%7, i)
		if i < 7 {
			dirs = append(dirs, fmt.Sprintf("many/d%02d", i))
		}
	}
	e.each(32, n, func(i int) {
		if _, err := e.w.Put(e.ctx, keys[i], []byte(keys[i]), store.PutOptions{}); err != nil {
			e.bad("Put replaces the value", "Put(%q): %w", keys[i], err)
		}
	})
	const clause = "a listing includes all pages"
	e.lists(clause, "many", store.Deep, keys, nil)
	e.lists(clause, "many", store.OneLevel, nil, dirs)
	flat := []string{}
	for i := 0; i < n; i += 7 {
		flat = append(flat, keys[i])
	}
	e.lists(clause, "many/d00", store.OneLevel, flat, nil)
	o := store.ListOptions{KeyPrefix: "d0"}
	e.selects(clause, "many", o, keys, nil)
	o.StartAfter = "d01/"
	rest := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k < "many/d01/" })
	e.selects(clause, "many", o, rest, nil)
	o.Depth = store.OneLevel
	e.selects(clause, "many", o, nil, slices.DeleteFunc(slices.Clone(dirs), func(d string) bool { return d < "many/d02" }))
}
