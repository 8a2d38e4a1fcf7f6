package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "tree:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("tree", flag.ContinueOnError)
	flags.SetOutput(out)
	direct := flags.Bool("direct", false, "ignore consolidated metadata")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("the argument must be the URL of a group")
	}
	st, err := all.Mux().Open(ctx, flags.Arg(0))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	var opts []zarr.Option
	if *direct {
		opts = append(opts, zarr.IgnoreConsolidated())
	}
	return draw(ctx, st, out, opts...)
}

// draw prints the hierarchy below the store's root.
func draw(ctx context.Context, st store.Store, out io.Writer, opts ...zarr.Option) error {
	var requests atomic.Int64
	st = store.Observe(st, func(context.Context, store.Event) { requests.Add(1) })
	root, err := zarr.OpenGroup(ctx, st, "", opts...)
	if err != nil {
		return err
	}
	// Walk yields nodes level by level, but a tree is printed depth first. Names are sorted by
	// segment: a/b comes before a-b.
	nodes := map[string]zarr.Node{"": root}
	var bad []error
	for n, err := range root.Walk(ctx) {
		var broken *zarr.MetaError
		switch {
		case errors.As(err, &broken):
			bad = append(bad, err)
		case err != nil:
			return err
		default:
			nodes[n.Path()] = n
		}
	}
	paths := slices.SortedFunc(maps.Keys(nodes), func(a, b string) int {
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
	for _, path := range paths {
		line(out, nodes[path])
	}
	for _, err := range bad {
		fmt.Fprintf(out, "! %v\n", err)
	}
	fmt.Fprintf(out, "%d nodes, %d requests\n", len(nodes), requests.Load())
	return errors.Join(bad...)
}

// line prints one node, indented by its depth, and its attributes sorted by name.
func line(out io.Writer, n zarr.Node) {
	depth := 0
	if n.Path() != "" {
		depth = 1 + strings.Count(n.Path(), "/")
	}
	indent := strings.Repeat("  ", depth)
	if a, ok := n.(*zarr.Array); ok {
		fmt.Fprintf(out, "%s%s  %v %v in chunks of %v\n", indent, n.Name(), a.DType(), a.Shape(), a.Chunks())
	} else {
		fmt.Fprintf(out, "%s%s/\n", indent, n.Name())
	}
	attrs := n.Attrs()
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		text, err := json.Marshal(attrs[name])
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(out, "%s  @%s = %s\n", indent, name, text)
	}
}
