package store

import (
	"context"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Folders removes empty folders. A store in which folders stay when their last key is deleted gives
// it through [As], and [Prefix] gives it for its own keys.
type Folders interface {
	// RemoveFolders removes the folder of a prefix, which is not "", and all below it, as far as
	// they hold nothing. A folder in which anything is, of whatever kind, stays; so does one in
	// which something is put meanwhile. Links are not followed: a prefix behind one is
	// fault.Refused. One that is not there is no error.
	RemoveFolders(ctx context.Context, prefix string) error
}

// RemoveFolders removes the empty folders from a prefix downwards, see [Folders]. Where a store has
// no folders it does nothing. fault.Path: the prefix is "", or no key begins so.
func RemoveFolders(ctx context.Context, s Store, prefix string) error {
	if err := CheckKey(prefix); err != nil {
		return &fault.KeyError{Op: "delete", Store: Name(s), Key: prefix, Err: err}
	}
	var f Folders
	if !As(s, &f) {
		return nil
	}
	return f.RemoveFolders(ctx, prefix)
}

// Provide gives the Folders and the Remnants of the store below, for the keys of this one, and the
// Place.
func (p *prefixed) Provide(target any) bool {
	switch t := target.(type) {
	case *Folders:
		if As(p.below.Store, t) {
			*t = prefixedFolders{*t, p.prefix}
			return true
		}
	case *Remnants:
		if As(p.below.Store, t) {
			*t = prefixedRemnants{*t, p.prefix}
			return true
		}
	case *Place:
		*t = PlaceOf(p.below.Store)
		t.Below += p.prefix
		return true
	}
	return false
}

type prefixedFolders struct {
	f      Folders
	prefix string
}

func (p prefixedFolders) RemoveFolders(ctx context.Context, prefix string) error {
	return p.f.RemoveFolders(ctx, p.prefix+prefix)
}
