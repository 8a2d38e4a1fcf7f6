package fake

import (
	"iter"
	"slices"
	"strings"
)

// Listing is a request for one page of a listing.
type Listing struct {
	Prefix, Delimiter string
	After             string // the last name of the previous page
	Most              int    // maximum number of names in a page
}

// Page returns the names of one page, and whether more names follow. Names are keys and, if there
// is a delimiter, also prefixes that end with the delimiter.
func (l Listing) Page(keys iter.Seq[string]) (names []string, more bool) {
	for k := range keys {
		rest, ok := strings.CutPrefix(k, l.Prefix)
		if !ok {
			continue
		}
		if seg, _, cut := strings.Cut(rest, l.Delimiter); l.Delimiter != "" && cut {
			k = l.Prefix + seg + l.Delimiter
		}
		if k > l.After {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) > l.Most {
		return names[:l.Most], true
	}
	return names, false
}

// IsKey reports whether a name of a page is a key. Other names are prefixes.
func (l Listing) IsKey(name string) bool {
	return l.Delimiter == "" || !strings.Contains(strings.TrimPrefix(name, l.Prefix), l.Delimiter)
}
