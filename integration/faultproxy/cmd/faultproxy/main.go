package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/zargo-io/zargo/integration/faultproxy"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("faultproxy", flag.ContinueOnError)
	target := flags.String("target", "", "the server behind, `http://host:port`")
	listen := flags.String("listen", "127.0.0.1:0", "`address` to listen on; port 0 is any that is free")
	config := flags.String("config", "{}", "the configuration as a `JSON` object")
	if err := flags.Parse(args); err != nil {
		return err
	}
	u, err := url.Parse(*target)
	if err != nil {
		return err
	}
	cfg, err := faultproxy.Parse([]byte(*config), faultproxy.Config{})
	if err != nil {
		return err
	}
	p, err := faultproxy.New(u, cfg)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = p.Close() })() // makes Serve return
	fmt.Fprintf(out, "http://%s\n", ln.Addr())
	return p.Serve(ln)
}
