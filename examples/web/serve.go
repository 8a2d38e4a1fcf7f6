package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Grace is how long requests under way may take after a service was told to stop. Cloud Run kills
// after 10 s.
const Grace = 8 * time.Second

// Serve serves until ctx ends, then lets the requests under way end within Grace. It closes the
// listener.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second} // else a caller that never ends its header holds a connection
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), Grace)
	defer cancel()
	err := srv.Shutdown(last)
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
