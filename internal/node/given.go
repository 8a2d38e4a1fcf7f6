package node

import (
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Documents returns the documents of an opened node by key. For a v2 group whose consolidated
// metadata was read, they include the consolidated metadata. For a node that was opened from
// consolidated metadata, Documents encodes the documents from that metadata.
func (n *Node) Documents() (map[string][]byte, error) {
	docs := map[string][]byte{}
	if n.Doc.There() {
		for _, d := range []Stored{n.Doc, n.AttrsDoc} { // includes attributes that were set later
			if d.There() {
				docs[d.Key] = d.Bytes
			}
		}
	} else {
		made, err := n.encode()
		if err != nil {
			return nil, n.Errorf(err)
		}
		for name, v := range made.Set().Docs {
			docs[Join(n.Path, name)] = v.Bytes
		}
	}
	if n.lazy != nil {
		if c := n.lazy.known.Load(); c != nil && c.doc != nil {
			docs[c.key] = c.doc
		}
	}
	return docs, nil
}

func (n *Node) encode() (Docs, error) {
	switch m := n.Model.(type) {
	case *meta.Array:
		return OfArray(m)
	case *meta.Group:
		return OfGroup(m)
	}
	return nil, nil
}

// openGiven returns the node from Options.Documents, or nil if they do not contain it.
func (n *Node) openGiven(w Kind) (*Node, error) {
	if len(n.Cfg.Documents) == 0 {
		return nil, nil
	}
	b := *n
	b.From = FromGiven
	docs := Set{Docs: map[string]Stored{}}
	names := n.documentNames(w)
	if n.Cfg.Format <= 1 && w != Group {
		names = append(names, V1Array, V1Attrs)
	}
	for _, name := range names {
		if doc, ok := n.Cfg.Documents[Join(n.Path, name)]; ok {
			docs.Docs[name] = Stored{Bytes: notNil(doc)}
		}
	}
	found, err := b.fromDocuments(docs, w)
	if err == nil && found != nil {
		err = found.wanted(w)
	}
	if err != nil {
		return nil, n.Errorf(err)
	}
	return found, nil
}

func (n *Node) fromDocuments(docs Set, w Kind) (*Node, error) {
	for name, v := range docs.Docs {
		if int64(len(v.Bytes)) > n.Cfg.MaxMetadata {
			return nil, fault.Newf(fault.Limit, "%q has %d bytes, more than %d", Join(n.Path, name), len(v.Bytes), n.Cfg.MaxMetadata)
		}
	}
	found, err := n.Parse(docs)
	key := Join(n.Path, ZMetadata)
	doc, ok := n.Cfg.Documents[key]
	if err != nil || found != nil || !ok || w == Array || n.Cfg.Format%2 != 0 {
		return found, err
	}
	c, err := n.parseCopy(key, notNil(doc))
	if err != nil {
		return nil, err
	}
	return n.ofOwnCopy(c, docs, false)
}
