package dir

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Confined keeps the Store within its directory: no operation follows a symbolic link out of it,
// and a key behind such a link is fault.Refused. It is for programs that open directories that
// others have written. Without this option links are followed to any target.
//
// The Store then uses [os.Root], which is also safe against links that are exchanged during an
// operation. The rules of os.Root apply: a link with an absolute target is refused even if the
// target is inside the directory, and mount points are entered. The path of the directory itself
// may contain links. On GOOS=js and plan9, os.Root is not safe against exchanged links. A Get of a
// small value takes about five times as long, because paths are opened directory by directory.
func Confined(on bool) Option {
	return Option{name("Confined", on), func(s *Store) { s.confined = on }}
}

// confined is a tree that does not leave the root. The root is opened for each call. If the root
// does not exist, r is nil and the tree is empty.
type confined struct {
	skip int // length of the path of the root, with its trailing slash
	r    *os.Root
}

// enter returns the tree for one call. The caller must close it. If create is set, enter creates a
// missing root.
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
		if gone := s.checkRoot(plain{}); gone != nil {
			return nil, gone
		}
		if fi, statErr := os.Stat(s.root); statErr == nil && !fi.IsDir() {
			// os.Root has a private error for this case. Replace it by one that can be recognized.
			err = &fs.PathError{Op: "open", Path: s.root, Err: syscall.ENOTDIR}
		}
		if absent(err) && !create {
			return t, nil // the empty tree
		}
		return nil, blocked(err)
	}
	if err := s.checkRoot(t); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// in returns the path relative to the root for a path of the Store.
func (t confined) in(path string) (string, error) {
	if t.r == nil {
		return "", &fs.PathError{Op: "open", Path: path, Err: syscall.ENOENT}
	}
	if len(path) <= t.skip {
		return ".", nil
	}
	return path[t.skip:], nil
}

// within calls do with the root and the path relative to it for a path of the Store.
func within[T any](t confined, path string, do func(r *os.Root, name string) (T, error)) (v T, err error) {
	name, err := t.in(path)
	if err != nil {
		return v, err
	}
	return do(t.r, name)
}

func (t confined) open(path string) (file, error) { return t.file(path, os.O_RDONLY|nonblock) }

func (t confined) create(path string) (file, error) {
	return t.file(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
}

func (t confined) file(path string, flag int) (file, error) {
	f, err := t.openFile(path, flag, 0o666)
	if err != nil {
		return file{}, err
	}
	return fileOf(f), nil
}

func (t confined) openFile(path string, flag int, perm os.FileMode) (*os.File, error) {
	return within(t, path, func(r *os.Root, name string) (*os.File, error) { return r.OpenFile(name, flag, perm) })
}

func (t confined) stat(path string) (os.FileInfo, error)  { return within(t, path, (*os.Root).Stat) }
func (t confined) lstat(path string) (os.FileInfo, error) { return within(t, path, (*os.Root).Lstat) }

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
	// If the file remains, it is hidden and harmless, because no file is modified in place.
	_ = t.r.Remove(a)
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

// escapes reports whether os.Root returned err because a path leaves the root. This error of
// os.Root is private.
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
