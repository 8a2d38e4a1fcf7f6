package dir

import (
	"errors"
	"os"
	"syscall"
)

type handleLock syscall.Handle

const (
	fileFlagDeleteOnClose = 0x04000000
	errSharingViolation   = syscall.Errno(32)
	errDeletePending      = syscall.Errno(303)
)

// tryLock opens the lock file without sharing, or gives nil if somebody else has. Windows closes and removes the file
// when its holder dies.
func tryLock(name string) (locked, error) {
	p, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	const access = syscall.GENERIC_WRITE | 0x10000 // DELETE
	h, err := syscall.CreateFile(p, access, 0, nil, syscall.OPEN_ALWAYS, fileFlagDeleteOnClose|syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case err == nil:
		return handleLock(h), nil
	case errors.Is(err, errSharingViolation), errors.Is(err, errDeletePending), errors.Is(err, syscall.ERROR_ACCESS_DENIED):
		if _, statErr := os.Stat(name); statErr != nil && errors.Is(err, syscall.ERROR_ACCESS_DENIED) && !errors.Is(statErr, syscall.ERROR_ACCESS_DENIED) {
			return nil, err // not a file that is being removed: the folder refuses
		}
		return nil, nil
	}
	return nil, err
}

func (l handleLock) release() { _ = syscall.CloseHandle(syscall.Handle(l)) }
