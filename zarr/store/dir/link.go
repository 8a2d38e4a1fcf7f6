package dir

import (
	"os"

	"github.com/zargo-io/zargo/zarr/fault"
)

// unlinked is asked where nothing was found at a path, and is an error when that proves nothing: because the path is, or leads
// through, a symbolic link to what is not there. A disk may not be mounted, or a file of git-annex not fetched.
func (s *Store) unlinked(path string) error {
	for len(path) >= len(s.root) {
		fi, err := os.Lstat(path)
		if err == nil {
			if fi.Mode()&os.ModeSymlink == 0 {
				return nil
			}
			if _, err := os.Stat(path); absent(err) {
				return fault.Newf(fault.Refused, "the symbolic link %s leads to what is not there", path)
			}
			return nil
		}
		up := folder(path)
		if up == path {
			return nil
		}
		path = up
	}
	return nil
}
