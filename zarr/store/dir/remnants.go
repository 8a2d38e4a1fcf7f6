package dir

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
)

// RemoveRemnants implements [store.Remnants]. It keeps lock files, which are removed when their
// lock is released.
func (s *Store) RemoveRemnants(ctx context.Context, prefix string) error {
	path, err := s.path(ctx, prefix)
	if err == nil {
		var t tree
		if t, err = s.enter(false); err == nil {
			err = removeRemnants(ctx, t, path)
			t.close()
		}
	}
	if err != nil && !absent(err) {
		return s.failed("delete", prefix, err)
	}
	return nil
}

// removeRemnants removes the temporary files in a directory and below it.
func removeRemnants(ctx context.Context, t tree, path string) error {
	if fi, err := t.lstat(path); err != nil || !fi.IsDir() {
		return err
	}
	d, err := t.openFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	var folders, files []string
	for err == nil && ctx.Err() == nil {
		var names []os.DirEntry
		names, err = d.ReadDir(batch)
		for _, n := range names {
			switch {
			case n.IsDir():
				folders = append(folders, n.Name())
			case n.Type().IsRegular() && strings.HasPrefix(n.Name(), hidden) && !strings.HasPrefix(n.Name(), hidden+"lock-"):
				files = append(files, n.Name())
			}
		}
	}
	if err == io.EOF {
		err = nil
	}
	if err = errors.Join(err, d.Close(), ctx.Err()); err != nil {
		return err
	}
	for _, name := range files {
		if err := t.remove(path + "/" + name); err != nil && !absent(err) {
			return err
		}
	}
	for _, name := range folders {
		if err := removeRemnants(ctx, t, path+"/"+name); err != nil && !absent(err) {
			return err
		}
	}
	return nil
}
