//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dir

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/zargo-io/zargo/zarr/fault"
)

func (s *Store) lockers() lockers { return lockers{s.tryValue, s.tryName} }

// flocked is a held lock on the file of a value.
type flocked struct{ f file }

func (l flocked) release() { _ = l.f.close() }

// tryValue implements lockers.value.
func (s *Store) tryValue(t tree, path string) (locked, error) {
	f, err := t.open(path)
	if errors.Is(err, fs.ErrPermission) {
		err = fault.Newf(fault.Refused, "locking needs read permission for the file: %w", clean(err))
	}
	if err != nil {
		return nil, err
	}
	err = s.flock(f.fd())
	if errors.Is(err, syscall.EBADF) { // NFS locks only files that are open for writing
		_ = f.close()
		w, openErr := t.openFile(path, os.O_RDWR|nonblock, 0)
		if openErr != nil {
			return nil, openErr
		}
		f = fileOf(w)
		err = s.flock(f.fd())
	}
	if err == nil {
		fi, statErr := t.lstat(path)
		switch {
		case statErr == nil && fi.Mode().IsRegular() && named(f.fd(), fi):
			return flocked{f}, nil
		case statErr == nil && !fi.Mode().IsRegular():
			// The name now belongs to another file, or the file is not a value.
			err = syscall.ENOENT
		}
	}
	_ = f.close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = nil
	}
	return nil, err
}

// named reports whether fi, the lstat of a name, describes the open file fd.
func named(fd int, fi os.FileInfo) bool {
	var a syscall.Stat_t
	if err := syscall.Fstat(fd, &a); err != nil {
		return false
	}
	b, ok := fi.Sys().(*syscall.Stat_t)
	return ok && a.Dev == b.Dev && a.Ino == b.Ino
}

// nameLock is a held lock file.
type nameLock struct {
	f    *os.File
	t    tree
	name string
}

// tryName implements lockers.name. If a process dies with the lock, the kernel releases the lock,
// but the lock file remains and is used by the next holder.
func (s *Store) tryName(t tree, name string) (locked, error) {
	f, err := t.openFile(name, os.O_RDWR|os.O_CREATE|nonblock, 0o666)
	if errors.Is(err, fs.ErrPermission) {
		// The file belongs to another user. On a local file system flock does not need write
		// access.
		f, err = t.openFile(name, os.O_RDONLY|nonblock, 0)
	}
	if err != nil {
		return nil, err
	}
	err = s.flock(int(f.Fd()))
	if err == nil {
		// The previous holder removed the lock file when it released the lock. Another file may
		// have the name now.
		if fi, statErr := t.lstat(name); statErr == nil && named(int(f.Fd()), fi) {
			return nameLock{f, t, name}, nil
		}
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = nil
	}
	return nil, err
}

func (l nameLock) release() {
	// Remove the file before unlocking it, so that the next holder detects that it is gone.
	_ = l.t.remove(l.name)
	_ = l.f.Close()
}

// flock locks the open file fd. It fails with EWOULDBLOCK, EBADF or errors.ErrUnsupported.
func (s *Store) flock(fd int) error {
	if s.remote != nil {
		if name := s.remote(fd); name != "" {
			return fault.Newf(errors.ErrUnsupported, "locks on %s are not reliable if other machines write there (see TrustLocks, --trust-locks)", name)
		}
	}
	for {
		switch err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err {
		case syscall.EINTR:
		case nil, syscall.EWOULDBLOCK, syscall.EBADF:
			return err
		default:
			return fault.Newf(errors.ErrUnsupported, "the file system does not support locks: %w", clean(err))
		}
	}
}
