package session

import (
	"context"
	"errors"
	"path"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// ahead is a store with responses that were requested before the store was opened. It returns each
// of them once, and none after the first put, because a decision before a claim is not valid after
// it.
type ahead struct {
	store.Forward
	path string // of the node

	mu   sync.Mutex
	docs map[string]*store.Value // by key relative to the node; nil for an absent document
	page []store.Entry           // first members of the node, with relative keys; nil if unknown
	next string                  // token of the next page
}

// maxAhead is the maximum size in bytes of a document that is read ahead. Nearly all documents have
// a few kilobytes.
const maxAhead = 1 << 20

// oneLevel are the options of a listing of the members of a group.
var oneLevel = store.ListOptions{Depth: store.OneLevel}

// readAhead reads zarr.json of a node and of its members with these names, at once. If list is set,
// it also lists the members. It omits responses that are errors.
func (s *Session) readAhead(ctx context.Context, l openurl.Location, list bool, names []string) *ahead {
	a := &ahead{docs: map[string]*store.Value{}}
	if l.Scheme == "file" || len(l.Inside) > 0 { // a round trip takes little time
		return a
	}
	p, err := s.Open(ctx, l)
	if err != nil {
		return a
	}
	defer p.Release()
	paths := append([]string{""}, names...)
	_ = concurrency.EachN(ctx, len(paths)+1, len(paths)+1, func(ctx context.Context, i int) error {
		if i == len(paths) {
			if pl, ok := p.Store.(store.PageLister); ok && list {
				a.page, a.next, _ = pl.ListPage(ctx, "", oneLevel, "")
			}
			return nil
		}
		key := path.Join(paths[i], "zarr.json")
		v, err := p.Get(ctx, key, store.GetOptions{Max: maxAhead}, nil)
		a.mu.Lock()
		defer a.mu.Unlock()
		if err == nil {
			a.docs[key] = &v
		} else if errors.Is(err, fault.NotFound) {
			a.docs[key] = nil
		}
		return nil
	})
	return a
}

// Get implements [store.Store].
func (a *ahead) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	rel := strings.TrimPrefix(strings.TrimPrefix(key, a.path), "/")
	a.mu.Lock()
	v, ok := a.docs[rel]
	delete(a.docs, rel)
	a.mu.Unlock()
	switch {
	case !ok || o.Max < maxAhead || o != (store.GetOptions{Max: o.Max}):
		return a.Store.Get(ctx, key, o, buf)
	case v == nil:
		return store.Value{}, &fault.KeyError{Op: "get", Store: a.String(), Key: key, Kind: fault.NotFound}
	}
	return store.Value{Bytes: append(buf, v.Bytes...), Size: v.Size, Version: v.Version}, nil
}

// ListPage implements [store.PageLister].
func (a *ahead) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	a.mu.Lock()
	page := a.page
	a.page = nil
	a.mu.Unlock()
	if page == nil || prefix != a.path || o != oneLevel || token != "" {
		return a.Forward.ListPage(ctx, prefix, o, token)
	}
	for i := range page {
		page[i].Key = path.Join(a.path, page[i].Key)
	}
	return page, a.next, nil
}

// Put implements [store.Store].
func (a *ahead) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	a.mu.Lock()
	a.docs, a.page = nil, nil
	a.mu.Unlock()
	return a.Store.Put(ctx, key, value, o)
}
