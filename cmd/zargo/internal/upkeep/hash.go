package upkeep

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/manifest"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
)

// Hash is the command hash.
type Hash struct {
	URL   string `arg:"" name:"url" help:"The array, the group, or any directory or bucket."`
	Out   string `short:"o" help:"Write the manifest to this file." placeholder:"FILE"`
	Check string `help:"Compare the stored objects with this manifest." placeholder:"FILE"`
	JSON  bool   `name:"json" help:"With --check: print a JSON object."`
}

// Run writes a manifest, or checks one. If the stored bytes differ from the manifest, it returns
// ErrDiffers, which has its own exit code.
func (c *Hash) Run(ctx context.Context, s *session.Session) error {
	if c.Check != "" && c.Out != "" || c.JSON && c.Check == "" {
		return exit.Usagef("-o cannot be combined with --check, and --json requires --check")
	}
	p, err := s.Locate(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.Release()
	s.Far.Begin(progress.Work{Verb: "read"})
	if c.Check != "" {
		return c.check(ctx, s, p)
	}
	write := func(w io.Writer) error {
		return p.Fail(manifest.Write(ctx, p.Store, w, manifest.Options{Progress: s.Far.At}))
	}
	if c.Out != "" {
		return session.WriteFile(c.Out, write)
	}
	if !s.InPipe {
		return write(s.Out)
	}
	return write(s.Raw)
}

func (c *Hash) check(ctx context.Context, s *session.Session, p *session.Place) error {
	f, err := os.Open(c.Check)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened for reading only
	r, err := manifest.Check(ctx, p.Store, f, manifest.Options{Progress: s.Far.At})
	if err != nil {
		return p.Fail(err)
	}
	err = render.Print(s.Out, c.JSON, r, printCheck)
	if err == nil && !r.OK() {
		err = exit.At(p.Where, fmt.Errorf("%w from %s", exit.ErrDiffers, c.Check))
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
