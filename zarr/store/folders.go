package store

import (
	"context"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Folders removes empty directories. Stores that keep a directory after its last key is deleted
// provide a Folders through [As]. A store made by [Prefix] provides one for the keys below its
// prefix.
type Folders interface {
	// RemoveFolders removes the directory of prefix and all directories below it, if they are
	// empty. prefix must not be "". A directory with an entry of any kind remains, even if the
	// entry is created during the call. Links are not followed: RemoveFolders returns fault.Refused
	// if prefix has a link among its parent directories. An absent directory is not an error.
	RemoveFolders(ctx context.Context, prefix string) error
}

// RemoveFolders removes the empty directories from prefix downwards; see [Folders]. It does nothing
// in a store without directories. It returns fault.Path if prefix fails [CheckKey].
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

// Provide provides the Folders, Remnants and Place of the store below, converted to the keys of
// this store.
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
