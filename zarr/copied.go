package zarr

import (
	"context"
	"errors"
	"strings"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
)

// copied is the group's consolidated metadata: as it was when the group was opened or, where it is
// a document of its own, when it was first needed. One that cannot be read is reported as a breach
// of a rule, once.
func (g *Group) copied(ctx context.Context) (*copied, error) {
	if g.meta.Consolidated != nil || g.format != 2 {
		return &copied{key: g.doc.Key, nodes: g.meta.Consolidated, bad: g.meta.Unreadable}, nil
	}
	c, err := g.lazy.get(ctx, g.readCopy)
	if err != nil {
		return nil, g.errf(err)
	}
	return c, nil
}

// readCopy reads .zmetadata, which v2 has beside the documents of the group.
func (n *node) readCopy(ctx context.Context) (*copied, error) {
	c := &copied{key: join(n.path, document.ZMetadata)}
	if doc, ok := n.cfg.documents[c.key]; ok {
		return n.parseCopy(c.key, notNil(doc))
	}
	v, err := n.docs().Get(ctx, document.ZMetadata)
	switch {
	case errors.Is(err, fault.NotFound), errors.Is(err, fault.Refused):
		return c, nil
	case errors.Is(err, fault.Limit):
		c.bad = err
		return c, n.passOver(c)
	case err != nil:
		return nil, err
	}
	return n.parseCopy(c.key, v.Bytes)
}

func (n *node) parseCopy(key string, doc []byte) (*copied, error) {
	c := &copied{key: key, doc: doc}
	if size := int64(len(doc)); size > n.cfg.maxMetadata {
		c.doc, c.bad = nil, fault.Newf(fault.Limit, "%q has %d bytes, more than %d", key, size, n.cfg.maxMetadata)
	} else {
		c.nodes, c.bad = n.parser().ConsolidatedV2(key, doc)
	}
	if c.bad != nil {
		return c, n.passOver(c)
	}
	return c, nil
}

// passOver reports a copy that cannot be read; the error is that of strict mode.
func (n *node) passOver(c *copied) error {
	var broken *rule.Error
	if errors.As(c.bad, &broken) {
		return c.bad // it breaks a rule, and the mode is strict
	}
	judge := n.judge()
	if judge == nil {
		return nil
	}
	f := rule.FromError(n.path, c.bad)
	f.Rule, f.Key, f.Err = rule.BadConsolidated, c.key, nil
	err := judge(f)
	if err == nil {
		return nil
	}
	if errors.As(err, &broken) {
		broken.Err = c.bad
	}
	return &fault.MetaError{Key: c.key, Pointer: f.Pointer, Err: err}
}

// listed looks a node up in the group's consolidated metadata. It is nil where that does not have
// one of the kind that is wanted under the path, in which case the store is to be asked; bad is why
// an entry cannot be used.
func (g *Group) listed(ctx context.Context, path string, w document.Kind) (n Node, bad, err error) {
	if g.cfg.direct || path == "" {
		return nil, nil, nil
	}
	c, err := g.copied(ctx)
	if err != nil {
		return nil, nil, err
	}
	m, ok := c.nodes[path]
	if _, isGroup := m.(*meta.Group); !ok || isGroup && w == document.Array {
		return nil, nil, nil
	}
	if _, isArray := m.(*meta.Array); isArray && w == document.Group {
		return nil, nil, nil
	}
	at := node{st: g.st, path: join(g.path, path), cfg: g.cfg, from: fromCopy, doc: document.Stored{Key: c.key}}
	if n, err = at.bind(m); err != nil {
		return nil, at.errf(err), nil
	}
	if f := g.cfg.format; f != 0 && n.Format() != f {
		return nil, nil, nil
	}
	return n, nil, nil
}

// holder is the path of the group whose consolidated metadata the node was taken from.
func (n *node) holder() string {
	path := strings.TrimSuffix(strings.TrimSuffix(n.doc.Key, document.ZarrJSON), document.ZMetadata)
	return strings.TrimSuffix(path, "/")
}

// confirm makes sure, once and before anything is written, that an array whose documents were not
// read is stored as they say: chunks written by a stale copy would be garbage to every other
// reader.
func (a *Array) confirm(ctx context.Context) error {
	if a.from == fromStore || a.shared.confirmed.Load() {
		return nil
	}
	_, _, err := a.shared.confirms.Do(ctx, "", func(ctx context.Context) (struct{}, error) {
		if a.shared.confirmed.Load() {
			return struct{}{}, nil
		}
		err := a.node.confirm(ctx, a.shared.copied)
		a.shared.confirmed.Store(err == nil)
		return struct{}{}, err
	})
	return err
}

func (n *node) confirm(ctx context.Context, as *meta.Array) error {
	name := document.ZarrJSON
	if n.format == 2 {
		name = document.ZArray
	}
	key := join(n.path, name)
	v, err := n.docs().Get(ctx, name)
	if errors.Is(err, fault.NotFound) {
		return fault.Newf(fault.NotFound, "only %s has this array, so nothing is written: %w", n.from, err)
	}
	if err != nil {
		return err
	}
	var is meta.Node
	if n.format == 2 {
		is, err = meta.Parser{Types: n.cfg.types}.ArrayV2(key, v.Bytes, "", nil)
	} else {
		is, err = meta.Parser{Types: n.cfg.types}.V3(key, v.Bytes)
	}
	if err != nil {
		return err
	}
	stored, ok := is.(*meta.Array)
	if !ok {
		return fault.Newf(fault.Conflict, "%s is stale: this is a group by now", n.from)
	}
	if diff := stored.Difference(as); diff != "" {
		return fault.Newf(fault.Conflict, "%s is stale: the array has another %s by now; see Refresh", n.from, diff)
	}
	return nil
}

// unreadable is why a copy cannot be read; nil where there is none, or it can.
func (c *copied) unreadable() error {
	if c == nil {
		return nil
	}
	return c.bad
}

// notNil is a document that is there, however short.
func notNil(doc []byte) []byte {
	if doc == nil {
		return []byte{}
	}
	return doc
}
