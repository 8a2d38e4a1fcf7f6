package dir

import (
	"errors"
	"os"

	"github.com/zargo-io/zargo/zarr/fault"
)

// mark records the identity of the root after a value was found or written.
func (s *Store) mark(t tree) {
	if s.seen.Load() != nil {
		return
	}
	if fi, err := t.stat(s.root); err == nil && fi.IsDir() {
		os.SameFile(fi, fi) // on Windows, this loads the identity now
		s.seen.CompareAndSwap(nil, &fi)
	}
}

// checkRoot returns an error if the root was recorded and is now gone or another directory. In this
// case a missing file does not prove that its key is absent, and a written file would be lost.
func (s *Store) checkRoot(t tree) error {
	was := s.seen.Load()
	if was == nil {
		return nil
	}
	now, err := t.stat(s.root)
	switch {
	case absent(err):
		return fault.Newf(fault.Refused, "the store's directory is gone: it has been moved, removed or unmounted")
	case err != nil:
		return err
	case !os.SameFile(*was, now):
		return fault.Newf(fault.Refused, "the store's directory has been replaced: it has been moved, unmounted or mounted over")
	}
	return nil
}

// errFile is the error for a file at the path of a directory.
var errFile = errors.New("a file and not a directory")

// proven is called after no file was found at path. It returns nil if this proves that the key is
// absent, and otherwise an error. The absence is not proven in these cases: the root has changed;
// path is or contains a symbolic link without a target, such as a git-annex file that was not
// fetched; a parent is a file, such as a link that was copied as a text file.
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
		return s.checkRoot(t)
	}
	if fi, err := os.Lstat(s.root); err == nil && fi.Mode()&os.ModeSymlink != 0 {
		if _, err := os.Stat(s.root); absent(err) {
			return dangling(s.root)
		}
	}
	return s.checkRoot(t)
}

func dangling(path string) error {
	return fault.Newf(fault.Refused, "the target of the symbolic link %s does not exist", path)
}
