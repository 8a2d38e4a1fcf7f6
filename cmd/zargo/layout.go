package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// separatorFlag is for v2 arrays whose metadata does not say how the keys of their chunks are
// spelled.
type separatorFlag struct {
	Separator string `help:"Between the numbers of a chunk's key, / or a point, where format 2's metadata does not say it." enum:",/,." default:""`
}

func (f separatorFlag) options() []zarr.Option {
	if f.Separator == "" {
		return nil
	}
	return []zarr.Option{zarr.Separator(f.Separator)}
}

// layoutInfo is where the chunks of an array were seen.
type layoutInfo struct {
	Flat   bool `json:"flat"`
	Nested bool `json:"nested"`
}

// look finds out where the chunks are of an array whose metadata does not say it.
func (i *nodeInfo) look(ctx context.Context, p *place, a *zarr.Array) error {
	if !a.Metadata().NoSeparator {
		return nil
	}
	l, err := upkeep.CheckKeys(ctx, a)
	switch {
	case errors.Is(err, fault.Refused): // the metadata can be shown all the same
		i.Warning = "the metadata does not say whether chunks are flat (0.0) or nested (0/0), and looking was refused: " +
			strings.TrimPrefix(p.fail(err).Error(), p.where+": ")
	case err != nil:
		return err
	case l.Looked:
		i.Layout = &layoutInfo{l.Flat, l.Nested}
		i.Warning = layoutWarning(l)
	}
	return nil
}

// layoutWarning says what is wrong with a layout and what to do; "" when nothing is.
func layoutWarning(l upkeep.KeyLayout) string {
	switch {
	case l.Other() == "":
		return ""
	case l.Stated:
		return l.String()
	case l.Mixed():
		return fmt.Sprintf("%v: --separator %s reads the others", l, l.Other())
	}
	return fmt.Sprintf("%v: --separator %s reads them", l, l.Other())
}

// warnOfMissing warns when a read found none of its chunks although there are some under other
// keys: what was printed are fill values. It looks only then, and what keeps it from looking is not
// what the command was about.
func (s *session) warnOfMissing(ctx context.Context, p *place, a *zarr.Array) {
	if missing := s.report.Missing.Load(); missing == 0 || missing < s.report.Chunks.Load() {
		return
	}
	if l, err := upkeep.CheckKeys(ctx, a); err == nil && l.Other() != "" {
		s.warn("%s: every chunk was missing and is the fill value; %s", p.where, layoutWarning(l))
	}
}
