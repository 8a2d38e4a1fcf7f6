package dir

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Provide provides a store.Tuning, store.Listings, store.Folders, store.Remnants and store.Place.
func (s *Store) Provide(target any) bool {
	switch t := target.(type) {
	case *store.Tuning:
		*t = store.Local()
	case *store.Listings:
		*t = store.Listings{Proves: proves}
	case *store.Folders:
		*t = s
	case *store.Remnants:
		*t = s
	case *store.Place:
		*t = store.Place{Root: "file system", Below: s.join("")}
	default:
		return false
	}
	return true
}

// RemoveFolders implements [store.Folders]. It keeps directories that are not empty, for example
// because they contain the temporary file of a writer.
func (s *Store) RemoveFolders(ctx context.Context, prefix string) error {
	path, err := s.path(ctx, prefix)
	if err == nil {
		err = s.removeFolders(ctx, path)
	}
	if err != nil && !absent(err) {
		return s.failed("delete", prefix, err)
	}
	return nil
}

func (s *Store) removeFolders(ctx context.Context, path string) error {
	in, err := s.ownFolder(path)
	if link := (*linkError)(nil); errors.As(err, &link) {
		return fault.Newf(fault.Refused, "%w", err)
	}
	if err != nil {
		return err
	}
	defer in.close()
	_, err = emptied(ctx, in.r, path[in.skip:])
	return err
}

// emptied removes empty directories below a directory, and the directory itself if it is then
// empty. gone reports whether the directory itself was removed.
func emptied(ctx context.Context, r *os.Root, name string) (gone bool, err error) {
	in, err := ownFolderIn(r, name)
	if errors.Is(err, errNoFolder) || errors.Is(err, syscall.ENOTDIR) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	folders, others, err := foldersIn(ctx, in)
	for _, sub := range folders {
		if err != nil {
			break
		}
		gone, subErr := emptied(ctx, in, sub)
		if subErr != nil && !absent(subErr) {
			err = subErr
		}
		others = others || !gone && !absent(subErr)
	}
	_ = in.Close()
	if err != nil || others {
		return false, err
	}
	if err := r.Remove(name); err != nil {
		if fi, e := r.Lstat(name); e == nil && fi.IsDir() {
			return false, nil // it is no longer empty, or its removal is not permitted
		}
	}
	return true, nil
}

// foldersIn returns the names of the directories in r. others reports whether r has other entries.
func foldersIn(ctx context.Context, r *os.Root) (folders []string, others bool, err error) {
	d, err := r.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	for {
		names, err := d.ReadDir(batch)
		for _, n := range names {
			if n.IsDir() {
				folders = append(folders, n.Name())
			} else {
				others = true
			}
		}
		switch {
		case err == io.EOF:
			return folders, others, nil
		case err != nil:
			return nil, false, err
		case ctx.Err() != nil:
			return nil, false, ctx.Err()
		}
	}
}
