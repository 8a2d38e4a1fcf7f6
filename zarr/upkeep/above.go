package upkeep

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// CheckParents checks the consolidated metadata of the groups above a node. It returns the paths of
// the groups whose consolidated metadata is out of date for the node, outermost first.
// [zarr.Array.SetAttrs], [zarr.Create] and [zarr.Replace] do not update the metadata of these
// groups; [UpdateParents] does. If the node is a v2 group, its own .zmetadata is checked too,
// because that contains an entry for the group itself.
//
// CheckParents costs one request for each group above the node, up to the store's root. If any
// group has consolidated metadata, it also costs one request for the node (two in v2), and one for
// each intermediate group that the consolidated metadata lacks. CheckParents lists nothing. It
// skips groups that the store refuses to return and groups whose format differs from the node's.
func CheckParents(ctx context.Context, n zarr.Node) ([]string, error) {
	of := node.Of(n)
	stale, err := staleAbove(ctx, of)
	if err != nil {
		return nil, of.Errorf(err)
	}
	var groups []string
	for _, s := range stale {
		groups = append(groups, s.Path)
	}
	return groups, nil
}

// UpdateParents updates the entries of a node in the consolidated metadata of all groups above it,
// and adds missing entries for the groups between. It returns the paths of the groups whose
// metadata changed. If the node no longer exists, its entry and all entries below it are removed.
//
// All other entries are unchanged, even stale ones; [zarr.Group.Consolidate] rewrites every entry.
// UpdateParents writes each document conditionally. After a conflict it reads the document again
// and repeats the change. Concurrent updates of different nodes are therefore all kept. Of
// concurrent updates of one node, the last is kept.
//
// UpdateParents returns ErrMetadata if consolidated metadata cannot be parsed; Consolidate replaces
// it. UpdateParents returns errors.ErrUnsupported if the store lacks versions, unless SingleWriter
// was passed. UpdateParents costs the requests of [CheckParents] and one more for each document
// that it writes.
func UpdateParents(ctx context.Context, n zarr.Node) ([]string, error) {
	of := node.Of(n)
	changed := map[string]bool{}
	for try := 1; ; try++ {
		stale, err := staleAbove(ctx, of)
		if err != nil {
			return nil, of.Errorf(err)
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
				of.Conflict()
				lost = true
				node.KnownIn(ctx).Forget()
			case err == nil:
				err = s.Errorf(errs[i])
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

// maxConflicts is the maximum number of attempts to change a document. Each conflict means that
// another writer succeeded.
const maxConflicts = 1000

// outermost sorts paths from the outermost to the innermost. Of any two paths, one must be an
// ancestor of the other.
func outermost(paths map[string]bool) []string {
	var list []string
	for p := range paths {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}
