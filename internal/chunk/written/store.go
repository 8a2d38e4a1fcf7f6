package written

import (
	"context"
	"errors"
	"reflect"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Store is a store whose writes and deletes are reported to the Hub of the process. Reads are
// passed on unchanged.
type Store struct {
	store.Forward
	hub   *Hub
	place store.Place
}

// Around returns a Store that sends its requests to s. If s is already a Store, Around returns s.
// Closing the Store closes s.
func Around(s store.Store) *Store {
	if w, ok := s.(*Store); ok {
		return w
	}
	return &Store{store.Forward{Store: s}, Process(), store.PlaceOf(s)}
}

// Same reports whether a and b, or the stores that they are around, are one store value.
func Same(a, b store.Store) bool {
	x, y := Around(a).Store, Around(b).Store
	return reflect.ValueOf(x).Comparable() && x == y
}

// errPanic is the error that is reported as the outcome of a request that panicked.
var errPanic = fault.Newf(fault.Unavailable, "the store panicked")

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (v store.Version, err error) {
	s.before(key)
	err = errPanic
	defer func() { s.after(key, o.IfVersion == "", err) }()
	return s.Store.Put(ctx, key, value, o)
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, key string, o store.DeleteOptions) (err error) {
	s.before(key)
	err = errPanic
	defer func() { s.after(key, true, err) }()
	return s.Store.Delete(ctx, key, o)
}

// DeleteAll implements [store.BatchDeleter].
func (s *Store) DeleteAll(ctx context.Context, keys []string) (err error) {
	bd, ok := s.Store.(store.BatchDeleter)
	if !ok {
		return errors.ErrUnsupported
	}
	report(s.hub.at(s.place.Root), s.place, Change{Keys: keys})
	err = errPanic
	defer func() {
		if !errors.Is(err, errors.ErrUnsupported) { // some keys may have been deleted
			report(s.hub.at(s.place.Root), s.place, Change{Keys: keys, Below: nodes(keys...), Late: isLate(err)})
		}
	}()
	return bd.DeleteAll(ctx, keys)
}

// Copy implements [store.Copier].
func (s *Store) Copy(ctx context.Context, from, to string, o store.CopyOptions) (v store.Version, err error) {
	c, ok := s.Store.(store.Copier)
	if !ok {
		return "", errors.ErrUnsupported
	}
	s.before(to)
	err = errPanic
	defer func() { s.after(to, true, err) }()
	return c.Copy(ctx, from, to, o)
}

// PutParts implements [store.PartPutter]. It reports nothing, since the value is not visible
// before Commit.
func (s *Store) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	p, err := store.PutParts(ctx, s.Store, key, o)
	if err != nil {
		return nil, err
	}
	return &parts{p, s, key}, nil
}

type parts struct {
	store.Parts
	s   *Store
	key string
}

// Commit implements [store.Parts].
func (p *parts) Commit(ctx context.Context, o store.PutOptions) (v store.Version, err error) {
	p.s.before(p.key)
	err = errPanic
	defer func() { p.s.after(p.key, o.IfVersion == "", err) }()
	return p.Parts.Commit(ctx, o)
}

// Absent reports a key that a writer found absent and did not put, because the value would be the
// fill value. A cache may still contain an old value of the key if another process deleted the
// value.
func Absent(s store.Store, key string) {
	var w *Store
	if store.As(s, &w) {
		w.before(key)
	}
}

// Provide implements [store.Provider]. A target of type **Store is set to s.
func (s *Store) Provide(target any) bool {
	t, ok := target.(**Store)
	if ok {
		*t = s
	}
	return ok
}

// before reports the key of a request that is about to change the value.
func (s *Store) before(key string) {
	if sites := s.hub.at(s.place.Root); sites != nil {
		report(sites, s.place, Change{Keys: []string{key}})
	}
}

// after reports a key when a request has ended with err. node means that the request may have
// created or deleted the value. If the key is that of a node's document, after then reports all
// keys below the node.
func (s *Store) after(key string, node bool, err error) {
	sites := s.hub.at(s.place.Root)
	if sites == nil {
		return
	}
	c := Change{Keys: []string{key}, Late: isLate(err)}
	if node && (err == nil || c.Late) {
		c.Below = nodes(key)
	}
	report(sites, s.place, c)
}

// nodes returns the prefixes of the nodes whose documents are among keys. Only documents that
// define a node count, such as zarr.json and .zarray.
func nodes(keys ...string) (below []string) {
	for _, key := range keys {
		i := strings.LastIndexByte(key, '/') + 1
		switch key[i:] {
		case "zarr.json", ".zarray", ".zgroup", "meta":
			below = append(below, key[:i])
		}
	}
	return below
}

// isLate reports whether a request that ended with err may still take effect. A request that
// succeeded, or that the store refused, cannot take effect later.
func isLate(err error) bool {
	if err == nil {
		return false
	}
	for _, refused := range []error{
		fault.Conflict, fault.Exists, fault.NotFound, fault.ReadOnly, fault.Refused, fault.Path, fault.Selection, errors.ErrUnsupported,
	} {
		if errors.Is(err, refused) {
			return false
		}
	}
	return true
}
