package store

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
)

// ListAll yields the same entries as List, each once and in any order. Use it for listings that may
// be long. For a listing of one page it makes one request.
//
// If the provider lists in order ([Listings]), ListAll divides the remaining keys into ranges that
// it lists concurrently. It starts more concurrent listings as pages turn out to have entries, up
// to the ListFanout of the store's [Tuning]. Some ranges are empty, and some end only with a page
// of keys beyond the range. ListAll therefore makes more requests than there are pages: 5 to 20 %
// more in long listings, and more than twice as many in the worst case. With OneLevel, or if the
// provider does not list in order, ListAll does the same as [Pages].
//
// While the consumer runs, at most one page of each concurrent listing is in memory.
func ListAll(ctx context.Context, s Store, prefix string, o ListOptions) iter.Seq2[Entry, error] {
	pl, ok := s.(PageLister)
	fanout := TuningOf(s).ListFanout
	if !ok || o.Depth != Deep || fanout < 2 || !ListingsOf(s).Ordered {
		return Pages(ctx, s, prefix, o)
	}
	return func(yield func(Entry, error) bool) {
		page, next, err := pl.ListPage(ctx, prefix, o, "")
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			s.List(ctx, prefix, o)(yield)
			return
		case err != nil:
			yield(Entry{}, err)
			return
		}
		if next != "" {
			l := &listers{pl: pl, name: Name(s), prefix: prefix, o: o, fanout: fanout, pages: make(chan []Entry)}
			l.run(ctx, page, next, yield)
			return
		}
		for _, e := range page {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// listers are the concurrent listings of one call of ListAll. Each lists one span. The spans are
// disjoint and contain all keys.
type listers struct {
	pl     PageLister
	name   string
	prefix string
	o      ListOptions
	fanout int
	pages  chan []Entry // closed when the last lister has ended
	wg     sync.WaitGroup

	mu     sync.Mutex
	spans  []*span // spans that are being listed
	useful int     // number of pages with entries in their span
	split  bool    // set if there has been more than one lister
	serial bool    // set if the listing is not in order, so that one lister lists all keys
	bytes  alphabet
	err    error
	cancel context.CancelFunc
}

// span is the range of keys greater than after, up to and including end. Keys up to pos have been
// listed. Keys are paths below the prefix.
type span struct {
	after, end string // "" for the last span
	pos        string
	token      string
	same       int  // length of the common prefix of the last page's keys
	narrow     bool // set if the first and last key of that page differ by 1 in the next byte
}

// run lists the pages after the first. It yields all entries in the caller's goroutine.
func (l *listers) run(ctx context.Context, page []Entry, next string, yield func(Entry, error) bool) {
	ctx, l.cancel = context.WithCancel(ctx)
	defer l.wg.Wait()
	defer func() {
		for range l.pages { // discard the pages that remain after the consumer has stopped
		}
	}()
	defer l.cancel()
	first := &span{after: l.o.StartAfter, pos: l.o.StartAfter}
	l.spans = []*span{first}
	l.wg.Go(func() { l.list(ctx, first, page, next) })
	for page := range l.pages {
		for _, e := range page {
			if !yield(e, nil) {
				return
			}
		}
	}
	if l.err != nil { // the channel is closed, so no goroutine writes err any more
		yield(Entry{}, l.err)
	}
}

// list lists a span. If next is not empty, page is the first page of the span and next is the token
// of the second.
func (l *listers) list(ctx context.Context, s *span, page []Entry, next string) {
	defer l.end(s)
	o := l.o
	o.StartAfter = s.after
	for have := next != ""; ; have = false {
		var err error
		if !have {
			page, next, err = l.pl.ListPage(ctx, l.prefix, o, s.token)
		}
		keep, more := l.took(ctx, s, page, next, err)
		if len(keep) > 0 {
			select {
			case l.pages <- keep:
			case <-ctx.Done():
				l.failed(ctx.Err())
				return
			}
		}
		if !more {
			return
		}
		s.token = next
	}
}

// end removes a span. When the last span is removed, it closes the channel.
func (l *listers) end(s *span) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.spans {
		if other == s {
			l.spans = append(l.spans[:i], l.spans[i+1:]...)
			break
		}
	}
	if len(l.spans) == 0 {
		close(l.pages)
	}
}

// failed records the first error and cancels all listings.
func (l *listers) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fail(err)
}

func (l *listers) fail(err error) {
	if l.err == nil {
		l.err = err
	}
	l.cancel()
}

// took handles a page of a span. It returns the entries that are in the span, and whether more
// entries of the span may follow. If more listings are allowed, took also divides the remaining
// keys.
func (l *listers) took(ctx context.Context, s *span, page []Entry, next string, err error) (keep []Entry, more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && !l.serial {
		page, more, err = l.within(s, page)
	}
	if err != nil {
		l.fail(err)
		return nil, false
	}
	if l.serial {
		return page, next != ""
	}
	if len(page) > 0 {
		l.useful++
	}
	more = more && next != ""
	if !more {
		s.same, s.narrow = 0, false // nothing remains to be divided
	}
	for len(l.spans) < min(l.fanout, 1+l.useful) {
		part := l.divide()
		if part == nil {
			break
		}
		l.split = true
		l.spans = append(l.spans, part)
		l.wg.Go(func() { l.list(ctx, part, nil, "") })
	}
	return page, more
}

// within returns the entries of a page that are in the span, and whether more entries of the span
// may follow.
func (l *listers) within(s *span, page []Entry) ([]Entry, bool, error) {
	first, last := "", s.pos
	for i, e := range page {
		path := l.path(e)
		if path <= last && (i > 0 || s.pos != "") {
			if !l.split {
				l.serial = true // no other lister depends on the order yet
				return page, true, nil
			}
			return nil, false, &fault.KeyError{Op: "list", Store: l.name, Key: l.prefix,
				Err: fault.Newf(fault.Unavailable, "the listing is not in order: %q follows %q", path, last)}
		}
		if s.end != "" && path > s.end {
			s.pos = last
			return page[:i], false, nil
		}
		if i == 0 {
			first = path
		} else {
			l.bytes.add(last, path)
		}
		last = path
	}
	if len(page) > 0 {
		s.pos = last
		s.same, s.narrow = common(first, last)
	}
	return page, true, nil
}

// path returns an entry's key below the prefix.
func (l *listers) path(e Entry) string {
	if l.prefix == "" {
		return e.Key
	}
	return strings.TrimPrefix(e.Key[min(len(l.prefix), len(e.Key)):], "/")
}

// divide splits the span that is expected to have the most remaining keys, and returns the upper
// part of it. It returns nil if no span can be divided.
func (l *listers) divide() *span {
	var of *span
	var best cut
	for _, s := range l.spans {
		if c := l.cut(s); c.values > 0 && (of == nil || c.at < best.at || c.at == best.at && c.values > best.values) {
			of, best = s, c
		}
	}
	if of == nil {
		return nil
	}
	part := &span{after: best.key, pos: best.key, end: of.end, same: of.same, narrow: of.narrow}
	of.end = best.key
	return part
}
