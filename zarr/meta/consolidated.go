package meta

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// maxPath is the maximum length in bytes of a path in consolidated metadata. S3, GCS and Azure have
// the same limit for keys.
const maxPath = 1024

// inline parses the "consolidated_metadata" member of a v3 group (core specification, since
// 2026-07). The value null means that the group lacks consolidated metadata, as in zarr-python. A
// member of an unknown kind is ignored if it has "must_understand": false. A malformed member is
// ignored too, because the nodes that it copies are in the store.
func (g *Group) inline(p place, raw []byte) error {
	if string(raw) == "null" {
		return p.lenient(rule.ConsolidatedNull, "")
	}
	if raw[0] != '{' {
		return p.unsupported("unknown member without \"must_understand\": false")
	}
	o, err := p.object(raw)
	if err != nil {
		return err
	}
	if string(o.get("kind")) != `"inline"` {
		if string(o.get("must_understand")) == "false" {
			return nil
		}
		return p.unsupported("consolidated metadata of kind %s", brief(o.get("kind")))
	}
	g.Consolidated, err = o.copies()
	if errors.Is(err, fault.Limit) {
		return err // the document exceeds the caller's memory bound
	}
	if err != nil {
		g.Unreadable = err
		return p.unreadable(err)
	}
	return nil
}

// copies parses the nodes of inline consolidated metadata.
func (o object) copies() (map[string]Node, error) {
	text, at, err := o.need("metadata")
	if err != nil {
		return nil, err
	}
	all, err := at.object(text)
	if err != nil {
		return nil, err
	}
	nodes := make(map[string]Node, len(all.all))
	for _, m := range all.all {
		p := all.member(m.name)
		if err := p.checkPath(m.name); err != nil {
			return nil, err
		}
		if m.name == "" {
			return nil, p.bad("the path of a node must not be empty")
		}
		nodes[m.name] = orBad(func() (Node, error) {
			o, err := p.object(m.raw)
			if err != nil {
				return nil, err
			}
			return nodeV3(o)
		})
	}
	if err := at.err(nest(nodes)); err != nil {
		return nil, err
	}
	return nodes, nil
}

// unreadable reports that consolidated metadata cannot be read. This is not an error of the group,
// which can be read without the copy.
func (p place) unreadable(err error) error {
	var broken *rule.Error
	switch {
	case p.with.Lenient == nil:
		return nil
	case errors.As(err, &broken):
		return err // it violates another rule, and the mode is strict
	}
	f := rule.FromError("", err)
	f.Rule, f.Err = rule.BadConsolidated, nil
	strictly := p.with.Lenient(f)
	if strictly == nil {
		return nil
	}
	if errors.As(strictly, &broken) {
		broken.Err = err
	}
	return &fault.MetaError{Key: f.Key, Pointer: f.Pointer, Err: strictly}
}

// ParseConsolidatedV2 parses a .zmetadata document. It returns the groups and arrays of the
// hierarchy by path. The path of the node that contains the document is "".
func ParseConsolidatedV2(key string, doc []byte) (map[string]Node, error) {
	return Parser{}.ConsolidatedV2(key, doc)
}

// ConsolidatedV2 is ParseConsolidatedV2 with the parser's settings.
func (with Parser) ConsolidatedV2(key string, doc []byte) (map[string]Node, error) {
	o, err := document(key, doc, with)
	if err != nil {
		return nil, err
	}
	if err := o.consolidatedFormat(); err != nil {
		return nil, err
	}
	raw, p, err := o.need("metadata")
	if err != nil {
		return nil, err
	}
	all, err := p.object(raw)
	if err != nil {
		return nil, err
	}
	type parts struct{ array, group, attrs *member }
	found := map[string]*parts{}
	for i := range all.all {
		m := &all.all[i]
		dir, name := "", m.name
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			dir, name = name[:i], name[i+1:]
		}
		if err := all.member(m.name).checkPath(m.name); err != nil {
			return nil, err
		}
		n := found[dir]
		if n == nil {
			n = &parts{}
			found[dir] = n
		}
		switch name {
		case ".zarray":
			n.array = m
		case ".zgroup":
			n.group = m
		case ".zattrs":
			n.attrs = m
		}
	}
	nodes := make(map[string]Node, len(found))
	for dir, n := range found {
		m := cmp.Or(n.array, n.group)
		if m == nil {
			if n.attrs != nil {
				if err := all.member(n.attrs.name).lenient(rule.AttributesOfNothing, ""); err != nil {
					return nil, err
				}
			}
			continue
		}
		nodes[dir] = orBad(func() (Node, error) {
			o, err := all.member(m.name).object(m.raw)
			if err != nil {
				return nil, err
			}
			attrs := Attrs{}
			if n.attrs != nil {
				if attrs, err = all.member(n.attrs.name).attributes(n.attrs.raw); err != nil {
					return nil, err
				}
			}
			if m == n.array {
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
		})
	}
	if err := p.err(nest(nodes)); err != nil {
		return nil, err
	}
	return nodes, nil
}

