package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"os"

	"github.com/zargo-io/zargo/integration/faultproxy"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:9911", "listen address (port 0 picks a free port; the address is printed)")
	root := flag.String("root", "", "serve the files below this directory; the first path element is the bucket")
	writeback := flag.Bool("writeback", false, "also write uploaded objects to -root (default: keep them in memory only)")
	synth := flag.String("synthetic", "", "add a generated hierarchy: bucket/prefix:arrays:chunks[:v2|v3]")
	config := flag.String("config", "{}", "latency, bandwidth and faults: a faultproxy.Config as a JSON object")
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
	cfg, err := faultproxy.Parse([]byte(*config), faultproxy.Config{})
	if err != nil {
		log.Fatal(err)
	}
	srv := &server{st: st}
	if srv.proxy, err = faultproxy.Local(srv, operation, cfg); err != nil {
		log.Fatal(err)
	}
	ln, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(os.Stdout, "listening http://%s objects=%d\n", ln.Addr(), st.count())
	log.Fatal(srv.proxy.Serve(ln))
}
