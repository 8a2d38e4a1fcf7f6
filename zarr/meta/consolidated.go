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

// copies finds the documents of the nodes in inline consolidated metadata.
func (o object) copies() (*Copies, error) {
	text, at, err := o.need("metadata")
	if err != nil {
		return nil, err
	}
	all, err := at.object(text)
	if err != nil {
		return nil, err
	}
	c := &Copies{at: at, all: make([]copied, len(all.all))}
	for i, m := range all.all {
		p := all.member(m.name)
		if err := p.checkPath(m.name); err != nil {
			return nil, err
		}
		if m.name == "" {
			return nil, p.bad("the path of a node must not be empty")
		}
		c.all[i] = copied{path: m.name, doc: m.raw, kind: nodeOfV3}
	}
	c.sort()
	return c, nil
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

// ConsolidatedV2 parses a .zmetadata document. It returns the groups and arrays of the
// hierarchy by path. The path of the node that contains the document is "".
func (with Parser) ConsolidatedV2(key string, doc []byte) (*Copies, error) {
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
	c := &Copies{at: p}
	of := map[string]int{} // by path, the index of the node in c.all
	for _, m := range all.all {
		if err := all.member(m.name).checkPath(m.name); err != nil {
			return nil, err
		}
		path, name := "", m.name
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			path, name = name[:i], name[i+1:]
		}
		i, known := of[path]
		if !known {
			i = len(c.all)
			of[path] = i
			c.all = append(c.all, copied{path: path})
		}
		switch n := &c.all[i]; name {
		case zarray:
			n.doc, n.kind = m.raw, arrayOfV2
		case zgroup:
			if n.kind != arrayOfV2 {
				n.doc, n.kind = m.raw, groupOfV2
			}
		case zattrs:
			n.attrs = m.raw
		}
	}
	for _, n := range c.all {
		if n.doc == nil && n.attrs != nil {
			if err := all.member(join(n.path, zattrs)).lenient(rule.AttributesOfNothing, ""); err != nil {
				return nil, err
			}
		}
	}
	c.all = slices.DeleteFunc(c.all, func(n copied) bool { return n.doc == nil })
	c.sort()
	return c, nil
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
