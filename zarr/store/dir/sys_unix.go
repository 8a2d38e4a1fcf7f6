//go:build unix

package dir

import (
	"errors"
	"os"
	"syscall"
)

// nonblock keeps an open of a pipe from waiting for its writer.
const nonblock = syscall.O_NONBLOCK

// infoOf gives the info of the file at path from what a Stat of it said.
func infoOf(_ tree, _ string, fi os.FileInfo) (info, error) {
	in := info{size: fi.Size(), mtime: fi.ModTime().UnixNano()}
	in.inode, _ = inodeOf(nil, fi)
	return in, nil
}

func inodeOf(_ *os.File, fi os.FileInfo) (uint64, error) {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino), nil
	}
	return 0, nil
}

// moveNew gives from the name to, which must be free, and takes its old name away.
func moveNew(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	_ = os.Remove(from) // a name that stays is hidden, and harmless: no file is ever changed in place
	return nil
}

func rename(t tree, from, to string) error { return t.rename(from, to) }

func syncFolder(t tree, path string) error {
	d, err := t.openFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return d.Sync()
}

func checkNames(string) error { return nil }

// isFull reports whether there is no room for what is written.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
