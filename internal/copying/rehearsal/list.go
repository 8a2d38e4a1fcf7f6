package rehearsal

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/store"
)

// List implements [store.Store].
func (s *Store) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		ordered := store.ListingsOf(s.below).Ordered
		s.begin()
		own, err := s.entries(ctx, prefix, o)
		if err != nil {
			yield(store.Entry{}, err)
			return
		}
		for e, err := range s.below.List(ctx, prefix, o) {
			if err != nil {
				yield(e, err)
				return
			}
			for ordered && len(own) > 0 && own[0].Key < e.Key {
				if !yield(own[0], nil) {
					return
				}
				own = own[1:]
			}
			if kept := s.kept([]store.Entry{e}); len(kept) == 0 {
				continue
			}
			if e.Dir {
				own = slices.DeleteFunc(own, func(x store.Entry) bool { return x.Dir && x.Key == e.Key })
			}
			if !yield(e, nil) {
				return
			}
		}
		for _, e := range own {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// ListPage implements [store.PageLister].
func (s *Store) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	after := o.StartAfter
	if prefix != "" && after != "" {
		after = prefix + "/" + after
	}
	if token == "" && after == "" {
		s.begin()
	} else {
		s.more()
	}
	page, next, err := store.Forward{Store: s.below}.ListPage(ctx, prefix, o, token)
	if err != nil {
		return page, next, err
	}
	own, err := s.entries(ctx, prefix, o)
	if err != nil {
		return nil, "", err
	}
	if token != "" {
		after = s.taken(token)
	}
	end := after
	if len(page) > 0 {
		end = page[len(page)-1].Key
	}
	if next != "" {
		s.keep(next, end)
	} else if len(page) > 0 && len(page)%walked == 0 {
		s.full()
	}
	page = s.kept(page)
	for _, e := range own {
		if e.Key <= after || next != "" && e.Key > end || e.Dir && slices.ContainsFunc(page, func(x store.Entry) bool { return x.Dir && x.Key == e.Key }) {
			continue
		}
		page = append(page, e)
	}
	slices.SortStableFunc(page, func(a, b store.Entry) int { return strings.Compare(a.Key, b.Key) })
	return page, next, nil
}

// entries returns the entries of the keys that were put.
func (s *Store) entries(ctx context.Context, prefix string, o store.ListOptions) (own []store.Entry, err error) {
	for e, err := range s.own.List(ctx, prefix, o) {
		if err != nil {
			return nil, err
		}
		own = append(own, e)
	}
	return own, nil
}

// kept returns the entries without the keys that were put or deleted.
func (s *Store) kept(page []store.Entry) []store.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := page[:0:0]
	for _, e := range page {
		if put, changed := s.changed[e.Key]; !changed || e.Dir {
			kept = append(kept, e)
		} else if !put {
			s.count.omitted++
		}
	}
	return kept
}

// begin records the start of a listing.
func (s *Store) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.unsure = max(s.count.unsure, s.count.forgotten)
}

// more records a page that is not the first of its listing.
func (s *Store) more() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.pages++
}

// full records a listing whose last page is full.
func (s *Store) full() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.full++
}

// keep records the last key before the page of a token.
func (s *Store) keep(token, last string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last[token] = last
}

// taken returns the last key before the page of a token, and forgets it.
func (s *Store) taken(token string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.last[token]
	delete(s.last, token)
	return last
}
