package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
)

// archive copies into a zip archive that does not exist yet.
func (c *copyCmd) archive(ctx context.Context, s *session, l openurl.Location, o transfer.Options, flags *applied) error {
	if c.Resume || c.Root != "" || c.given() {
		return usagef("--resume, --root and prices cannot be used for a zip archive, which is written in one run")
	}
	src, n, _, err := s.openAny(ctx, c.From, c.separatorFlag.options()...)
	if err != nil {
		return err
	}
	defer src.release()
	flags.from(ctx, s, src, src.path, &o)
	whole := l
	whole.Inside = nil
	o.Zarr = []zarr.Option{zarr.Extensions(s.codecs, dataTypes())}
	at, key, err := s.openFile(ctx, whole.URL())
	if err != nil {
		return err
	}
	defer at.release()
	if o.Source.Store, err = storeURL(src.root); err != nil {
		return err
	}
	o.Target.Store, o.Target.Path = l.String(), strings.Trim(strings.TrimPrefix(l.Inside[0], "zip:"), "/")
	o.Root, o.OneStage, o.WholeShards = o.Target.Path, true, true
	p, err := (&ends{source: src, node: n, fromPath: src.path}).plan(ctx, nil, o)
	if err == nil {
		err = flags.check()
	}
	if err != nil {
		return c.planFailed(at, err)
	}
	s.warnOfObjects(p)
	if c.DryRun {
		return printPlan(s.out, p)
	}
	defer keepTo(p.Memory)()
	s.far.begin(work{verb: "written", ahead: s.far.sent.Load})
	if err := transfer.SaveZip(ctx, p, s.opener(map[string]openurl.Location{p.Source.Store: src.root}), at.Store, key, s.options()...); err != nil {
		return at.fail(trimmed(err))
	}
	_, err = fmt.Fprintf(s.out, "copied %s\n", render.Plural(writtenArrays(p), "array"))
	return err
}
