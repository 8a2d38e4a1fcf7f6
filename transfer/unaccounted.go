package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/internal/copying/unread"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Unplanned is a key in a group of the source or of the target that a plan does not account for.
type Unplanned struct {
	In     Side   // Source or Target
	Key    string // relative to the copied node; "" if the store cannot list
	Why    string // a description
	Node   bool   // Key is the path of a node
	Absent bool   // the node is in the plan, and the store lacks it
}

// Unaccounted lists the groups of the source and of the target, and returns the keys that the plan
// does not account for: nodes that the plan or the target lacks, and objects and directories that
// are not part of the hierarchy, except files that file managers create. It does not use the walk
// that made the plan, so it also finds nodes that this walk left out and nodes that were added
// later. It sends one listing of one level for each group of both sides and reads no objects. It
// does not list the keys in arrays, and reports nothing for the plan of a single array. If a store
// does not support or does not permit listings, the result has an entry with an empty key.
//
// Call Unaccounted when [Verify] returns no tasks. Before, the target lacks nodes. Errors are those
// of the stores.
func Unaccounted(ctx context.Context, p *Plan, open Opener) (all []Unplanned, err error) {
	nodes := p.nodes()
	if !nodes[""] {
		return nil, nil
	}
	for _, side := range []struct {
		in     Side
		at     Place
		absent string
	}{{Source, p.Source, "a node of the plan that the source no longer has"}, {Target, p.Target, "a node of the plan that the target lacks"}} {
		st, err := open(ctx, side.at.Store)
		if err != nil {
			return nil, fmt.Errorf("transfer: %s: %w", side.in, err)
		}
		l, err := unread.Keys(ctx, st, side.at.Path, nodes)
		switch err = errors.Join(err, st.Close()); {
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Refused), errors.Is(err, fault.NotFound):
			all = append(all, Unplanned{In: side.in, Why: fmt.Sprintf("the keys of the %s are not accounted for: %v", side.in, err)})
			continue
		case err != nil:
			return nil, fmt.Errorf("transfer: %s: %w", side.in, err)
		}
		for _, k := range l.Extra {
			all = append(all, Unplanned{In: side.in, Key: k.Key, Why: k.Why, Node: k.Node})
		}
		for _, at := range l.Absent {
			all = append(all, Unplanned{side.in, at, side.absent, true, true})
		}
	}
	return all, nil
}

// nodes returns the nodes of the target by path relative to it, and whether their members are nodes
// of the plan.
func (p *Plan) nodes() map[string]bool {
	whole := map[string]bool{} // nodes that are copied with everything below them
	for _, stage := range p.Stages {
		for _, s := range stage.Steps {
			if s.Kind == Objects {
				whole[s.To.Path] = true
			}
		}
	}
	within := func(at string) bool {
		for at != "" {
			at = at[:max(strings.LastIndexByte(at, '/'), 0)]
			if whole[at] {
				return true
			}
		}
		return false
	}
	nodes := map[string]bool{}
	for key, doc := range p.Documents.Target {
		at, group := node.PathOf(key), false
		switch path.Base(key) {
		case "zarr.json":
			var of struct {
				Type string `json:"node_type"`
			}
			text, err := jsontext.Canon(nil, []byte(doc), jsontext.Tokens) // attributes may contain NaN
			group = err == nil && json.Unmarshal(text, &of) == nil && of.Type == "group"
		case ".zgroup":
			group = true
		case ".zarray":
		default:
			continue
		}
		if node.IsAbove(at, p.Target.Path) || within(at) {
			continue
		}
		below := strings.TrimPrefix(strings.TrimPrefix(at, p.Target.Path), "/")
		nodes[below] = nodes[below] || group && !whole[at]
	}
	return nodes
}
