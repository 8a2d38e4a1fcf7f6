package zarr

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Consolidate writes the metadata of all nodes below the group into one document, so that others open the hierarchy with
// one request: into the group's zarr.json, or into .zmetadata for v2. The nodes are read one by one, never taken from an
// older copy, and the document is written on condition that no one else wrote it since (ErrConflict). A node that cannot be
// read, or has another format than the group, is an error, and nothing is written.
//
// The copy is a cache. It says nothing of what is created or changed later: call Consolidate again, or see package upkeep, which
// checks it and brings it up to date about one node. What is returned is the group with the new copy; g stays as it was.
func (g *Group) Consolidate(ctx context.Context) (*Group, error) {
	root, err := g.stored(ctx)
	if err != nil {
		return nil, err
	}
	nodes, err := root.collect(ctx)
	if err != nil {
		return nil, err
	}
	key, doc, err := root.consolidate(nodes)
	if err != nil {
		return nil, g.errf(err)
	}
	was := root.attrsDoc
	if root.format == 2 {
		if was, err = root.docs().Look(ctx, document.ZMetadata); err != nil {
			return nil, g.errf(err)
		}
	}
	version, err := g.docs().Swap(ctx, was, doc, "nothing can be replaced")
	if errors.Is(err, fault.Exists) {
		err = fault.Newf(fault.Conflict, "another writer consolidates: %w", err)
	}
	if err != nil {
		return nil, g.errf(err)
	}
	out := root
	if out.format == 3 {
		n := node{st: g.st, path: g.path, cfg: g.cfg.stored()}
		again, err := n.parse(document.Docs{{Name: document.ZarrJSON, Bytes: doc, Version: version}}.Set())
		if err != nil {
			return nil, g.errf(err)
		}
		out = again.(*Group)
	} else if all, err := out.parser().ConsolidatedV2(key, doc); err == nil {
		out.lazy.known.Store(&copied{key: key, doc: doc, nodes: all})
	}
	out.cfg = g.cfg.stored()
	return out, nil
}

// stored reads the group itself again, to be asked for what is stored alone.
func (g *Group) stored(ctx context.Context) (*Group, error) {
	cfg := g.cfg.stored()
	cfg.direct = true
	n, err := openStored(ctx, g.st, g.path, cfg, document.Group)
	if err != nil {
		return nil, err
	}
	return n.(*Group), nil
}

// collect reads all nodes below a group that was just read, by path below it. The first that cannot be read is an error once all were
// read, and so is one of another format.
func (g *Group) collect(ctx context.Context) (nodes map[string]Node, err error) {
	nodes = map[string]Node{}
	var broken error
	g.walk(ctx, -1, func(f found) bool {
		switch {
		case f.err == nil:
			nodes[below(g.path, f.path)] = f.node
		case f.path == "":
			err = f.err
			return false
		default:
			broken = cmp.Or(broken, f.err)
		}
		return true
	})
	if err = cmp.Or(err, broken); err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(nodes)) {
		if n := nodes[path]; n.Format() != g.format {
			return nil, g.errf(fault.Newf(fault.Metadata, "%q has format v%d, the group v%d", n.Path(), n.Format(), g.format))
		}
	}
	return nodes, nil
}

// consolidate is the key and the text of the document that holds copies of the nodes.
func (g *Group) consolidate(nodes map[string]Node) (key string, doc []byte, err error) {
	docs := map[string][]byte{}
	if g.format == 3 {
		for path, n := range nodes {
			if docs[path], err = source(n).StrictV3(); err != nil {
				return "", nil, err
			}
		}
		doc, err = meta.ConsolidateV3(g.doc.Key, g.doc.Bytes, docs)
		return g.doc.Key, doc, err
	}
	all := maps.Clone(nodes)
	all[""] = g
	for path, n := range all {
		name, doc, attrs, err := source(n).StrictV2()
		if err != nil {
			return "", nil, err
		}
		docs[join(path, name)] = doc
		if attrs != nil {
			docs[join(path, document.ZAttrs)] = attrs
		}
	}
	doc, err = meta.ConsolidateV2(docs)
	return join(g.path, document.ZMetadata), doc, err
}

// base is what arrays and groups have in common.
func base(n Node) *node {
	if a, ok := n.(*Array); ok {
		return &a.node
	}
	return &n.(*Group).node
}

// source is what the documents of an array or a group are.
func source(n Node) *document.Source {
	if a, ok := n.(*Array); ok {
		return a.Source()
	}
	return n.(*Group).Source()
}
