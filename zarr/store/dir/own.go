package dir

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/zargo-io/zargo/zarr/fault"
)

// linkError reports a symbolic link in a path whose links the store does not follow.
type linkError struct{ path string }

func (e *linkError) Error() string {
	return "the path contains the symbolic link " + e.path + ", and deletes do not follow links"
}

// ownFolder opens the parent directory of path without following symbolic links. It opens one
// component at a time from the root, and returns a *linkError if a component is a link or is
// replaced by a link during the call. Operations on the result stay within the opened directory,
// even if the directory is moved. The caller must close the result.
func (s *Store) ownFolder(path string) (confined, error) {
	none := confined{}
	r, err := os.OpenRoot(s.root)
	if err != nil {
		return none, err
	}
	if err := s.checkRoot(confined{len(s.join("")), r}); err != nil {
		_ = r.Close()
		return none, err
	}
	at := s.join("")
	last := strings.LastIndexByte(path, '/') + 1
	for at != path[:last] {
		name, _, _ := strings.Cut(path[len(at):], "/")
		sub, err := ownFolderIn(r, name)
		_ = r.Close()
		if err == errNoFolder {
			return none, &linkError{at + name}
		}
		if err != nil {
			return none, err
		}
		r, at = sub, path[:len(at)+len(name)+1]
	}
	return confined{last, r}, nil
}

// errNoFolder is the error of ownFolderIn for links, and for names that change between lstat and
// open.
var errNoFolder = errors.New("not a real directory")

// ownFolderIn opens a directory in r. It compares the opened directory with the lstat of its name,
// because os.Root follows links that stay within the root.
func ownFolderIn(r *os.Root, name string) (*os.Root, error) {
	was, err := r.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case was.Mode()&(os.ModeSymlink|os.ModeIrregular) != 0: // junctions of Windows are irregular
		return nil, errNoFolder
	case !was.IsDir():
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	sub, err := r.OpenRoot(name)
	if escapes(err) || errors.Is(err, syscall.ENOTDIR) {
		return nil, errNoFolder
	}
	if err != nil {
		return nil, err
	}
	if is, err := sub.Stat("."); err != nil || !os.SameFile(was, is) {
		_ = sub.Close()
		return nil, errors.Join(err, errNoFolder)
	}
	return sub, nil
}

// firstLink returns the length of path up to and including the first symbolic link below the root.
// It returns 0 if the path does not exist or does not contain a link.
func (s *Store) firstLink(t tree, path string) int {
	for i := len(s.join("")); i < len(path); {
		j := strings.IndexByte(path[i:], '/')
		if j < 0 {
			j = len(path) - i
		}
		fi, err := t.lstat(path[:i+j])
		if err != nil {
			return 0
		}
		if fi.Mode()&os.ModeSymlink != 0 {
			return i + j
		}
		i += j + 1
	}
	return 0
}

// behindLink returns the error of a delete of a key behind a link: fault.Refused if the key exists,
// and otherwise the error for an absent key.
func (s *Store) behindLink(t tree, path string, link *linkError) error {
	if _, err := t.lstat(path); absent(err) {
		return s.proven(t, path)
	}
	return fault.Newf(fault.Refused, "%w", link)
}
