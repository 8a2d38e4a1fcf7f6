package dir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// nonblock is 0 because Windows does not need a flag such as O_NONBLOCK.
const nonblock = 0

// openShared opens a file for reading. Other processes may remove the file or replace it by another
// while it is open.
func openShared(path string) (*os.File, error) {
	p, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const share = syscall.FILE_SHARE_READ | syscall.FILE_SHARE_WRITE | syscall.FILE_SHARE_DELETE
	h, err := syscall.CreateFile(p, syscall.GENERIC_READ, share, nil, syscall.OPEN_EXISTING, syscall.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// infoOf returns the info of the file at path. fi is the stat of the file.
func infoOf(t tree, path string, fi os.FileInfo) (info, error) {
	if fi.IsDir() {
		return info{kind: folderKind}, nil
	}
	f, err := t.open(path)
	if err != nil {
		return info{}, err
	}
	defer func() { _ = f.close() }()
	return f.info()
}

// inodeOf returns the file index, which identifies a file like an inode number. When NTFS reuses an
// index, it changes the upper bits.
func inodeOf(f *os.File, _ os.FileInfo) (uint64, error) {
	var d syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &d); err != nil {
		return 0, err
	}
	return uint64(d.FileIndexHigh)<<32 | uint64(d.FileIndexLow), nil
}

// moveNew renames a file. It fails if the new name is in use.
func moveNew(from, to string) error {
	a, err := syscall.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	b, err := syscall.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	return syscall.MoveFile(a, b)
}

// rename renames a file and replaces the file at the new name. It retries for a while, because
// Windows refuses to replace a file that another process, often a virus scanner, has open.
func rename(t tree, from, to string) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := t.rename(from, to)
		if fi, statErr := t.stat(to); statErr == nil && fi.IsDir() {
			return err
		}
		if wait > time.Second || !errors.Is(err, syscall.ERROR_ACCESS_DENIED) && !errors.Is(err, errSharingViolation) {
			return err
		}
		time.Sleep(wait)
	}
}

// syncFolder does nothing, because Windows does not flush directories.
func syncFolder(tree, string) error { return nil }

// checkNames returns an error for names that Windows would change or refuse.
func checkNames(key string) error {
	if strings.ContainsAny(key, `<>:"|?*`) || !filepath.IsLocal(filepath.FromSlash(key)) {
		return fault.Newf(fault.Path, "Windows does not support the name %q", key)
	}
	for seg := range strings.SplitSeq(key, "/") {
		if strings.HasSuffix(seg, ".") || strings.HasSuffix(seg, " ") {
			return fault.Newf(fault.Path, "Windows would remove the end of the name %q", seg)
		}
	}
	return nil
}

// isFull reports whether err means that the disk or the quota is full.
func isFull(err error) bool {
	const handleDiskFull, diskFull, quota = syscall.Errno(39), syscall.Errno(112), syscall.Errno(1295) // winerror.h
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, handleDiskFull) || errors.Is(err, diskFull) || errors.Is(err, quota)
}
