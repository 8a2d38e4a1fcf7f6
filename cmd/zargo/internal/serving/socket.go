package serving

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// listenSocket listens at a Unix socket. It replaces a socket at which no server listens any more.
// Processes that start at the same time take turns by a lock on the directory, so that none removes
// the socket of another.
func listenSocket(ctx context.Context, path string) (net.Listener, error) {
	unlock, err := lockDirectory(ctx, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := removeStale(ctx, path); err != nil {
		return nil, err
	}
	return listenPrivate(ctx, path)
}

// removeStale removes a socket without a server. The error is fault.Exists if a server listens, or if
// there is another kind of file.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fault.Newf(fault.Exists, "the file is not a socket")
	}
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close()
		return fault.Newf(fault.Exists, "a server listens at the socket")
	}
	if !refused(err) {
		return err
	}
	return os.Remove(path)
}
