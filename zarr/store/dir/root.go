package dir

import (
	"errors"
	"os"

	"github.com/zargo-io/zargo/zarr/fault"
)

// mark remembers the root as it is now, after something was found in it or put there.
func (s *Store) mark(t tree) {
	if s.seen.Load() != nil {
		return
	}
	if fi, err := t.stat(s.root); err == nil && fi.IsDir() {
		os.SameFile(fi, fi) // on Windows the identity is read late
		s.seen.CompareAndSwap(nil, &fi)
	}
}

// still is an error where the root was seen and is gone, or another folder is in its place: then
// what is not there was not proven absent, and what would be written would be lost.
func (s *Store) still(t tree) error {
	was := s.seen.Load()
	if was == nil {
		return nil
	}
	now, err := t.stat(s.root)
	switch {
	case absent(err):
		return fault.Newf(fault.Refused, "the store's folder is gone: it was there and has been moved, removed or unmounted")
	case err != nil:
		return err
	case !os.SameFile(*was, now):
		return fault.Newf(fault.Refused, "another folder is in the place of the store's: it has been moved, replaced or unmounted, or mounted over")
	}
	return nil
}

// errFile says what is in the place of a folder.
var errFile = errors.New("a file, where a folder of keys would be")

// proven is called where nothing was found at a path, and is an error where that proves no absence:
// the root is not the one it was; the path is, or leads through, a symbolic link to what is not
// there, such as a disk that is not mounted or a file of git-annex that was not fetched; or a file
// is in the place of a folder, as when a link was copied as a text.
func (s *Store) proven(t tree, path string) error {
	for p := path; len(p) > len(s.root); p = folder(p) {
		fi, err := t.lstat(p)
		if absent(err) {
			continue
		}
		if err == nil && fi.Mode()&os.ModeSymlink != 0 {
			if fi, err = t.stat(p); absent(err) {
				return dangling(p)
			}
		}
		if err != nil {
			return err
		}
		if p != path && !fi.IsDir() {
			return fault.Newf(fault.Refused, "%s is %w", p, errFile)
		}
		return s.still(t)
	}
	if fi, err := os.Lstat(s.root); err == nil && fi.Mode()&os.ModeSymlink != 0 {
		if _, err := os.Stat(s.root); absent(err) {
			return dangling(s.root)
		}
	}
	return s.still(t)
}

func dangling(path string) error {
	return fault.Newf(fault.Refused, "the symbolic link %s leads to what is not there", path)
}
