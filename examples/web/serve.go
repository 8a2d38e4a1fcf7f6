package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Grace is the maximum time that requests in flight may take after a service has received the
// signal to stop. Cloud Run kills the process after 10 s.
const Grace = 8 * time.Second

// Serve serves requests until ctx ends, and then waits up to Grace for requests in flight. It
// closes the listener.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second} // closes connections of clients that never finish a header
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
