package validate

import (
	"context"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/multiscale"
	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/rule"
)

// statesOfPyramids is the directory in a group that contains the states of its pyramids.
const statesOfPyramids = private + "pyramid"

// maxLevels is the maximum number of levels of a group that are looked at.
const maxLevels = 64

// pyramids reports the arrays of a group whose levels are not current. It is called only if package
// pyramid has stored a state in the group.
func (r *run) pyramids(ctx context.Context, g *zarr.Group, findings *nodeFindings) error {
	all, _ := multiscale.Read(g.Attrs()) // conventions reports the findings
	for _, p := range all {
		if p.Format != multiscale.Convention {
			continue
		}
		for _, l := range p.Levels[:min(len(p.Levels), maxLevels)] {
			if l.DerivedFrom != "" {
				continue
			}
			path := join(g.Path(), l.Path)
			ctx, st := r.begin(ctx)
			status, err := pyramid.StatusOf(ctx, st, path, slices.Clone(r.opts.Open)...)
			text := ""
			switch {
			case err != nil && fatal(ctx, err):
				return err
			case err != nil:
				text = fmt.Sprintf("it is unknown whether the levels of %q are current: %v", path, err)
			case status == pyramid.Outdated:
				text = fmt.Sprintf("the levels of %q are not current: the array or a level has changed since they were computed; zargo pyramid computes them again", path)
			case status == pyramid.Incomplete:
				text = fmt.Sprintf("the levels of %q are not complete; zargo pyramid completes them", path)
			default:
				continue
			}
			findings.report(rule.Finding{Rule: rule.OutdatedLevels, Key: node.Of(g).AttrsDoc.Key, Text: text})
		}
	}
	return nil
}
