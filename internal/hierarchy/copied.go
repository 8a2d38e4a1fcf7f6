package hierarchy

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
)

// copied is the consolidated metadata of a group: copies of the metadata of nodes below it.
type copied struct {
	key   string               // of the document that holds it
	doc   []byte               // that document, where it is one of its own; nil when there is none, or it is too long
	nodes map[string]meta.Node // by path below the group; nil when there is none. v2 has the group itself too, as ""
	bad   error                // why the copy cannot be read
}

// lazyCopy is a copy that is read when it is first needed, and kept. Views of a group share it.
type lazyCopy struct {
	known atomic.Pointer[copied]
	loads concurrency.Joined[*copied]
}

// get returns the copy. An error is not kept.
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

// copied returns the group's consolidated metadata: as it was when the group was opened or, where it
// is a document of its own, when it was first needed. One that cannot be read is reported as a
// breach of a rule, once.
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

// readCopy reads .zmetadata, which v2 has beside the documents of the group.
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
		return c, n.passOver(c)
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
		return c, n.passOver(c)
	}
	return c, nil
}

// passOver reports a copy that cannot be read; the error is that of strict mode.
func (n *Node) passOver(c *copied) error {
	var broken *rule.Error
	if errors.As(c.bad, &broken) {
		return c.bad // it breaks a rule, and the mode is strict
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

// listed looks a node up in the group's consolidated metadata. It is nil where that does not have
// one of the kind that is wanted under the path, in which case the store is to be asked; bad is why
// an entry cannot be used.
func (n *Node) listed(ctx context.Context, path string, w document.Kind) (found *Node, bad, err error) {
	if n.Cfg.Direct || path == "" {
		return nil, nil, nil
	}
	c, err := n.copied(ctx)
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
	if found, err = n.fromCopy(c.key, path, m); err != nil {
		return nil, err, nil
	}
	if f := n.Cfg.Format; f != 0 && found.Format != f {
		return nil, nil, nil
	}
	return found, nil, nil
}

// fromCopy makes a node at a path below the group of its consolidated metadata, which has that key.
func (n *Node) fromCopy(key, path string, m meta.Node) (*Node, error) {
	at := n.at(document.Join(n.Path, path))
	at.From, at.Doc = FromCopy, document.Stored{Key: key}
	found, err := at.bind(m)
	if err != nil {
		return nil, at.Errorf(err)
	}
	return found, nil
}

// holder is the path of the group whose consolidated metadata the node was taken from.
func (n *Node) holder() string {
	path := strings.TrimSuffix(strings.TrimSuffix(n.Doc.Key, document.ZarrJSON), document.ZMetadata)
	return strings.TrimSuffix(path, "/")
}

// Confirm makes sure that an array is stored as the metadata that it was opened from says: chunks
// written by a stale copy would be garbage to every other reader.
func (n *Node) Confirm(ctx context.Context, as *meta.Array) error {
	name := document.ZarrJSON
	if n.Format == 2 {
		name = document.ZArray
	}
	key := document.Join(n.Path, name)
	v, err := n.Docs().Get(ctx, name)
	if errors.Is(err, fault.NotFound) {
		return fault.Newf(fault.NotFound, "only %s has this array, so nothing is written: %w", n.From, err)
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
		return fault.Newf(fault.Conflict, "%s is stale: this is a group by now", n.From)
	}
	if diff := stored.Difference(as); diff != "" {
		return fault.Newf(fault.Conflict, "%s is stale: the array has another %s by now; see Refresh", n.From, diff)
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