// consolidatedFormat checks "zarr_consolidated_format". zarr-python 3 accepts documents without
// this member; zarr-python 2 does not.
func (o object) consolidatedFormat() error {
	const name = "zarr_consolidated_format"
	raw := o.get(name)
	switch p := o.member(name); {
	case raw == nil:
		if o.get("metadata") == nil {
			return o.member("metadata").bad("the member is missing")
		}
		return o.lenient(rule.NoConsolidatedFormat, "")
	case string(raw) == "1":
		return nil
	case whole(raw, "1"):
		return p.lenient(rule.NumberSpelling, brief(raw))
	default:
		return p.unsupported("consolidated format %s", brief(raw))
	}
}

// copied reports whether a member of a group in .zmetadata is consolidated metadata of v3.
// zarr-python 3 writes such a member for every group in .zmetadata except the first. The member is
// marked as optional, so it is not reported as a violation.
func (p place) copied(raw []byte) bool {
	o, err := p.object(raw)
	return err == nil && string(o.get("kind")) == `"inline"` && string(o.get("must_understand")) == "false"
}

// orBad returns the parsed node, or a Bad if it cannot be parsed.
func orBad(parse func() (Node, error)) Node {
	n, err := parse()
	if err != nil {
		return &Bad{err}
	}
	return n
}

// checkPath returns fault.Path for paths that are not normalized.
func (p place) checkPath(path string) error {
	if len(path) > maxPath {
		return p.err(fault.Newf(fault.Path, "the path has %d bytes, more than %d", len(path), maxPath))
	}
	norm, err := NormalizePath(path)
	if err != nil {
		return p.err(err)
	}
	if norm != path {
		return p.err(fault.Newf(fault.Path, "path %q is not normalized", path))
	}
	return nil
}

// maxAncestry is the maximum number of entries in all maps of the nodes below a group. A node has
// an entry in the map of each group above it. 2^20 entries suffice for about ten thousand nodes in
// groups that are nested a hundred deep.
const maxAncestry = 1 << 20

// nest sets Consolidated of every group in a hierarchy to the nodes below the group.
func nest(nodes map[string]Node) error {
	left := maxAncestry
	paths := make([]string, 0, len(nodes))
	for p := range nodes {
		paths = append(paths, p)
	}
	slices.SortFunc(paths, treeOrder)
	type open struct {
		prefix string
		group  *Group
	}
	var above []open
	for _, p := range paths {
		for len(above) > 0 && !strings.HasPrefix(p, above[len(above)-1].prefix) {
			above = above[:len(above)-1]
		}
		if left -= len(above); left < 0 {
			return fault.Newf(fault.Limit, "%d nodes in nested groups need more than %d entries", len(nodes), maxAncestry)
		}
		for _, o := range above {
			o.group.Consolidated[p[len(o.prefix):]] = nodes[p]
		}
		if g, ok := nodes[p].(*Group); ok {
			g.Consolidated = map[string]Node{}
			prefix := p + "/"
			if p == "" {
				prefix = ""
			}
			above = append(above, open{prefix, g})
		}
	}
	return nil
}

// treeOrder compares paths such that the paths below a path follow it directly: a slash is less
// than every other character.
func treeOrder(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			switch {
			case a[i] == '/':
				return -1
			case b[i] == '/':
				return 1
			}
			return cmp.Compare(a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}
