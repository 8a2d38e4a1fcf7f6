package hierarchy

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
)

// copied is the consolidated metadata of a group.
type copied struct {
	key   string       // key of the document that contains it
	doc   []byte       // for v2, the text of .zmetadata; nil if it is absent or too long
	nodes *meta.Copies // by path below the group, with "" for the group in v2; nil if absent
	bad   error        // error of reading it
}

// lazyCopy is consolidated metadata that is read when it is first needed and then retained. Views
// of a group share it.
type lazyCopy struct {
	known atomic.Pointer[copied]
	loads concurrency.SingleFlight[string, *copied]
}

// get returns the consolidated metadata. Concurrent callers share one call of load. After an error
// the next call of get loads again.
func (l *lazyCopy) get(ctx context.Context, load func(context.Context) (*copied, error)) (*copied, error) {
	if c := l.known.Load(); c != nil {
		return c, nil
	}
	c, _, err := l.loads.Do(ctx, "", func(ctx context.Context) (*copied, error) {
		if c := l.known.Load(); c != nil {
			return c, nil
		}
		c, err := load(ctx)
		if err == nil {
			l.known.Store(c)
		}
		return c, err
	})
	return c, err
}

// copied returns the group's consolidated metadata. In v3 it is part of the document of the group.
// In v2 it is read when first needed. Unreadable consolidated metadata is reported once as a
// violation of a rule.
func (n *Node) copied(ctx context.Context) (*copied, error) {
	if m := n.Group(); m.Consolidated != nil || n.Format != 2 {
		return &copied{key: n.Doc.Key, nodes: m.Consolidated, bad: m.Unreadable}, nil
	}
	c, err := n.lazy.get(ctx, n.readCopy)
	if err != nil {
		return nil, n.Errorf(err)
	}
	return c, nil
}

// readCopy reads .zmetadata, the consolidated metadata of a v2 group.
func (n *Node) readCopy(ctx context.Context) (*copied, error) {
	c := &copied{key: document.Join(n.Path, document.ZMetadata)}
	if doc, ok := n.Cfg.Documents[c.key]; ok {
		return n.parseCopy(c.key, notNil(doc))
	}
	v, err := n.Docs().Get(ctx, document.ZMetadata)
	switch {
	case errors.Is(err, fault.NotFound), errors.Is(err, fault.Refused):
		return c, nil
	case errors.Is(err, fault.Limit):
		c.bad = err
		return c, n.reportUnreadable(c)
	case err != nil:
		return nil, err
	}
	return n.parseCopy(c.key, v.Bytes)
}

func (n *Node) parseCopy(key string, doc []byte) (*copied, error) {
	c := &copied{key: key, doc: doc}
	if size := int64(len(doc)); size > n.Cfg.MaxMetadata {
		c.doc, c.bad = nil, fault.Newf(fault.Limit, "%q has %d bytes, more than %d", key, size, n.Cfg.MaxMetadata)
	} else {
		c.nodes, c.bad = n.Parser().ConsolidatedV2(key, doc)
	}
	if c.bad != nil {
		return c, n.reportUnreadable(c)
	}
	return c, nil
}

// reportUnreadable reports unreadable consolidated metadata as a violation. It returns an error
// only in strict mode.
func (n *Node) reportUnreadable(c *copied) error {
	var broken *rule.Error
	if errors.As(c.bad, &broken) {
		return c.bad // a violation is an error in strict mode
	}
	judge := n.Judge()
	if judge == nil {
		return nil
	}
	f := rule.FromError(n.Path, c.bad)
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

// listed looks up a node in the group's consolidated metadata. If the metadata does not have a node
// of kind w at the path, found is nil, and the caller reads the store. If an entry cannot be used,
// bad is the error.
func (n *Node) listed(ctx context.Context, path string, w document.Kind) (found *Node, bad, err error) {
	if n.Cfg.Direct || path == "" {
		return nil, nil, nil
	}
	c, err := n.copied(ctx)
	if err != nil {
		return nil, nil, err
	}
	m := c.nodes.Node(path)
	if _, isGroup := m.(*meta.Group); m == nil || isGroup && w == document.Array {
		return nil, nil, nil
	}
	if _, isArray := m.(*meta.Array); isArray && w == document.Group {
		return nil, nil, nil
	}
	if found, err = n.fromCopy(c.key, path, m); err != nil {
		return nil, err, nil
	}
	if f := n.Cfg.Format; f != 0 && found.Format != f {
		return nil, nil, nil
	}
	return found, nil, nil
}

// fromCopy returns the node for m, an entry of the group's consolidated metadata. key is the key of
// the node's document, and path is relative to the group.
func (n *Node) fromCopy(key, path string, m meta.Node) (*Node, error) {
	at := n.at(document.Join(n.Path, path))
	at.From, at.Doc = FromCopy, document.Stored{Key: key}
	found, err := at.bind(m)
	if err != nil {
		return nil, at.Errorf(err)
	}
	return found, nil
}

// Confirm checks that the stored metadata of an array equals opened, the metadata of the opened
// array. If they differ, Confirm returns fault.Conflict, because other readers could not decode the
// chunks. It returns fault.NotFound if the store does not have the array.
func (n *Node) Confirm(ctx context.Context, opened *meta.Array) error {
	name := document.ZarrJSON
	if n.Format == 2 {
		name = document.ZArray
	}
	key := document.Join(n.Path, name)
	v, err := n.Docs().Get(ctx, name)
	if errors.Is(err, fault.NotFound) {
		return fault.Newf(fault.NotFound, "the array is only in %s, so it cannot be written: %w", n.From, err)
	}
	if err != nil {
		return err
	}
	var is meta.Node
	if n.Format == 2 {
		is, err = meta.Parser{Types: n.Cfg.Types}.ArrayV2(key, v.Bytes, "", nil)
	} else {
		is, err = meta.Parser{Types: n.Cfg.Types}.V3(key, v.Bytes)
	}
	if err != nil {
		return err
	}
	stored, ok := is.(*meta.Array)
	if !ok {
		return fault.Newf(fault.Conflict, "%s is stale: the array was replaced by a group", n.From)
	}
	if diff := stored.Difference(opened); diff != "" {
		return fault.Newf(fault.Conflict, "%s is stale: the array was changed to another %s; see Refresh", n.From, diff)
	}
	return nil
}
