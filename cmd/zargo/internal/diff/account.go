package diff

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/internal/copying/unread"
)

// Skipped is a key below a group that belongs to no compared node.
type Skipped struct {
	Side string `json:"side"` // "a" or "b"
	Key  string `json:"key"`  // relative to the argument of Run
	Why  string `json:"why"`

	node bool // Key is the path of a node
}

// account lists the keys of all groups and returns those that belong to no node. The listing is
// independent of the walk that found the nodes, so that a node that the walk has left out is found
// here. The keys in arrays are not listed. account returns nil if the store cannot list, which the
// walk has reported.
func (t *tree) account(ctx context.Context, side string) (skipped []Skipped, err error) {
	l, err := unread.Keys(ctx, t.store, t.top, t.kinds())
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, k := range l.Extra {
		skipped = append(skipped, Skipped{side, k.Key, k.Why, k.Node})
	}
	return skipped, nil
}

// unreachable adds the nodes that were not compared and that only one side has.
func (r *Result) unreachable() {
	of := map[string]string{}
	for _, s := range r.Skipped {
		if s.node {
			of[s.Key] += s.Side
		}
	}
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if side := of[key]; len(side) == 1 {
			r.Nodes = append(r.Nodes, Node{Path: key, Only: side})
		}
	}
}
