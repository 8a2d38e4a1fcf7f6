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

// separatorFlag sets the separator of chunk keys for v2 arrays whose metadata does not declare it.
type separatorFlag struct {
	Separator string `help:"Separator in chunk keys, / or a point, if the metadata of format 2 does not declare it." enum:",/,." default:""`
}

func (f separatorFlag) options() []zarr.Option {
	if f.Separator == "" {
		return nil
	}
	return []zarr.Option{zarr.Separator(f.Separator)}
}

// layoutInfo describes the layouts of the chunk keys found in the store.
type layoutInfo struct {
	Flat   bool `json:"flat"`
	Nested bool `json:"nested"`
}

// look finds the layout of an array's chunk keys in the store if the metadata does not declare the
// layout.
func (i *nodeInfo) look(ctx context.Context, p *place, a *zarr.Array) error {
	if !a.Metadata().NoSeparator {
		return nil
	}
	l, err := upkeep.CheckKeys(ctx, a)
	switch {
	case errors.Is(err, fault.Refused): // the metadata can still be printed
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

// layoutWarning describes a problem of a key layout and how to solve it. It returns "" if there is
// no problem.
func layoutWarning(l upkeep.KeyLayout) string {
	switch {
	case l.Other() == "":
		return ""
	case l.Stated:
		return l.String()
	case l.Mixed():
		return fmt.Sprintf("%v: use --separator %s to read the others", l, l.Other())
	}
	return fmt.Sprintf("%v: use --separator %s to read them", l, l.Other())
}

// warnOfMissing prints a warning if a read found none of its chunks but chunks exist under keys of
// another layout. All printed values are then fill values. warnOfMissing sends requests only if all
// chunks were missing, and ignores errors of these requests.
func (s *session) warnOfMissing(ctx context.Context, p *place, a *zarr.Array) {
	if missing := s.report.Missing.Load(); missing == 0 || missing < s.report.Chunks.Load() {
		return
	}
	if l, err := upkeep.CheckKeys(ctx, a); err == nil && l.Other() != "" {
		s.warn("%s: all chunks are missing and were read as the fill value; %s", p.where, layoutWarning(l))
	}
}

// openField opens an array, or a field of it, to read it. The caller closes the place.
func (s *session) openField(ctx context.Context, url string, separator separatorFlag, field fieldFlag) (*place, *zarr.Array, error) {
	p, a, err := s.openArray(ctx, url, separator.options()...)
	if err != nil {
		return nil, nil, err
	}
	if a, err = field.of(a); err != nil {
		p.release()
		return nil, nil, p.fail(err)
	}
	return p, a, nil
}

// openToWrite opens an array, or a field of it, to write elements. If the stored chunks have keys
// of another layout than writes would use, it returns an error that requires --separator, because
// an array with chunks in both layouts cannot be read completely. The caller closes the place.
func (s *session) openToWrite(ctx context.Context, url string, separator separatorFlag, field fieldFlag) (*place, *zarr.Array, error) {
	p, a, err := s.openField(ctx, url, separator, field)
	if err != nil || separator.Separator != "" || !a.Metadata().NoSeparator {
		return p, a, err
	}
	l, err := upkeep.CheckKeys(ctx, a)
	switch {
	case errors.Is(err, fault.Refused): // write permission does not imply permission to list
		return p, a, nil
	case err == nil && l.Other() != "":
		err = usagef("%v: pass --separator %s or --separator %s", l, l.Other(), l.Separator)
	}
	if err != nil {
		p.release()
		return nil, nil, p.fail(err)
	}
	return p, a, nil
}
