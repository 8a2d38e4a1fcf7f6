//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package serving

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/zargo-io/zargo/concurrency"
)

// lockDirectory locks a directory until the returned function is called or the process ends.
func lockDirectory(ctx context.Context, name string) (unlock func(), err error) {
	d, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = d.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = d.Close()
			return nil, err
		}
		if err := concurrency.Sleep(ctx, 10*time.Millisecond); err != nil {
			_ = d.Close()
			return nil, err
		}
	}
}

// listenPrivate listens at a socket with the mode 0600. The process has no other goroutine that
// creates files yet.
func listenPrivate(ctx context.Context, path string) (net.Listener, error) {
	defer syscall.Umask(syscall.Umask(0o177))
	return (&net.ListenConfig{}).Listen(ctx, "unix", path)
}

func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
