//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dir

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/zargo-io/zargo/zarr/fault"
)

type flocked struct{ f *os.File }

// tryLock takes the lock file, or gives nil if another process or Store has it. The kernel frees the lock when its
// holder dies; the file that stays behind is taken over by the next.
func tryLock(name string) (locked, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if errors.Is(err, fs.ErrPermission) {
		f, err = os.Open(name) // another user's; a local flock does not need to write
	}
	if err != nil {
		return nil, err
	}
	err = flock(f)
	if err == nil && stillNamed(f, name) {
		return flocked{f}, nil
	}
	_ = f.Close()
	if err == nil || errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil // held, or removed by its last holder between the open and the lock
	}
	return nil, fault.Newf(errors.ErrUnsupported, "the file system has no locks: %w", clean(err))
}

func flock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EINTR {
			return err
		}
	}
}

// stillNamed tells whether the file that is locked is still the one of that name: a holder removes it as it lets go.
func stillNamed(f *os.File, name string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(name)
	return err == nil && os.SameFile(a, b)
}

func (l flocked) release() {
	_ = os.Remove(l.f.Name()) // before the lock goes, so that whoever waits for this file finds it replaced
	_ = l.f.Close()
}
