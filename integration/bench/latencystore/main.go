package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:9911", "listen address (port 0 picks a free port; the address is printed)")
	root := flag.String("root", "", "serve the files below this directory; the first path element is the bucket")
	writeback := flag.Bool("writeback", false, "also write uploaded objects to -root (default: keep them in memory only)")
	synth := flag.String("synthetic", "", "add a generated hierarchy: bucket/prefix:arrays:chunks[:v2|v3]")
	cfg := defaultConfig()
	cfg.flags(flag.CommandLine)
	flag.Parse()

	st := newStore(*root, *writeback)
	if *root != "" {
		if err := st.load(); err != nil {
			log.Fatal(err)
		}
	}
	if *synth != "" {
		if err := st.synthetic(*synth); err != nil {
			log.Fatal(err)
		}
	}
	srv := newServer(st, cfg)
	ln, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	hs := &http.Server{Handler: srv, ConnState: srv.connState, ReadHeaderTimeout: 30 * time.Second}
	fmt.Fprintf(os.Stdout, "listening http://%s objects=%d\n", ln.Addr(), st.count())
	log.Fatal(hs.Serve(ln))
}
