package listed

import (
	"context"
	"errors"
	"iter"

	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/zarr/store"
)

// writes decides when a listing saves deletes. To store a chunk of fill values, its object is
// deleted. In a new array that object does not exist, and the delete is useless. The array is
// therefore listed at the first delete. Afterwards an object is deleted only if the listing
// contains it or this process has put it.
//
// A listing is stopped when its number of pages exceeds the number of deletes that were sent. It is
// retried when the number of deletes has doubled, but not after an error of the store.
//
// Another process may put an object after the listing, and the delete of this object is then
// skipped. The result is the same as if the other process put the object after a delete. The two
// processes do not know of each other, so either result is correct.
type writes struct {
	left    int64 // number of objects that this process will still put or delete
	deleted int64 // number of deletes sent or in flight
	next    int64 // value of deleted at which to list; 0 means never
	// present contains the objects of the listing. It is not updated by later puts, and therefore
	// does not prove absence for reads.
	present *keys.Set
	put     *keys.Set // objects whose put was started; nil means unknown, so send every delete
	n       int64     // number of objects in put
}

// fewLeft is the minimum number of remaining objects that justifies a listing. A listing costs as
// much as several deletes.
const fewLeft = 8

// ExpectWrites sets the number of objects that this process will put or delete. Without a call of
// ExpectWrites, every delete is sent.
func (s *Store) ExpectWrites(objects int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &s.writes
	if w.left = objects; w.put != nil && w.next == 0 && w.present == nil {
		w.next = max(w.deleted, 1)
	}
}

// puts records that an object will be put.
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

// spared reports whether the delete of an object can be skipped. It may list the array.
func (s *Store) spared(ctx context.Context, key string) bool {
	coord, ok := s.position(key)
	if !ok {
		return false
	}
	s.mu.Lock()
	w := &s.writes
	w.left--
	if w.present == nil && w.next > 0 && w.deleted+1 >= w.next && w.left >= fewLeft && w.n/s.page <= w.deleted {
		w.next = 0 // prevents a concurrent second listing
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

// objects returns the shortest listing that contains all objects of the array. If the key encoding
// permits, the listing excludes other keys below the array.
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

// PutParts calls the underlying store.
func (s *Store) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	s.puts(key)
	return store.PutParts(ctx, s.Store, key, o)
}

// Copy calls the underlying store.
func (s *Store) Copy(ctx context.Context, from, to string, o store.CopyOptions) (store.Version, error) {
	s.puts(to)
	return store.Copy(ctx, s.Store, from, to, o)
}
