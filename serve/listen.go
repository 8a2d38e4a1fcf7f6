package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Serve serves requests that arrive at l until ctx ends. It then closes l, waits at most the given
// time for the running requests, cancels the others, and returns when all have ended. It returns nil
// if ctx ended, and otherwise the error of l.
func (s *Server) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	h := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second, // a client that never ends its header holds a connection
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.o.Log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	select {
	case err := <-ended:
		return errors.Join(err, s.Close())
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	_ = h.Shutdown(last) // closes l, and waits for the connections
	_ = s.Close()
	last, cancel = context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = h.Shutdown(last) // the last responses are on their way
	_ = h.Close()
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
