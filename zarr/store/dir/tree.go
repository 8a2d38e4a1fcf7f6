package dir

import (
	"os"
	"time"
)

// tree is the file system as the Store sees it. It is either plain or confined. Paths are absolute
// and have slashes, like those of Store.join.
type tree interface {
	// open opens a file for reading. It does not wait for the writer of a pipe.
	open(path string) (file, error)
	// create creates a new file for writing.
	create(path string) (file, error)
	openFile(path string, flag int, perm os.FileMode) (*os.File, error)
	stat(path string) (os.FileInfo, error)
	lstat(path string) (os.FileInfo, error)
	chtimes(path string, mtime time.Time) error
	mkdirAll(path string) error
	rename(from, to string) error
	// moveNew renames a file. It fails if the new name is in use.
	moveNew(from, to string) error
	remove(path string) error
	close()
}

// plain is a tree of the whole file system. It follows symbolic links to any target.
type plain struct{}

func (plain) open(path string) (file, error)   { return openFile(path) }
func (plain) create(path string) (file, error) { return createFile(path) }
func (plain) openFile(path string, flag int, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, perm)
}
func (plain) stat(path string) (os.FileInfo, error)  { return os.Stat(path) }
func (plain) lstat(path string) (os.FileInfo, error) { return os.Lstat(path) }
func (plain) chtimes(path string, t time.Time) error { return os.Chtimes(path, time.Time{}, t) }
func (plain) mkdirAll(path string) error             { return os.MkdirAll(path, 0o777) }
func (plain) rename(from, to string) error           { return os.Rename(from, to) }
func (plain) moveNew(from, to string) error          { return moveNew(from, to) }
func (plain) remove(path string) error               { return os.Remove(path) }
func (plain) close()                                 {}
