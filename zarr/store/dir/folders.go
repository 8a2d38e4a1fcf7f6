package dir

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/zargo-io/zargo/zarr/store"
)

// Provide gives the store.Tuning, store.Folders, store.Remnants and store.Place.
func (s *Store) Provide(target any) bool {
	switch t := target.(type) {
	case *store.Tuning:
		*t = store.Local()
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

// RemoveFolders implements [store.Folders]. The kernel refuses to remove a folder in which something is, such as the temporary file of a writer.
func (s *Store) RemoveFolders(ctx context.Context, prefix string) error {
	path, err := s.path(ctx, prefix)
	if err == nil {
		var t tree
		if t, err = s.enter(false); err == nil {
			_, err = emptied(ctx, t, path)
			t.close()
		}
	}
	if err != nil && !absent(err) {
		return s.failed("delete", prefix, err)
	}
	return nil
}

// emptied removes the empty folders below a folder, and that one; gone is whether it did.
func emptied(ctx context.Context, t tree, path string) (gone bool, err error) {
	if fi, err := t.lstat(path); err != nil || !fi.IsDir() {
		return false, err
	}
	folders, others, err := foldersIn(ctx, t, path)
	if err != nil {
		return false, err
	}
	for _, name := range folders {
		gone, err := emptied(ctx, t, path+"/"+name)
		if err != nil && !absent(err) {
			return false, err
		}
		others = others || !gone && !absent(err)
	}
	if others {
		return false, nil
	}
	if err := t.remove(path); err != nil {
		if fi, e := t.lstat(path); e == nil && fi.IsDir() {
			return false, nil // something was put there, or another may not be removed
		}
		return true, nil
	}
	return true, nil
}

// foldersIn are the names of folders in a folder; others is whether anything else is in it.
func foldersIn(ctx context.Context, t tree, path string) (folders []string, others bool, err error) {
	d, err := t.openFile(path, os.O_RDONLY|nonblock, 0)
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
