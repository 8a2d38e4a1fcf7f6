package zarr

import (
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/written"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Documents returns the documents of the array by key below the store's root, for the option
// [Documents] in this process or another one: as they were read, or made of consolidated metadata
// where the array was taken from that. Those of a view of a field are the whole array's. The bytes
// are shared: do not change them.
func (a *Array) Documents() (map[string][]byte, error) {
	if a.field != nil {
		return a.field.base.Documents()
	}
	m := *a.shared.copied
	m.Attrs = a.attrs
	return a.documents(func() (document.Docs, error) { return document.OfArray(&m) })
}

// Documents returns the documents of the group, as [Array.Documents] does. Consolidated metadata is
// among them, a v2 group's once it was read; with it the nodes below the group are opened without a
// request too. A group that was itself taken from consolidated metadata above it comes without. To
// have all nodes where there is no consolidated metadata, gather those of each node of Walk.
func (g *Group) Documents() (map[string][]byte, error) {
	m := *g.meta
	m.Attrs = g.attrs
	docs, err := g.documents(func() (document.Docs, error) { return document.OfGroup(&m) })
	if err != nil {
		return nil, err
	}
	if c := g.lazy.known.Load(); c != nil && c.doc != nil {
		docs[c.key] = c.doc
	}
	return docs, nil
}

// documents are those that the node was made of; encode makes them where only a copy was read.
func (n *node) documents(encode func() (document.Docs, error)) (map[string][]byte, error) {
	docs := map[string][]byte{}
	if !n.doc.There() {
		made, err := encode()
		if err != nil {
			return nil, n.errf(err)
		}
		for name, v := range made.Set().Docs {
			docs[join(n.path, name)] = v.Bytes
		}
		return docs, nil
	}
	for _, d := range []document.Stored{n.doc, n.attrsDoc} { // attributes may have been set since
		if d.There() {
			docs[d.Key] = d.Bytes
		}
	}
	return docs, nil
}

// openGiven makes a node of the documents that the caller gave; nil where they make none.
func openGiven(st *written.Store, path string, cfg config, w document.Kind) (Node, error) {
	if len(cfg.documents) == 0 {
		return nil, nil
	}
	n := node{st: st, path: path, cfg: cfg, from: fromGiven}
	docs := document.Set{Docs: map[string]store.Value{}}
	names := n.docs().Names(w)
	if cfg.format <= 1 && w != document.Group {
		names = append(names, document.V1Array, document.V1Attrs)
	}
	for _, name := range names {
		if doc, ok := cfg.documents[join(path, name)]; ok {
			docs.Docs[name] = store.Value{Bytes: notNil(doc), Size: int64(len(doc))}
		}
	}
	found, err := n.fromDocuments(docs, w)
	if err == nil && found != nil {
		err = n.is(found, w)
	}
	if err != nil {
		return nil, n.errf(err)
	}
	return found, nil
}

func (n *node) fromDocuments(docs document.Set, w document.Kind) (Node, error) {
	for name, v := range docs.Docs {
		if v.Size > n.cfg.maxMetadata {
			return nil, fault.Newf(fault.Limit, "%q has %d bytes, more than %d", join(n.path, name), v.Size, n.cfg.maxMetadata)
		}
	}
	found, err := n.parse(docs)
	key := join(n.path, document.ZMetadata)
	doc, ok := n.cfg.documents[key]
	if err != nil || found != nil || !ok || w == document.Array || n.cfg.format%2 != 0 {
		return found, err
	}
	c, err := n.parseCopy(key, notNil(doc))
	if err != nil {
		return nil, err
	}
	return n.ofOwnCopy(c, docs, false)
}
