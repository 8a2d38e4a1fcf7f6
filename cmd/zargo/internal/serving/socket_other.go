//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package serving

import (
	"context"
	"net"
	"strings"
)

// lockDirectory does nothing: these systems have no locks of directories.
func lockDirectory(context.Context, string) (unlock func(), err error) { return func() {}, nil }

func listenPrivate(ctx context.Context, path string) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(ctx, "unix", path)
}

func refused(err error) bool { return strings.Contains(err.Error(), "refused") }
