package dir

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/zargo-io/zargo/zarr/fault"
)

// linkError reports a symbolic link where the store goes through real folders only.
type linkError struct{ path string }

func (e *linkError) Error() string {
	return "the symbolic link " + e.path + " is on the way, and deletes follow no link"
}

// ownFolder opens the folder of a path, going down from the root through real folders only. The
// tree holds the names in that folder, and the caller closes it. A link on the way is a *linkError,
// also one that takes a folder's place meanwhile. What the tree opens is one folder, wherever that
// is moved, so nothing done in it reaches another.
func (s *Store) ownFolder(path string) (confined, error) {
	none := confined{}
	r, err := os.OpenRoot(s.root)
	if err != nil {
		return none, err
	}
	if err := s.still(confined{len(s.join("")), r}); err != nil {
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

// errNoFolder is for a name of a link, or of what was exchanged between the look and the open.
var errNoFolder = errors.New("not a real folder")

// ownFolderIn opens a folder in a folder. os.Root alone would follow links that stay within it, so
// the folder that was opened is compared with the one of which the name was.
func ownFolderIn(r *os.Root, name string) (*os.Root, error) {
	was, err := r.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case was.Mode()&(os.ModeSymlink|os.ModeIrregular) != 0: // irregular are the junctions of Windows
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

// firstLink is the length of the part of a path below the root that ends with the first symbolic
// link; 0 where there is none, or no such path.
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

// behindLink is the result of a delete of what lies behind a link: refused if there is anything,
// else as of an absent key.
func (s *Store) behindLink(t tree, path string, link *linkError) error {
	if _, err := t.lstat(path); absent(err) {
		return s.proven(t, path)
	}
	return fault.Newf(fault.Refused, "%w", link)
}
