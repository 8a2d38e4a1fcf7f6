package diff

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// Skipped is a key below a group that belongs to no compared node.
type Skipped struct {
	Side string `json:"side"` // "a" or "b"
	Key  string `json:"key"`  // relative to the argument of Run
	Why  string `json:"why"`
}

const (
	whyFile        = "the object is not part of the hierarchy"
	whyFolder      = "the directory is not a node"
	whyUnreachable = "a node in a directory that is not a group"
)

// account lists the keys of all groups and returns those that belong to no node. nodes has the
// nodes below n by path relative to n. The listing is independent of the walk that found the nodes,
// so that a node that the walk has left out is found here. The keys in arrays are not listed.
// account returns nil if the store cannot list.
func account(ctx context.Context, side string, n zarr.Node, nodes map[string]zarr.Node) (skipped []Skipped, err error) {
	for _, at := range slices.Sorted(maps.Keys(nodes)) {
		g, ok := nodes[at].(*zarr.Group)
		if !ok {
			continue
		}
		st := g.Store()
		for e, err := range store.Pages(ctx, st, g.Path(), store.ListOptions{Depth: store.OneLevel}) {
			if errors.Is(err, errors.ErrUnsupported) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			key := relative(n.Path(), e.Key)
			name := path.Base(key)
			_, known := nodes[key]
			switch {
			case known, strings.HasPrefix(name, "__zargo_"): // a node, or the state of an unfinished copy
			case !e.Dir && (isDocument(name) || isJunk(name)):
			case !e.Dir:
				skipped = append(skipped, Skipped{side, key, whyFile})
			default:
				doc, err := documentIn(ctx, st, e.Key)
				if err != nil {
					return nil, err
				}
				if doc == "" {
					skipped = append(skipped, Skipped{side, key, whyFolder})
				} else {
					skipped = append(skipped, Skipped{side, relative(n.Path(), doc), whyUnreachable})
				}
			}
		}
	}
	return skipped, nil
}

// isJunk reports whether file managers create files with the name.
func isJunk(name string) bool {
	return name == ".DS_Store" || name == "Thumbs.db" || name == "desktop.ini"
}

func isDocument(name string) bool {
	return isNodeDocument(name) || name == ".zattrs" || name == ".zmetadata"
}

func isNodeDocument(name string) bool {
	return name == "zarr.json" || name == ".zarray" || name == ".zgroup"
}

// maxSearched is the maximum number of keys of a directory that are searched for documents.
const maxSearched = 10_000

// documentIn returns the path of a node below a directory, or "" if none of the first keys is the
// document of a node.
func documentIn(ctx context.Context, st store.Store, dir string) (at string, err error) {
	seen := 0
	for e, err := range store.Pages(ctx, st, dir, store.ListOptions{}) {
		if err != nil {
			return "", err
		}
		if isNodeDocument(path.Base(e.Key)) {
			return path.Dir(e.Key), nil
		}
		if seen++; seen == maxSearched {
			break
		}
	}
	return "", nil
}

func relative(top, key string) string {
	return strings.TrimPrefix(strings.TrimPrefix(key, top), "/")
}

// unreachable adds the nodes in directories that are not groups and that only one side has.
func (r *Result) unreachable() {
	of := map[string]string{}
	for _, s := range r.Skipped {
		if s.Why == whyUnreachable {
			of[s.Key] += s.Side
		}
	}
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if side := of[key]; len(side) == 1 {
			r.Nodes = append(r.Nodes, Node{Path: key, Only: side})
		}
	}
}
