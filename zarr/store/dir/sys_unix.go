//go:build unix

package dir

import (
	"errors"
	"os"
	"syscall"
)

// nonblock is the flag that lets the opening of a pipe return without waiting for a writer.
const nonblock = syscall.O_NONBLOCK

// infoOf returns the info of the file at path. fi is the stat of the file.
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

// moveNew renames a file. It fails if the new name is in use.
func moveNew(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	// If the file remains, it is hidden and harmless, because no file is modified in place.
	_ = os.Remove(from)
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

// isFull reports whether err means that the disk or the quota is full.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
