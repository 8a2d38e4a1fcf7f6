//go:build !unix && !windows

package dir

import (
	"errors"
	"os"
	"syscall"
)

func openShared(path string) (*os.File, error) { return os.Open(path) }

// nonblock is 0 because these systems do not need or do not support a flag such as O_NONBLOCK.
const nonblock = 0

// infoOf returns the info of the file at path. fi is the stat of the file.
func infoOf(_ tree, _ string, fi os.FileInfo) (info, error) {
	return info{size: fi.Size(), mtime: fi.ModTime().UnixNano()}, nil
}

func inodeOf(*os.File, os.FileInfo) (uint64, error) { return 0, nil }

// moveNew renames a file. It fails if the new name is in use.
func moveNew(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	_ = os.Remove(from)
	return nil
}

func rename(t tree, from, to string) error { return t.rename(from, to) }
func syncFolder(tree, string) error        { return nil }
func checkNames(string) error              { return nil }

// isFull reports whether err means that the disk or the quota is full.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
