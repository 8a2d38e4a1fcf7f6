package diff

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options configures a comparison. The zero value compares metadata and values.
type Options struct {
	SkipMetadata bool
	SkipValues   bool
	First        int        // maximum number of reported elements per array; 0 means 10 and a negative number means none
	Tolerance    *Tolerance // permitted differences of numbers; nil compares bit by bit
	// Decode compares numbers as the CF conventions decode them: packed values are scaled, and
	// missing values are equal to each other. The data types may differ.
	Decode bool

	// Memory is the maximum number of bytes of values and objects in memory, at most half of the
	// arrays' budget. 0 means 32 MiB, or half of the budget if that saves requests or decoding.
	Memory int64

	// All permits the comparison of large sparse arrays, which may take very long. Two arrays are
	// sparse if fewer than 1 in 100 of their objects are stored. Without All, Run returns
	// fault.Limit for sparse arrays that have more than 200 million elements, or more than 200,000
	// objects together. A comparison of arrays with equal fill values and complete listings is
	// always permitted.
	All bool

	// Plan, if not nil, is called with the bounds of the reads of the values of each array, instead
	// of reading them. The Result then has no differences in values.
	Plan func(least, most store.Amount)

	// Progress is called at the start and after each block. done is the number of elements compared
	// so far, and total is the number of elements to compare. Calls are not concurrent.
	Progress func(done, total int64)
}

// Result is the result of a comparison.
type Result struct {
	Compared int    `json:"nodes_compared"`    // nodes at paths that exist on both sides
	Elements int64  `json:"elements_compared"` // compared elements of all arrays
	Nodes    []Node `json:"nodes"`             // nodes that differ, sorted by path; not nil
	// Skipped has the keys in groups that belong to no node, and so were not compared. It does not
	// make the result unequal, unless only one side has a node in a directory that is not a group.
	Skipped []Skipped `json:"not_compared,omitempty"`
}

// Equal reports whether the comparison found no difference.
func (r *Result) Equal() bool { return len(r.Nodes) == 0 }

// Node describes a node that differs.
type Node struct {
	Path    string   `json:"path"`              // relative to the arguments of Run
	Only    string   `json:"only,omitempty"`    // "a" or "b" if the node exists only on that side
	Members []Member `json:"members,omitempty"` // differences in metadata
	Values  *Values  `json:"values,omitempty"`  // nil if all values are equal or none were compared
}

// Member is a difference in metadata, with both values as JSON.
type Member struct {
	Name string          `json:"name"` // such as "shape" or "chunks", or "attributes/units" for an attribute
	A    json.RawMessage `json:"a"`    // nil if a does not have the member
	B    json.RawMessage `json:"b"`    // nil if b does not have the member
}

// Values describes the difference in the values of two arrays.
type Values struct {
	Not       string `json:"not_compared,omitempty"` // reason why the values were not compared; they do not count as equal
	Different int64  `json:"different"`              // number of different elements
	Of        int64  `json:"of"`                     // number of compared elements
	// Largest is the largest |a - b| of all compared elements. It is present if a Tolerance was
	// applied. It excludes pairs with an element that is not finite.
	Largest *float64  `json:"largest_difference,omitempty"`
	First   []Element `json:"first,omitempty"` // in the order of blocks, in each block in C order
}

// Element is an element that differs, with both values in the JSON form of v3 fill values.
type Element struct {
	At []int           `json:"at"`
	A  json.RawMessage `json:"a"`
	B  json.RawMessage `json:"b"`
}

// Run compares two nodes, and all nodes below them if they are groups.
//
// Nodes that this version does not support are compared by their documents and by the stored bytes
// of their objects. If the documents differ in more than attributes, or the objects differ, the
// elements count as not compared.
func Run(ctx context.Context, a, b zarr.Node, o Options) (*Result, error) {
	return RunTops(ctx, Top{Node: a}, Top{Node: b}, o)
}

// RunTops is Run for nodes that may not be supported.
func RunTops(ctx context.Context, a, b Top, o Options) (*Result, error) {
	x, err := a.read(ctx)
	if err != nil {
		return nil, err
	}
	y, err := b.read(ctx)
	if err != nil {
		return nil, err
	}
	if !o.SkipValues {
		if err := o.Tolerance.effective(x, y); err != nil {
			return nil, err
		}
	}
	all := maps.Clone(x.nodes)
	maps.Copy(all, y.nodes)
	r := &Result{Nodes: []Node{}}
	for side, t := range map[string]*tree{"a": x, "b": y} {
		s, err := t.account(ctx, side)
		if err != nil {
			return nil, err
		}
		r.Skipped = append(r.Skipped, s...)
	}
	slices.SortStableFunc(r.Skipped, func(a, b Skipped) int { return strings.Compare(a.Side, b.Side) })
	total := int64(0)
	if !o.SkipValues {
		total = elements(x, y)
	}
	before := int64(0) // number of elements of arrays that were already compared
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
		switch a, b := x.nodes[path], y.nodes[path]; {
		case !b.is():
			n.Only = "a"
		case !a.is():
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
	r.unreachable()
	return r, nil
}

// pair compares two nodes at the same path.
func (r *Result) pair(ctx context.Context, n *Node, a, b entry, o Options, progress func(of int64)) error {
	if a.isGroup() != b.isGroup() {
		n.Members = []Member{{"node_type", text(a.kind()), text(b.kind())}}
		return nil
	}
	if a.unread != nil || b.unread != nil {
		return unsupported(ctx, n, a, b, o)
	}
	x, isArray := a.node.(*zarr.Array)
	if !o.SkipMetadata {
		var err error
		if n.Members, err = members(a.node, b.node); err != nil {
			return err
		}
	}
	if !isArray || o.SkipValues {
		return nil
	}
	v, err := values(ctx, x, b.node.(*zarr.Array), o, progress)
	if err != nil {
		return err
	}
	r.Elements += v.Of
	if v.Not != "" || v.Different > 0 {
		n.Values = v
	}
	return nil
}

// elements returns the number of elements to compare. It counts the arrays that both sides have,
// with the same shape and data type.
func elements(x, y *tree) (n int64) {
	for path := range x.nodes {
		if a, b := x.array(path), y.array(path); a != nil && b != nil && unlike(a, b) == "" {
			n = min(n, math.MaxInt64-int64(a.Len())) + int64(a.Len())
		}
	}
	return n
}

func (e entry) kind() string {
	if e.isGroup() {
		return "group"
	}
	return "array"
}
