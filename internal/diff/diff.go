package diff

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr"
)

// Options say what is compared. The zero value compares all.
type Options struct {
	SkipMetadata bool
	SkipValues   bool
	First        int   // how many elements that differ are reported of each array; 0 is 10, less is none
	Memory       int64 // bytes for the values that are compared at one time; 0 is 256 MiB

	// All compares also arrays of more than 200 million elements, or 200,000 objects, of which
	// fewer than 1 in 100 are stored and whose absence no listing proves. Without it they are
	// fault.Limit: what is declared in a few bytes takes any time to compare.
	All bool

	// Progress is called at the begin and after each block of values, one call at a time: how many
	// elements were compared, and of how many.
	Progress func(done, total int64)
}

// Result is what a comparison found.
type Result struct {
	Compared int    `json:"nodes_compared"`    // nodes that both have
	Elements int64  `json:"elements_compared"` // of all arrays
	Nodes    []Node `json:"nodes"`             // that differ, by path; empty where all is equal
}

// Equal reports whether nothing differs.
func (r *Result) Equal() bool { return len(r.Nodes) == 0 }

// Node is a node that differs.
type Node struct {
	Path    string   `json:"path"`              // below the nodes that were given
	Only    string   `json:"only,omitempty"`    // "a" or "b" where the other has no such node
	Members []Member `json:"members,omitempty"` // of the metadata
	Values  *Values  `json:"values,omitempty"`  // nil where all are equal, or none were compared
}

// Member is what the two have different in their metadata, as JSON.
type Member struct {
	Name string          `json:"name"` // "shape", "chunks", …; "attributes/units" for an attribute
	A    json.RawMessage `json:"a"`    // nil where it has none
	B    json.RawMessage `json:"b"`
}

// Values are the values of two arrays that differ.
type Values struct {
	Not       string    `json:"not_compared,omitempty"` // why they were not compared, and so cannot be equal
	Different int64     `json:"different"`              // elements
	Of        int64     `json:"of"`                     // elements that were compared
	First     []Element `json:"first,omitempty"`        // in the order of blocks, and in C order within each
}

// Element is an element that differs, with both values as v3 metadata spells them.
type Element struct {
	At []int           `json:"at"`
	A  json.RawMessage `json:"a"`
	B  json.RawMessage `json:"b"`
}

// Run compares two nodes, and of two groups all that is below them.
func Run(ctx context.Context, a, b zarr.Node, o Options) (*Result, error) {
	x, err := below(ctx, a)
	if err != nil {
		return nil, err
	}
	y, err := below(ctx, b)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(x)
	maps.Copy(all, y)
	r := &Result{Nodes: []Node{}}
	total := int64(0)
	if !o.SkipValues {
		total = elements(x, y)
	}
	before := int64(0) // of the arrays that are behind
	progress := func(of int64) {
		if o.Progress != nil {
			o.Progress(before+of, total)
		}
	}
	progress(0)
	for _, path := range slices.SortedFunc(maps.Keys(all), func(p, q string) int {
		return slices.Compare(strings.Split(p, "/"), strings.Split(q, "/"))
	}) {
		n := Node{Path: path}
		switch a, b := x[path], y[path]; {
		case b == nil:
			n.Only = "a"
		case a == nil:
			n.Only = "b"
		default:
			r.Compared++
			if err := r.pair(ctx, &n, a, b, o, progress); err != nil {
				return r, err
			}
			before = r.Elements
		}
		if n.Only != "" || len(n.Members) > 0 || n.Values != nil {
			r.Nodes = append(r.Nodes, n)
		}
	}
	return r, nil
}

// pair compares two nodes of one path.
func (r *Result) pair(ctx context.Context, n *Node, a, b zarr.Node, o Options, progress func(of int64)) error {
	x, isArray := a.(*zarr.Array)
	y, both := b.(*zarr.Array)
	if isArray != both {
		n.Members = []Member{{"node_type", text(kind(a)), text(kind(b))}}
		return nil
	}
	if !o.SkipMetadata {
		var err error
		if n.Members, err = members(a, b); err != nil {
			return err
		}
	}
	if !isArray || o.SkipValues {
		return nil
	}
	v, err := values(ctx, x, y, o, progress)
	if err != nil {
		return err
	}
	r.Elements += v.Of
	if v.Not != "" || v.Different > 0 {
		n.Values = v
	}
	return nil
}

// elements is how many there are to compare: those of arrays that both have, of one shape and data
// type.
func elements(x, y map[string]zarr.Node) (n int64) {
	for path := range x {
		a, ok := x[path].(*zarr.Array)
		b, both := y[path].(*zarr.Array)
		if ok && both && unlike(a, b) == "" {
			n = min(n, math.MaxInt64-int64(a.Len())) + int64(a.Len())
		}
	}
	return n
}

// below are a node, and all that is below it, by path from there.
func below(ctx context.Context, n zarr.Node) (map[string]zarr.Node, error) {
	nodes := map[string]zarr.Node{"": n}
	g, ok := n.(*zarr.Group)
	if !ok {
		return nodes, nil
	}
	for m, err := range g.Walk(ctx) {
		if err != nil {
			return nil, err
		}
		nodes[strings.TrimPrefix(strings.TrimPrefix(m.Path(), n.Path()), "/")] = m
	}
	return nodes, nil
}

func kind(n zarr.Node) string {
	if _, ok := n.(*zarr.Array); ok {
		return "array"
	}
	return "group"
}
