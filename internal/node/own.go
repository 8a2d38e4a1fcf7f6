package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Own returns an opened node as its own stored documents describe it. Nodes that are opened or
// listed through the result are also read from their own documents. If the node was read from the
// store, Own sends no request. Otherwise it reads the documents again, and returns fault.NotFound
// if the store proves their absence.
//
// Members of the result takes the names of nodes from the group's consolidated metadata if the
// store cannot list, and reports each node whose consolidated metadata differs; see differences.
func (n *Node) Own(ctx context.Context) (*Node, error) {
	cfg := n.Cfg.Stored()
	cfg.Direct, cfg.Named = true, true
	if n.From == FromStore {
		b := *n
		b.Cfg = cfg
		return &b, nil
	}
	at := n.at(n.Path)
	at.Cfg = cfg
	found := (*Node)(nil)
	err := error(fault.NotFound)
	if n.Format > 1 { // takes fewer requests than to try all formats
		at.Cfg.Format = n.Format
		found, err = at.OpenStored(ctx, Any)
		at.Cfg.Format = cfg.Format
	}
	if errors.Is(err, fault.NotFound) && cfg.Format == 0 {
		found, err = at.OpenStored(ctx, Any)
	}
	if errors.Is(err, fault.NotFound) {
		return nil, n.Errorf(fault.Newf(fault.NotFound, "the node is only in %s: the store has no document of it", n.From))
	}
	if err != nil {
		return nil, err
	}
	found.Cfg = cfg
	return found, nil
}

// own yields the nodes below a group like Members, from their own documents. It reads the
// consolidated metadata of the group, if any. After the nodes it reports as a finding which of them
// differ from the consolidated metadata.
//
// If the store cannot list the group, own takes the names of the nodes from the consolidated
// metadata. It then reports that nodes may be missing, and yields an error for each node whose
// documents are absent.
func (n *Node) own(ctx context.Context, depth int, yield func(Found) bool) {
	c, err := n.copied(ctx)
	if err != nil {
		yield(Found{Err: err})
		return
	}
	versus := &comparison{copies: c.nodes, seen: map[string]bool{}}
	complete, unlisted := true, error(nil)
	keep := func(f Found) bool {
		if f.path == "" { // an error of the listing
			if f.top && c.nodes != nil && (errors.Is(f.Err, errors.ErrUnsupported) || errors.Is(f.Err, fault.Refused)) {
				unlisted = f.Err
				return false
			}
			f.Err = n.unlisted(c.bad, f.Err)
		}
		if f.Node != nil {
			versus.add(Below(n.Path, f.path), f.Node.Model)
		} else {
			complete = false
		}
		ok := yield(f)
		complete = complete && ok
		return ok
	}
	n.walk(ctx, depth, keep)
	if unlisted != nil {
		if err := n.report(rule.Finding{Rule: rule.Unlisted, Key: c.key, Text: "nodes that consolidated metadata lacks are not found"}); err != nil {
			yield(Found{Err: err})
			return
		}
		n.named(ctx, c.nodes, depth, keep)
	}
	if !complete || c.nodes == nil {
		return
	}
	if differ := versus.differences(depth); len(differ) > 0 {
		if err := n.report(rule.Finding{Rule: rule.Stale, Key: c.key, Text: some(differ) + "; the stored documents are read"}); err != nil {
			yield(Found{Err: err})
		}
	}
}

// named yields the nodes that consolidated metadata names, from their own documents. If a node has
// no documents, it yields fault.NotFound.
func (n *Node) named(ctx context.Context, nodes *meta.Copies, depth int, yield func(Found) bool) {
	var children []Place
	for _, path := range pathsOf(nodes, depth) {
		children = append(children, Place{Path: Join(n.Path, path), Format: cmp.Or(formatOf(nodes.Node(path)), n.Format)})
	}
	n.opened(ctx, children, func(f Found) bool {
		if f.path != "" && f.Node == nil && f.Err == nil {
			err := fault.Newf(fault.NotFound, "the node is only in %s: the store has no document of it", FromCopy)
			f.Err = n.at(f.path).Errorf(&fault.MetaError{Key: Join(f.path, ZarrJSON), Err: err})
		}
		return yield(f)
	})
}

// report reports a finding about the node. It returns an error in strict mode if the severity of
// the finding requires it.
func (n *Node) report(f rule.Finding) error {
	judge := n.Judge()
	if judge == nil {
		return nil
	}
	if err := judge(f); err != nil {
		return n.Errorf(&fault.MetaError{Key: f.Key, Err: err})
	}
	return nil
}

// comparison compares the nodes of a walk with consolidated metadata. It keeps their paths, not
// their metadata.
type comparison struct {
	copies *meta.Copies
	seen   map[string]bool // the paths in copies that the walk found
	differ map[string]string
}

// add compares the stored metadata of the node at a path.
func (c *comparison) add(path string, stored meta.Node) {
	if c.copies == nil {
		return
	}
	m := c.copies.Node(path)
	if m == nil {
		c.note(path, "is missing")
		return
	}
	if c.seen[path] = true; !Same(m, stored) {
		c.note(path, "has changed")
	}
}

func (c *comparison) note(path, what string) {
	if c.differ == nil {
		c.differ = map[string]string{}
	}
	c.differ[path] = fmt.Sprintf("%q %s", path, what)
}

// differences describes the nodes at most depth levels below a group whose consolidated metadata
// differs from their documents, in order of path.
func (c *comparison) differences(depth int) (differ []string) {
	for _, path := range pathsOf(c.copies, depth) {
		if !c.seen[path] {
			c.note(path, "is gone from the store")
		}
	}
	for _, path := range slices.Sorted(maps.Keys(c.differ)) {
		differ = append(differ, c.differ[path])
	}
	return differ
}

// some joins the first few of a list of texts.
func some(list []string) string {
	const most = 10
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(list[:most], ", "), len(list)-most)
}
