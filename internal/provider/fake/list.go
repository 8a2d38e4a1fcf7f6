package fake

import (
	"iter"
	"slices"
	"strings"
)

// Listing is a request for one page of a listing.
type Listing struct {
	Prefix, Delimiter string
	After             string // the last name of the page before
	Most              int    // names in a page
}

// Page gives the names of one page: keys, and, with a delimiter, prefixes that end in it; and
// whether there are more.
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

// IsKey tells a name that is a key from one that is a prefix.
func (l Listing) IsKey(name string) bool {
	return l.Delimiter == "" || !strings.Contains(strings.TrimPrefix(name, l.Prefix), l.Delimiter)
}
