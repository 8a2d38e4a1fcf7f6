package derived

import (
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
)

// Node is an array or a group, with its attributes before the change.
type Node struct {
	Path  string // relative to any common group; "" is that group
	Array bool
	Attrs map[string]any
	Axes  []Axis // of an array
	// Values means that elements of the array were replaced, so statistics are not known.
	Values bool
	// Inside means that the extent that attributes of groups state did not change, because it is
	// that of the coordinates.
	Inside bool
}

// Dropped is an attribute that the change made untrue.
type Dropped struct {
	Path string // of the node
	Name string // of the attribute
	Why  string
}

// String returns the fact as a sentence for people.
func (d Dropped) String() string { return "the attribute " + d.Name + " was dropped: " + d.Why }

// Attributes returns the attributes of the nodes that have other attributes after the change, by
// path. The nodes include all arrays that changed, the variables and groups whose attributes
// describe these arrays, and the arrays that did not change but that the same attributes describe.
func Attributes(nodes []Node) (map[string]map[string]any, []Dropped) {
	t := &tree{nodes: map[string]*Node{}}
	for _, n := range nodes {
		n.Attrs = maps.Clone(n.Attrs)
		t.nodes[n.Path] = &n
		t.paths = append(t.paths, n.Path)
	}
	slices.Sort(t.paths)
	for _, p := range t.paths {
		if n := t.nodes[p]; n.Array {
			t.array(n)
		}
	}
	for _, p := range t.paths {
		if n := t.nodes[p]; n.Array {
			t.mapping(n)
		} else {
			t.group(n)
		}
	}
	out := map[string]map[string]any{}
	for _, n := range nodes {
		if now := t.nodes[n.Path]; !reflect.DeepEqual(now.Attrs, n.Attrs) && len(now.Attrs)+len(n.Attrs) > 0 {
			undeclare(now.Attrs, n.Attrs)
			out[n.Path] = now.Attrs
		}
	}
	return out, t.dropped
}

type tree struct {
	nodes   map[string]*Node
	paths   []string
	dropped []Dropped
}

// maxDropped bounds the reported attributes.
const maxDropped = 1000

// drop removes an attribute, if the node has it.
func (t *tree) drop(n *Node, name, why string) {
	if _, ok := n.Attrs[name]; !ok {
		return
	}
	delete(n.Attrs, name)
	t.say(n, name, why)
}

func (t *tree) say(n *Node, name, why string) {
	if len(t.dropped) < maxDropped {
		t.dropped = append(t.dropped, Dropped{n.Path, name, why})
	}
}

func parent(p string) string {
	if p = path.Dir(p); p == "." || p == "/" {
		return ""
	}
	return p
}

// below returns the arrays below a group, or only those directly in it.
func (t *tree) below(group string, direct bool) (list []*Node) {
	for _, p := range t.paths {
		n := t.nodes[p]
		switch {
		case !n.Array || p == group:
		case group != "" && !strings.HasPrefix(p, group+"/"):
		case direct && parent(p) != group:
		default:
			list = append(list, n)
		}
	}
	return list
}

// array changes the attributes of an array that describe itself.
func (t *tree) array(n *Node) {
	if changed(n.Axes) || n.Values {
		t.statistics(n)
	}
	for _, prefix := range prefixes {
		if p, ok := grid(n.Axes, dimsOf(n.Attrs, prefix)); ok && p.changed() {
			t.spatial(n, n.Attrs, prefix, p)
		}
	}
	if p, ok := grid(n.Axes, nil); ok && p.changed() {
		t.legacy(n, p)
	}
}

// mapping changes the attributes of a grid mapping variable by the changes of the arrays that refer
// to it.
func (t *tree) mapping(v *Node) {
	if !slices.ContainsFunc(placed[:], func(name string) bool { return v.Attrs[name] != nil }) {
		return
	}
	group, name := parent(v.Path), path.Base(v.Path)
	var all [3][]pair // of arrays that name v, of others with horizontal dimensions, and of others
	for _, n := range t.below(group, false) {
		p, ok := grid(n.Axes, nil)
		switch {
		case n == v || !ok:
		case refersTo(n.Attrs, name):
			all[0] = append(all[0], p)
		case name != "spatial_ref" || n.Attrs["grid_mapping"] != nil || parent(n.Path) != group:
		case is(rows[:], p.row.Dim) && is(cols[:], p.col.Dim):
			all[1] = append(all[1], p)
		default:
			all[2] = append(all[2], p)
		}
	}
	for _, list := range all { // without a name, rioxarray uses spatial_ref
		if list != nil {
			t.geoTransform(v, list)
			return
		}
	}
}

// refersTo reports whether the attribute grid_mapping names a variable, in the simple or in the
// extended form.
func refersTo(attrs map[string]any, name string) bool {
	text, _ := attrs["grid_mapping"].(string)
	return slices.ContainsFunc(strings.Fields(text), func(w string) bool {
		return path.Base(strings.TrimSuffix(w, ":")) == name
	})
}

// group changes the attributes of a group that describe the arrays below it.
func (t *tree) group(g *Node) {
	all := t.below(g.Path, false)
	if !slices.ContainsFunc(all, func(n *Node) bool { return changed(n.Axes) || n.Values }) {
		return
	}
	t.statistics(g)
	t.coverage(g, all)
	levels := t.levels(g)
	for _, prefix := range prefixes {
		t.inherited(g, prefix, levels)
	}
}
