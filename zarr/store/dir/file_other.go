//go:build !linux

package dir

import (
	"io"
	"os"
)

// file is an open file.
type file struct{ f *os.File }

func fileOf(f *os.File) file { return file{f} }

func openFile(path string) (file, error) {
	f, err := openShared(path)
	return file{f}, err
}

// createFile creates a file for writing. It fails if the file exists.
func createFile(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	return file{f}, err
}

func (f file) write(b []byte) error {
	_, err := f.f.Write(b)
	return err
}

func (f file) sync() error { return f.f.Sync() }

func (f file) fd() int { return int(f.f.Fd()) }

func (f file) info() (info, error) {
	fi, err := f.f.Stat()
	if err != nil {
		return info{}, err
	}
	in := info{size: fi.Size(), mtime: fi.ModTime().UnixNano()}
	switch {
	case fi.IsDir():
		in.kind = folderKind
	case !fi.Mode().IsRegular():
		in.kind = special
	default:
		in.inode, err = inodeOf(f.f, fi)
	}
	return in, err
}

// readAt reads up to len(b) bytes. At the end of the file it returns 0 and no error.
func (f file) readAt(b []byte, off int64) (int, error) {
	n, err := f.f.ReadAt(b, off)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

func (f file) close() error { return f.f.Close() }
