package listed

import (
	"context"
	"errors"
	"iter"

	"github.com/zargo-io/zargo/internal/chunkkeys"
	"github.com/zargo-io/zargo/zarr/store"
)

// fewLeft is for how many objects no listing is thought of: it costs as much as some deletes.
const fewLeft = 8

// writes is what is known of the objects that are written. One that is all fill value is deleted,
// and where the array is new there is nothing to delete. So with the first delete the array is
// listed. A listing is given up when it has more pages than deletes were sent, and tried again when
// there are twice as many. What was not in the listing, and was not put by this process, is not
// deleted.
//
// Another process may put an object after the listing. That is as if it had put it after the
// delete: neither knows of the other.
type writes struct {
	left    int64          // objects that this process is going to put or delete
	deleted int64          // deletes that were sent, or are about to be
	next    int64          // how many there are at the next attempt to list; 0: there is none
	present *chunkkeys.Set // what the listing had; not changed any more. What was put since is not in it: nothing is proven absent for reads by it
	put     *chunkkeys.Set // objects of which a put was begun; nil when that is not known, and all deletes are sent
	n       int64          // how many these are
}

// ExpectWrites says how many objects this process is going to put or delete. Before, every delete
// is sent.
func (s *Store) ExpectWrites(objects int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &s.writes
	if w.left = objects; w.put != nil && w.next == 0 && w.present == nil {
		w.next = max(w.deleted, 1)
	}
}

// puts notes that an object is about to be put.
func (s *Store) puts(key string) {
	coord, ok := s.position(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &s.writes
	w.left--
	if !ok || w.put == nil || w.put.Has(coord) {
		return
	}
	w.put.Add(coord)
	if w.n++; w.put.Bytes() > maxBytes {
		w.put, w.present, w.next = nil, nil, 0
	}
}

// spared reports whether an object need not be deleted.
func (s *Store) spared(ctx context.Context, key string) bool {
	coord, ok := s.position(key)
	if !ok {
		return false
	}
	s.mu.Lock()
	w := &s.writes
	w.left--
	if w.present == nil && w.next > 0 && w.deleted+1 >= w.next && w.left >= fewLeft && w.n/s.page <= w.deleted {
		w.next = 0 // no other one meanwhile
		most := (w.deleted + 1) * s.page
		s.mu.Unlock()
		set, err := s.load(s.objects(ctx), most)
		s.mu.Lock()
		switch {
		case w.put == nil:
		case err == nil:
			w.present = set
		case errors.Is(err, errMany):
			w.next = 2 * (w.deleted + 1)
		}
	}
	spared := w.present != nil && !w.present.Has(coord) && !w.put.Has(coord)
	if !spared {
		w.deleted++
	}
	s.mu.Unlock()
	return spared
}

// objects lists the array by the shortest listing that has all objects: without what may be stored
// below it beside them, where keys allow it.
func (s *Store) objects(ctx context.Context) iter.Seq2[store.Entry, error] {
	l, o, prefix := s.layout.Load(), store.ListOptions{}, s.path
	switch v2 := l.keys.Name == "v2"; {
	case len(l.grid) == 0 || l.keys.Separator != "/" || v2 && len(l.grid) == 1:
		o.Depth = store.OneLevel
	case !v2:
		if prefix != "" {
			prefix += "/"
		}
		prefix += "c"
	}
	return store.Pages(ctx, s.Store, prefix, o)
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if o.IfVersion == "" && s.spared(ctx, key) {
		return nil
	}
	return s.Store.Delete(ctx, key, o)
}

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	s.puts(key)
	return s.Store.Put(ctx, key, value, o)
}

// PutParts goes to the store below.
func (s *Store) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	s.puts(key)
	return store.PutParts(ctx, s.Store, key, o)
}

// Copy goes to the store below.
func (s *Store) Copy(ctx context.Context, from, to string, o store.CopyOptions) (store.Version, error) {
	s.puts(to)
	return store.Copy(ctx, s.Store, from, to, o)
}

// DeleteAll goes to the store below.
func (s *Store) DeleteAll(ctx context.Context, keys []string) error {
	if d, ok := s.Store.(store.BatchDeleter); ok {
		return d.DeleteAll(ctx, keys)
	}
	return errors.ErrUnsupported
}
