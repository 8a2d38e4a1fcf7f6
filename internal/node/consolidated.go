package node

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
)

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
	c := &copied{key: Join(n.Path, ZMetadata)}
	if doc, ok := n.Cfg.Documents[c.key]; ok {
		return n.parseCopy(c.key, notNil(doc))
	}
	v, err := n.Get(ctx, ZMetadata)
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
func (n *Node) listed(ctx context.Context, path string, w Kind) (found *Node, bad, err error) {
	if n.Cfg.Direct || path == "" {
		return nil, nil, nil
	}
	c, err := n.copied(ctx)
	if err != nil {
		return nil, nil, err
	}
	m := c.nodes.Node(path)
	if _, isGroup := m.(*meta.Group); m == nil || isGroup && w == Array {
		return nil, nil, nil
	}
	if _, isArray := m.(*meta.Array); isArray && w == Group {
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
	at := n.at(Join(n.Path, path))
	at.From, at.Doc = FromCopy, Stored{Key: key}
	found, err := at.bind(m)
	if err != nil {
		return nil, at.Errorf(err)
	}
	return found, nil
}

// browsed returns the group's consolidated metadata, unless the options ignore it.
func (n *Node) browsed(ctx context.Context) (*copied, error) {
	if n.Cfg.Direct {
		return &copied{}, nil
	}
	return n.copied(ctx)
}

// pathsOf returns the paths in consolidated metadata that are at most depth levels below the group,
// in the order of Members.
func pathsOf(nodes *meta.Copies, depth int) []string {
	paths := make([]string, 0, nodes.Len())
	for path := range nodes.Paths() {
		if path != "" && (depth <= 0 || strings.Count(path, "/") < depth) {
			paths = append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	return paths
}

// Holder returns the path of the group from whose consolidated metadata the node was read. ok is
// false if the node was not read from the consolidated metadata of a group above.
func (n *Node) Holder() (string, bool) {
	path := strings.TrimSuffix(strings.TrimSuffix(n.Doc.Key, ZarrJSON), ZMetadata)
	path = strings.TrimSuffix(path, "/")
	return path, !n.Doc.There() && path != n.Path
}
