package dir

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Confined says whether the Store stays within its folder: no operation follows a symbolic link out
// of it, and what lies behind such a link is fault.Refused. It is for programs that open trees
// which others made. The default is false: links are followed wherever they lead.
//
// It is built on [os.Root], so it holds against links that are exchanged while an operation runs,
// and it has the rules of os.Root: a link with an absolute target is refused even if that is inside
// the folder, and mount points are entered. The path of the folder itself may hold links. On
// GOOS=js and plan9 os.Root cannot exclude such exchanges. A path is walked folder by folder, so a
// Get of a small value takes about five times as long.
func Confined(on bool) Option {
	return Option{name("Confined", on), func(s *Store) { s.confined = on }}
}

// confined is the tree below a root that is open for one call. Without one the root was not there.
type confined struct {
	skip int // what the paths have before the names below the root
	r    *os.Root
}

// enter gives the tree for one call, which closes it. With create a root that is not there is made.
func (s *Store) enter(create bool) (tree, error) {
	if !s.confined {
		return plain{}, nil
	}
	t := confined{skip: len(s.join(""))}
	var err error
	t.r, err = os.OpenRoot(s.root)
	if absent(err) && create && s.seen.Load() == nil {
		if err = os.MkdirAll(s.root, 0o777); err == nil {
			t.r, err = os.OpenRoot(s.root)
		}
	}
	if err != nil {
		if gone := s.still(plain{}); gone != nil {
			return nil, gone
		}
		if fi, statErr := os.Stat(s.root); statErr == nil && !fi.IsDir() {
			err = &fs.PathError{Op: "open", Path: s.root, Err: syscall.ENOTDIR} // os.Root has an error of its own
		}
		if absent(err) && !create {
			return t, nil // and below it there is nothing
		}
		return nil, blocked(err)
	}
	if err := s.still(t); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// in gives the name below the root.
func (t confined) in(path string) (string, error) {
	if t.r == nil {
		return "", &fs.PathError{Op: "open", Path: path, Err: syscall.ENOENT}
	}
	if len(path) <= t.skip {
		return ".", nil
	}
	return path[t.skip:], nil
}

func (t confined) open(path string) (file, error) {
	f, err := t.openFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return file{}, err
	}
	return fileOf(f), nil
}

func (t confined) create(path string) (file, error) {
	f, err := t.openFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return file{}, err
	}
	return fileOf(f), nil
}

func (t confined) openFile(path string, flag int, perm os.FileMode) (*os.File, error) {
	name, err := t.in(path)
	if err != nil {
		return nil, err
	}
	return t.r.OpenFile(name, flag, perm)
}

func (t confined) stat(path string) (os.FileInfo, error) {
	name, err := t.in(path)
	if err != nil {
		return nil, err
	}
	return t.r.Stat(name)
}

func (t confined) lstat(path string) (os.FileInfo, error) {
	name, err := t.in(path)
	if err != nil {
		return nil, err
	}
	return t.r.Lstat(name)
}

func (t confined) chtimes(path string, mtime time.Time) error {
	name, err := t.in(path)
	if err != nil {
		return err
	}
	return t.r.Chtimes(name, time.Time{}, mtime)
}

func (t confined) mkdirAll(path string) error {
	name, err := t.in(path)
	if err != nil || name == "." {
		return err
	}
	return t.r.MkdirAll(name, 0o777)
}

func (t confined) rename(from, to string) error {
	a, err := t.in(from)
	if err != nil {
		return err
	}
	b, _ := t.in(to)
	return t.r.Rename(a, b)
}

func (t confined) moveNew(from, to string) error {
	a, err := t.in(from)
	if err != nil {
		return err
	}
	b, _ := t.in(to)
	if err := t.r.Link(a, b); err != nil {
		return err
	}
	_ = t.r.Remove(a) // a name that stays is hidden, and harmless: no file is ever changed in place
	return nil
}

func (t confined) remove(path string) error {
	name, err := t.in(path)
	if err != nil {
		return err
	}
	return t.r.Remove(name)
}

func (t confined) close() {
	if t.r != nil {
		_ = t.r.Close()
	}
}

// escapes reports whether os.Root refused a path. It does so with errors that are not the system's
// and have no name.
func escapes(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	default:
		return false
	}
	var errno syscall.Errno
	return !errors.As(err, &errno) && !errors.Is(err, fs.ErrClosed)
}
