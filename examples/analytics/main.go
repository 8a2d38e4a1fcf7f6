package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/zargo-io/zargo/examples/web"
	"github.com/zargo-io/zargo/openurl/all"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "analytics:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("analytics", flag.ContinueOnError)
	flags.SetOutput(out)
	listen := flags.String("listen", "127.0.0.1:8080", "`address` to listen on")
	budget := flags.Int64("budget", 128, "`MiB` of chunks in memory at once, over all requests")
	timeout := flags.Duration("timeout", 10*time.Second, "`time` that a request may take")
	most := flags.Int("most", 1<<28, "`elements` that a request may read")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 || *budget < 1 || *timeout <= 0 || *most < 1 {
		return errors.New("the arguments must be arrays, as name=URL, and limits must be positive")
	}
	s := newService(*budget<<20, *timeout, *most)
	for _, arg := range flags.Args() {
		name, url, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("argument must be name=URL, is %q", arg)
		}
		st, err := all.Mux().Open(ctx, url)
		if err != nil {
			return err
		}
		defer func() { _ = st.Close() }() // opened for reading only
		if err := s.add(ctx, name, st); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "listening on http://%v\n", l.Addr())
	return web.Serve(ctx, l, s.handler())
}
