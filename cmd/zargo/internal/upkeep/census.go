package upkeep

import (
	"context"
	"fmt"
	"io"
	"math/big"

	"github.com/zargo-io/zargo/cmd/zargo/internal/census"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Census is the command census.
type Census struct {
	URL  string `arg:"" name:"url" help:"The array, or the group with the arrays to count."`
	Data bool   `help:"Read and decode every chunk, to find corrupt ones."`
	JSON bool   `name:"json" help:"Print a JSON list."`
}

// Run counts the stored chunks of each array.
func (c *Census) Run(ctx context.Context, s *session.Session) error {
	p, n, err := s.OpenStored(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.Release()
	s.Far.Begin(progress.Work{Unit: "chunks", Verb: "read", AtMost: true, Moved: s.Report.BytesRead.Load})
	all := []*census.Counts{}
	done, total := int64(0), int64(0) // counts of previous arrays
	take := func(a *zarr.Array) error {
		counts, err := census.Array(ctx, a, census.Options{Data: c.Data, Progress: func(d, t int64) { s.Far.At(done+d, progress.Capped(total, t)) }})
		if err == nil {
			all = append(all, counts)
			done, total = done+counts.Present, progress.Capped(total, counts.Present)
			s.Far.At(done, total)
		}
		return err
	}
	switch n := n.(type) {
	case *zarr.Array:
		err = take(n)
	case *zarr.Group:
		for m, walked := range n.Walk(ctx) {
			if walked != nil {
				return p.Fail(walked)
			}
			if a, ok := m.(*zarr.Array); ok {
				if err = take(a); err != nil {
					break
				}
			}
		}
	}
	if err != nil {
		return p.Fail(err)
	}
	err = render.Print(s.Out, c.JSON, all, printCensus)
	if err != nil {
		return err
	}
	corrupt := int64(0)
	for _, counts := range all {
		corrupt += counts.Corrupt
	}
	if corrupt > 0 {
		return exit.At(p.Where, fault.Newf(fault.Corrupt, "%s", render.Plural(int(corrupt), "chunk")))
	}
	return nil
}

// printCensus prints the counts of each array.
func printCensus(out io.Writer, all []*census.Counts) error {
	for _, c := range all {
		unit := "chunks"
		if c.Sharded {
			unit = "shards"
		}
		name := render.OneLine(c.Path)
		if name == "" {
			name = "."
		}
		fmt.Fprintf(out, "%s: %d of %d %s are stored, %d corrupt\n", name, c.Present, c.Chunks, unit, c.Corrupt)
		if c.Sharded {
			fmt.Fprintf(out, "  inner chunks: %d stored, %d absent in those shards\n", c.InnerPresent, c.InnerAbsent)
		}
		size := render.Stored(c.Stored, c.Unsized)
		if c.Decoded > 0 && c.Stored > 0 {
			fmt.Fprintf(out, "  bytes stored: %s, of elements: %s, %.1f to 1\n", size, render.Size(big.NewInt(c.Decoded)), c.Ratio())
		} else {
			fmt.Fprintf(out, "  bytes stored: %s\n", size)
		}
		if c.Orphans > 0 {
			fmt.Fprintf(out, "  beyond the array: %s, bytes: %s\n", render.Plural(int(c.Orphans), "key"), render.Size(big.NewInt(c.OrphanBytes)))
		}
		if c.Asked {
			fmt.Fprintln(out, "  the store does not support listings: keys were requested one by one, and other keys are unknown")
		}
		for _, p := range c.Problems {
			fmt.Fprintf(out, "  %s: %s\n", render.OneLine(p.Key), render.OneLine(p.Err))
		}
	}
	return nil
}
