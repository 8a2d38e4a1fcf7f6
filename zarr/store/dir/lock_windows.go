package dir

import (
	"errors"
	"os"
	"reflect"
	"runtime"
	"syscall"
)

// lockers returns only the function for lock files. On Windows an open file cannot be replaced, and
// a lock on the bytes of a file would exclude readers.
func (s *Store) lockers() lockers { return lockers{nil, tryName} }

type handleLock syscall.Handle

const (
	fileFlagDeleteOnClose = 0x04000000
	errSharingViolation   = syscall.Errno(32)
	errLockViolation      = syscall.Errno(33)
	errDeletePending      = syscall.Errno(303)
)

// tryName opens the lock file without sharing. It returns nil if another process or Store has it
// open. Windows closes and removes the file if the process that holds it dies.
func tryName(t tree, name string) (locked, error) {
	if t, ok := t.(confined); ok {
		return tryConfined(t, name)
	}
	p, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	const access = syscall.GENERIC_WRITE | 0x10000 // DELETE
	h, err := syscall.CreateFile(p, access, 0, nil, syscall.OPEN_ALWAYS, fileFlagDeleteOnClose|syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err == nil {
		return handleLock(h), nil
	}
	return nil, held(t, name, err)
}

func (l handleLock) release() { _ = syscall.CloseHandle(syscall.Handle(l)) }

// held returns nil if err means that another process or Store holds the lock, and otherwise err.
// err is the error of opening the lock file.
func held(t tree, name string, err error) error {
	switch {
	case errors.Is(err, errSharingViolation), errors.Is(err, errDeletePending):
		return nil
	case errors.Is(err, syscall.ERROR_ACCESS_DENIED):
		if _, statErr := t.stat(name); statErr == nil || errors.Is(statErr, syscall.ERROR_ACCESS_DENIED) {
			return nil // the file is being removed
		}
	}
	return err // the directory does not permit the file
}

// confinedLock is a lock on the first byte of a lock file. It is used with an os.Root, which can
// open files only with sharing.
type confinedLock struct {
	f    *os.File
	t    confined
	name string
}

// tryConfined is tryName for an os.Root. Its locks and those of tryName exclude each other.
func tryConfined(t confined, name string) (locked, error) {
	f, err := t.openFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, held(t, name, err)
	}
	const exclusive, now = 2, 1 // LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY
	at := new(syscall.Overlapped)
	ok, _, errno := syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx").Call(f.Fd(), exclusive|now, 0, 1, 0, reflect.ValueOf(at).Pointer())
	runtime.KeepAlive(at)
	if ok == 0 {
		_ = f.Close()
		if errors.Is(errno, errLockViolation) || errors.Is(errno, syscall.ERROR_IO_PENDING) {
			return nil, nil
		}
		return nil, errno
	}
	a, err := f.Stat()
	if err == nil {
		var b os.FileInfo
		if b, err = t.lstat(name); err == nil && os.SameFile(a, b) {
			return confinedLock{f, t, name}, nil
		}
	}
	_ = f.Close()
	return nil, nil // its last holder removed the file between open and lock
}

func (l confinedLock) release() {
	// Remove the file before unlocking it, so that the next holder detects that it is gone.
	_ = l.t.remove(l.name)
	_ = l.f.Close()
}
