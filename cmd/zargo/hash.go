package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/internal/manifest"
)

type hashCmd struct {
	URL   string `arg:"" name:"url" help:"The array, the group, or any directory or bucket."`
	Out   string `short:"o" help:"Write the manifest to this file." placeholder:"FILE"`
	Check string `help:"Compare the stored objects with this manifest." placeholder:"FILE"`
	JSON  bool   `name:"json" help:"With --check: print a JSON object."`
}

// Run writes a manifest, or checks one. If the stored bytes differ from the manifest, it returns
// errDiffers, which has its own exit code.
func (c *hashCmd) Run(ctx context.Context, s *session) error {
	if c.Check != "" && c.Out != "" || c.JSON && c.Check == "" {
		return usagef("-o cannot be combined with --check, and --json requires --check")
	}
	p, err := s.locate(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.release()
	s.far.begin(work{verb: "read"})
	if c.Check != "" {
		return c.check(ctx, s, p)
	}
	write := func(w io.Writer) error {
		return p.fail(manifest.Write(ctx, p.Store, w, manifest.Options{Progress: s.far.at}))
	}
	if c.Out != "" {
		return writeFile(c.Out, write)
	}
	if !s.inPipe {
		return write(s.out)
	}
	return write(s.raw)
}

func (c *hashCmd) check(ctx context.Context, s *session, p *place) error {
	f, err := os.Open(c.Check)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened for reading only
	r, err := manifest.Check(ctx, p.Store, f, manifest.Options{Progress: s.far.at})
	if err != nil {
		return p.fail(err)
	}
	if c.JSON {
		err = render.JSON(s.out, r)
	} else {
		err = printCheck(s.out, r)
	}
	if err == nil && !r.OK() {
		err = at(p.where, fmt.Errorf("%w from %s", errDiffers, c.Check))
	}
	return err
}

func printCheck(out io.Writer, r *manifest.Result) error {
	for _, of := range []struct {
		what string
		keys []string
	}{{"missing", r.Missing}, {"changed", r.Changed}, {"extra", r.Extra}} {
		for _, key := range of.keys {
			fmt.Fprintf(out, "%s  %s\n", of.what, render.OneLine(key))
		}
	}
	_, err := fmt.Fprintf(out, "%d same, %d missing, %d changed, %d extra\n", r.Same, len(r.Missing), len(r.Changed), len(r.Extra))
	return err
}
