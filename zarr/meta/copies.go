package meta

import (
	"iter"
	"slices"
	"strings"
)

// Copies are the nodes of consolidated metadata, by path. They are parsed one by one when they are
// requested, so Copies takes the memory of the document and about a hundred bytes for each node. It
// retains the document, which must not be changed.
//
// A nil *Copies has no nodes. All methods are safe for concurrent use, if Parser.Lenient is.
type Copies struct {
	at    place    // of the object that contains the documents of the nodes
	under string   // what precedes the paths in all: "", or the path of a group and a slash
	all   []copied // in treeOrder
}

// copied is the text of a node's documents.
type copied struct {
	path       string
	doc, attrs []byte // attrs is the text of .zattrs of v2, nil if absent
	kind       copiedKind
}

type copiedKind uint8

const (
	nodeOfV3 copiedKind = iota + 1
	arrayOfV2
	groupOfV2
)

// Names of documents of v2.
const (
	zarray = ".zarray"
	zgroup = ".zgroup"
	zattrs = ".zattrs"
)

// Len returns the number of nodes.
func (c *Copies) Len() int {
	if c == nil {
		return 0
	}
	return len(c.all)
}

// Has reports whether there is a node at a path, without parsing it.
func (c *Copies) Has(path string) bool {
	_, ok := c.find(path)
	return ok
}

// Paths yields the paths of all nodes. A path is followed by the paths below it; siblings are
// sorted by name.
func (c *Copies) Paths() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range c.Len() {
			if !yield(c.all[i].path[len(c.under):]) {
				return
			}
		}
	}
}

// Node parses the node at a path. It returns nil if there is none, and a [*Bad] if the node cannot
// be parsed. Consolidated of a group has the nodes below that group. Parser.Memory bounds the
// attributes of the node, and Parser.Lenient is called for its violations, in every call of Node.
func (c *Copies) Node(path string) Node {
	i, ok := c.find(path)
	if !ok {
		return nil
	}
	n, err := c.parse(&c.all[i])
	if err != nil {
		return &Bad{err}
	}
	if g, ok := n.(*Group); ok {
		g.Consolidated = c.below(i)
	}
	return n
}

// find returns the index of a path.
func (c *Copies) find(path string) (int, bool) {
	if c == nil {
		return 0, false
	}
	return slices.BinarySearchFunc(c.all, c.under+path, func(n copied, path string) int { return treeOrder(n.path, path) })
}

// below returns the nodes below the group c.all[i].
func (c *Copies) below(i int) *Copies {
	path, rest := c.all[i].path, c.all[i+1:]
	under := path + "/"
	if path == "" {
		under = ""
	}
	n, _ := slices.BinarySearchFunc(rest, under, func(n copied, under string) int {
		if strings.HasPrefix(n.path, under) {
			return -1
		}
		return 1
	})
	return &Copies{at: c.at, under: under, all: rest[:n:n]}
}

func (c *Copies) sort() {
	slices.SortFunc(c.all, func(a, b copied) int { return treeOrder(a.path, b.path) })
}

// parse parses a node without the nodes below it.
func (c *Copies) parse(n *copied) (Node, error) {
	at, left := c.at, c.at.with.memory()
	at.left = &left
	name := n.path
	switch n.kind {
	case arrayOfV2:
		name = join(n.path, zarray)
	case groupOfV2:
		name = join(n.path, zgroup)
	}
	o, err := at.member(name).object(n.doc)
	if err != nil {
		return nil, err
	}
	if n.kind == nodeOfV3 {
		return nodeV3(o)
	}
	attrs := Attrs{}
	if n.attrs != nil {
		if attrs, err = at.member(join(n.path, zattrs)).attributes(n.attrs); err != nil {
			return nil, err
		}
	}
	if n.kind == arrayOfV2 {
		a, err := arrayV2(o)
		if err != nil {
			return nil, err
		}
		a.Attrs = attrs
		return a, nil
	}
	o.all = slices.DeleteFunc(o.all, func(m member) bool { return m.name == "consolidated_metadata" && o.copied(m.raw) })
	g, err := groupV2(o)
	if err != nil {
		return nil, err
	}
	g.Attrs = attrs
	return g, nil
}

// join returns the key of a document of the node at a path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}
