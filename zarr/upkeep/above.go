package upkeep

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// CheckAbove returns the paths of the groups above a node whose consolidated metadata is not what
// is stored of the node by now, the outermost first: what [zarr.Array.SetAttrs], [zarr.Create] or
// [zarr.Replace] left out of date. [UpdateAbove] brings them up to date. A v2 group is among them
// where its own .zmetadata is out of date about itself.
//
// It costs one request for each group above the node, up to the store's root, and where one has
// consolidated metadata one for the node (two in v2), and for each group between that the copy does
// not have; nothing is listed. Groups that the store refuses to show are left out. Groups of
// another format than the node have no place for it, and are left out too.
func CheckAbove(ctx context.Context, n zarr.Node) ([]string, error) {
	of := source(n)
	stale, err := staleAbove(ctx, of)
	if err != nil {
		return nil, errorf(of.At, err)
	}
	var groups []string
	for _, s := range stale {
		groups = append(groups, s.Path)
	}
	return groups, nil
}

// UpdateAbove brings the consolidated metadata of all groups above a node up to date about the
// node, and about groups between that it does not have, and returns the paths of the groups whose
// metadata was changed. A node that is not there any more is taken out, with what is below it.
//
// Only entries of these nodes are written; all others stay as they are, stale or not:
// [zarr.Group.Consolidate] reads everything. Each document is written on condition that it was not
// written since, and read and changed again where it was, so writers who update different nodes at
// the same time lose nothing, and of those who change one node the last one counts. ErrMetadata
// where consolidated metadata cannot be read: Consolidate makes it anew. A store without versions
// refuses with errors.ErrUnsupported, unless SingleWriter was given.
//
// Requests are those of [CheckAbove], and one for each document that is written.
func UpdateAbove(ctx context.Context, n zarr.Node) ([]string, error) {
	of := source(n)
	changed := map[string]bool{}
	for try := 1; ; try++ {
		stale, err := staleAbove(ctx, of)
		if err != nil {
			return nil, errorf(of.At, err)
		}
		errs := make([]error, len(stale))
		err = concurrency.EachN(ctx, len(stale), len(stale), func(ctx context.Context, i int) error {
			errs[i] = stale[i].update(ctx)
			return nil
		})
		lost := false
		for i, s := range stale {
			switch {
			case errs[i] == nil && err == nil:
				changed[s.Path] = true
			case errors.Is(errs[i], fault.Conflict) && try < maxConflicts:
				of.At.Conflict()
				lost = true
			case err == nil:
				err = errorf(s.Node, errs[i])
			}
		}
		if err == nil && lost {
			err = concurrency.Sleep(ctx, rand.N(min(time.Duration(try)*2*time.Millisecond, 100*time.Millisecond)))
		}
		if err != nil {
			return nil, err
		}
		if !lost {
			break
		}
	}
	return outermost(changed), nil
}

// maxConflicts bounds how often a document is changed again. Each conflict means that another
// writer succeeded.
const maxConflicts = 1000

// outermost sorts paths that are one above the other.
func outermost(paths map[string]bool) []string {
	var list []string
	for p := range paths {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}
