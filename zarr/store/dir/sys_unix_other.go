//go:build unix && !linux

package dir

import (
	"os"
	"syscall"
)

// openShared opens for reading, without waiting for the writer of a pipe.
func openShared(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
