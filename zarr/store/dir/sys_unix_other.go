//go:build unix && !linux

package dir

import "os"

// openShared opens a file for reading. It does not wait for the writer of a pipe.
func openShared(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|nonblock, 0)
}
