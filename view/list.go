package view

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// List implements [store.Store]. It yields the documents and the whole grid of each array, in the
// order of the keys, without requests. A chunk in the listing may be absent for Get, if all of its
// elements are the fill value. The entries of chunks have neither a size nor a version.
func (s *Store) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if err := o.Check(prefix); err != nil {
			yield(store.Entry{}, s.failed("list", prefix, err))
			return
		}
		w := walker{o: o, prefix: prefix, base: len(prefix), from: prefix + o.KeyPrefix, after: o.StartAfter}
		if prefix != "" {
			w.base++
			w.from, w.after = prefix+"/"+o.KeyPrefix, prefix+"/"+o.StartAfter
		}
		w.yield = func(e store.Entry) bool {
			if err := context.Cause(ctx); err != nil {
				yield(store.Entry{}, s.failed("list", prefix, err))
				return false
			}
			return yield(e, nil)
		}
		w.state(s.now.Load())
	}
}

// pageSize is the number of entries per page, as in the cloud stores.
const pageSize = 1000

// ListPage implements [store.PageLister]. The token of a page is the path of the last entry of the
// page before it.
func (s *Store) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) (page []store.Entry, next string, err error) {
	o.StartAfter = max(o.StartAfter, token)
	for e, err := range s.List(ctx, prefix, o) {
		if err != nil {
			return nil, "", err
		}
		if len(page) == pageSize {
			last := page[pageSize-1]
			if next = last.Key[min(len(prefix)+1, len(last.Key)):]; prefix == "" {
				next = last.Key
			}
			if last.Dir {
				next += "/"
			}
			return page, next, nil
		}
		page = append(page, e)
	}
	return page, "", nil
}

// walker yields the keys of a listing in order. It skips subtrees of keys that are not selected.
type walker struct {
	o      store.ListOptions
	prefix string
	base   int    // length of the part of keys before the path below the prefix
	from   string // beginning of all selected keys
	after  string // all selected keys sort after it
	yield  func(store.Entry) bool
}

// skips reports whether no key that begins with s is selected.
func (w *walker) skips(s string) bool {
	return !strings.HasPrefix(s, w.from) && !strings.HasPrefix(w.from, s) || s < w.after && !strings.HasPrefix(w.after, s)
}

// entry yields an entry if it is selected. It returns false at the end of the listing.
func (w *walker) entry(e store.Entry) bool {
	path := e.Key
	if e.Dir {
		path += "/"
	}
	return !strings.HasPrefix(path, w.from) || !w.o.Match(w.prefix, e) || w.yield(e)
}

// directory reports whether all keys that begin with s are in one directory of a listing of one
// level, and returns the directory.
func (w *walker) directory(s string) (string, bool) {
	if w.o.Depth != store.OneLevel || len(s) <= len(w.from) || !strings.HasPrefix(s, w.from) {
		return "", false
	}
	i := strings.IndexByte(s[len(w.from):], '/')
	if i < 0 {
		return "", false
	}
	return s[:len(w.from)+i], true
}

// part is a document, or the chunks of an array.
type part struct {
	key string // of the document, or the beginning of the keys of the chunks
	a   *array
}

// order returns a text that sorts like the keys of the part. Below an array, the keys of v2 chunks
// begin with a digit, and those of v3 with a c.
func (p part) order() string {
	if strings.HasSuffix(p.key, "/") {
		return p.key + "0"
	}
	return p.key
}

// state yields the keys of a view.
func (w *walker) state(s *state) {
	var parts []part
	for key := range s.docs {
		parts = append(parts, part{key: key})
	}
	for name, a := range s.arrays {
		if keys := a.made.Metadata().Keys; !slices.Contains(a.made.GridShape(), 0) {
			key := name + "/"
			if keys.Name != "v2" {
				key += "c"
			}
			parts = append(parts, part{key, a})
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.order(), b.order()) })
	dir := ""
	for _, p := range parts {
		if w.skips(p.key) {
			continue
		}
		if d, ok := w.directory(p.key); ok {
			if d != dir && !w.entry(store.Entry{Key: d, Dir: true}) {
				return
			}
			dir = d
			continue
		}
		if p.a == nil {
			d := s.docs[p.key]
			if !w.entry(store.Entry{Key: p.key, Size: int64(len(d.bytes)), Version: d.version}) {
				return
			}
			continue
		}
		if !w.chunks(p.key, p.a.made.Metadata().Keys, p.a.made.GridShape()) {
			return
		}
	}
}

// chunks yields the keys of the chunks of a grid. s is the beginning of the keys, and grid are the
// lengths of the axes that it lacks.
func (w *walker) chunks(s string, k meta.KeyEncoding, grid []int) bool {
	switch {
	case len(grid) > 0:
		if k.Name != "v2" {
			s += k.Separator
		}
		if dir, ok := w.directory(s); ok {
			return w.entry(store.Entry{Key: dir, Dir: true})
		}
		return w.axis(s, "", k, grid)
	case k.Name == "v2":
		s += "0"
	}
	return w.entry(store.Entry{Key: s + k.Suffix, Size: -1})
}

// axis yields the keys that begin with s and a position of the first axis of a grid, in the order
// of the decimal texts: 0, 1, 10, 11, 2. It begins with the positions that have the text digits.
func (w *walker) axis(s, digits string, k meta.KeyEncoding, grid []int) bool {
	for d := byte('0'); d <= '9'; d++ {
		text := digits + string(d)
		n, err := strconv.Atoi(text)
		if err != nil || n >= grid[0] {
			return true
		}
		if w.skips(s + text) {
			continue
		}
		if !w.at(s+text, k, grid[1:]) || n > 0 && !w.axis(s, text, k, grid) {
			return false
		}
	}
	return true
}

// at yields the keys that begin with a position s.
func (w *walker) at(s string, k meta.KeyEncoding, rest []int) bool {
	if len(rest) == 0 {
		return w.skips(s+k.Suffix) || w.entry(store.Entry{Key: s + k.Suffix, Size: -1})
	}
	s += k.Separator
	if dir, ok := w.directory(s); ok {
		return w.entry(store.Entry{Key: dir, Dir: true})
	}
	return w.skips(s) || w.axis(s, "", k, rest)
}
