package upkeep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/attributes/masked"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// MigrateOptions configures [Migrate]. The zero value writes v3 metadata and keeps the old
// metadata.
type MigrateOptions struct {
	DryRun bool // return the steps without making them
	Remove bool // remove the old metadata after all new metadata is written
	// NoFillAttribute keeps the attribute _FillValue unchanged. By default, an array with dimension
	// names gets a _FillValue equal to its fill value. The reason is that xarray treats the fill
	// value as missing data in v2, but uses only this attribute in v3.
	NoFillAttribute bool
}

// Migration describes the migration of one node.
type Migration struct {
	Path   string   // relative to the store's root
	From   int      // the old format, 1 or 2
	Key    string   // key of the new document
	Doc    []byte   // the new document
	Masked string   // description of what Doc adds about missing values
	Remove []string // keys of the old documents; nil without MigrateOptions.Remove
}

// String describes the migration in one line.
func (m Migration) String() string {
	s := fmt.Sprintf("v%d → %s", m.From, m.Key)
	if m.Masked != "" {
		s += ", " + m.Masked
	}
	for _, key := range m.Remove {
		s += ", removes " + key
	}
	return s
}

// Migrate writes v3 metadata for the v1 and v2 nodes among n and everything below n. It returns one
// Migration per migrated node, in order of path. Chunks are neither moved nor rewritten: v3
// metadata can describe v2 chunk keys and codecs. The dimension names in _ARRAY_DIMENSIONS become
// dimension_names, an undefined fill value becomes the data type's default, and a fill value that
// xarray treats as missing becomes the attribute _FillValue.
//
// Migrate builds all documents before it writes any. If v3 cannot describe a node, Migrate returns
// an error and writes nothing. It then claims the v2 nodes, so that no other writer changes their
// metadata meanwhile, and creates the v3 documents, parents last. If a different v3 document exists
// already, it returns ErrExists. If n is a group with consolidated metadata, Migrate consolidates
// it again. With Remove, Migrate finally deletes each old document, on condition that the document
// did not change. Without Remove, the claims become marks, which remain in .zarray and .zattrs.
//
// A change of metadata through a node that was opened as v2 before fails with ErrConflict: an
// append, a resize, SetAttrs, Consolidate, the creation of a member, PlanRemove. Open the node
// again. Elements that are written through such a node are visible in v3 too, because the chunks
// are the same. If the v3 documents are deleted, the marks no longer count.
//
// Migrate returns ErrConflict if an append or a resize is in progress, or if a node changed since
// it was read. A killed Migrate leaves claims in the v2 documents; the next Migrate completes the
// migration.
func Migrate(ctx context.Context, n zarr.Node, o MigrateOptions) ([]Migration, error) {
	nodes, err := old(ctx, n)
	if err != nil {
		return nil, err
	}
	steps, err := migrations(nodes, o)
	if err != nil || o.DryRun || len(steps) == 0 {
		return steps, err
	}
	at := node.Of(n)
	root, isGroup := nodes[0].(*zarr.Group)
	var consolidated node.Stored
	if isGroup && root.Path() == n.Path() {
		if consolidated, err = at.Look(ctx, node.ZMetadata); err != nil {
			return nil, at.Errorf(err)
		}
	}
	var claims claimed
	defer claims.giveUp(ctx, at)
	nodes, steps, err = claims.migrate(ctx, n, nodes, steps, o)
	if err != nil {
		return nil, err
	}
	if consolidated.There() {
		if _, err := root.Consolidate(ctx); err != nil {
			return nil, err
		}
	}
	if !o.Remove {
		if err := claims.mark(ctx); err != nil {
			return nil, at.Errorf(err)
		}
		return steps, nil
	}
	for _, n := range nodes {
		if err := claims.remove(ctx, node.Of(n)); err != nil {
			return nil, node.Of(n).Errorf(err)
		}
	}
	if consolidated.There() {
		if err := at.Delete(ctx, consolidated); err != nil {
			return nil, at.Errorf(err)
		}
	}
	return steps, nil
}

// migrations returns the migrations of nodes.
func migrations(nodes []zarr.Node, o MigrateOptions) ([]Migration, error) {
	steps := make([]Migration, 0, len(nodes))
	for _, n := range nodes {
		m, err := migration(n, o)
		if err != nil {
			return nil, node.Of(n).Errorf(err)
		}
		steps = append(steps, m)
	}
	return steps, nil
}

// maxRounds bounds how often migrate lists the nodes again. Each round finds new members.
const maxRounds = 100

// migrate claims the documents of the nodes and puts the v3 documents, parents last. Members that
// were created through the v2 groups in the meantime are migrated in further rounds. Once a group
// has v3 metadata, no member is created through its v2 document any more. migrate returns all nodes
// with their migrations, in order of path.
func (c *claimed) migrate(ctx context.Context, n zarr.Node, nodes []zarr.Node, steps []Migration, o MigrateOptions) ([]zarr.Node, []Migration, error) {
	at, all, made := node.Of(n), nodes, steps
	var there []Migration // nodes whose v3 document existed
	for round := 1; ; round++ {
		for _, n := range nodes {
			if err := c.hold(ctx, node.Of(n)); err != nil {
				return nil, nil, node.Of(n).Errorf(err)
			}
		}
		for i, m := range slices.Backward(steps) {
			added, err := putOnce(ctx, at, m.Key, m.Doc)
			if err == nil && !added {
				there = append(there, m)
			}
			if !errors.Is(err, fault.Exists) && !errors.Is(err, fault.Conflict) {
				c.sent(m.Path, m.Doc)
			}
			if errors.Is(err, fault.Exists) && c.done[node.Of(nodes[i]).Path] {
				err = nil // an earlier migration has put it, and it was changed since
			}
			if err != nil {
				return nil, nil, node.Of(nodes[i]).Errorf(err)
			}
		}
		now, err := old(ctx, n)
		if err != nil {
			return nil, nil, err
		}
		nodes = slices.DeleteFunc(now, func(n zarr.Node) bool {
			return slices.ContainsFunc(all, func(have zarr.Node) bool { return have.Path() == n.Path() })
		})
		if len(nodes) == 0 || round == maxRounds {
			// Another process may have withdrawn a document that was stored.
			for _, m := range there {
				if _, err := putOnce(ctx, at, m.Key, m.Doc); err != nil && !errors.Is(err, fault.Exists) {
					return nil, nil, at.Errorf(err)
				}
			}
			break
		}
		if steps, err = migrations(nodes, o); err != nil {
			return nil, nil, err
		}
		all, made = append(slices.Clone(all), nodes...), append(slices.Clone(made), steps...)
	}
	slices.SortFunc(all, func(a, b zarr.Node) int { return strings.Compare(a.Path(), b.Path()) })
	slices.SortFunc(made, func(a, b Migration) int { return strings.Compare(a.Path, b.Path) })
	return all, made, nil
}

// putOnce creates a document, and reports whether it was absent. It succeeds if a document that
// describes the same node exists already.
func putOnce(ctx context.Context, at *node.Node, key string, doc []byte) (added bool, err error) {
	_, err = at.Add(ctx, key, doc)
	if !errors.Is(err, fault.Exists) {
		return err == nil, err
	}
	v, look := at.GetKey(ctx, key)
	if look != nil || !alike(key, v.Bytes, doc) {
		return false, err
	}
	return false, nil
}

// alike reports whether two v3 documents describe the same node, ignoring consolidated metadata.
func alike(key string, a, b []byte) bool {
	x, ex := meta.ParseV3(key, a)
	y, ey := meta.ParseV3(key, b)
	return ex == nil && ey == nil && node.Same(x, y)
}

// old reads a node and the nodes below it, and returns those of format v1 or v2, parents first.
func old(ctx context.Context, n zarr.Node) ([]zarr.Node, error) {
	st, opts := node.Of(n).Store, append(options(n), zarr.IgnoreConsolidated())
	// If the node has both v2 and v3 metadata, read v2.
	fresh, err := zarr.Open(ctx, st, n.Path(), append(opts, zarr.Format(2))...)
	if errors.Is(err, fault.NotFound) {
		fresh, err = zarr.Open(ctx, st, n.Path(), append(opts, zarr.Format(0))...)
	}
	if err != nil {
		return nil, err
	}
	var nodes []zarr.Node
	g, isGroup := fresh.(*zarr.Group)
	if isGroup {
		if g, err = g.With(zarr.Format(0)); err != nil {
			return nil, err
		}
		fresh = g
	}
	if fresh.Format() < 3 {
		nodes = append(nodes, fresh)
	}
	if !isGroup {
		return nodes, nil
	}
	for n, err := range g.Walk(ctx) {
		if err != nil {
			return nil, err
		}
		if n.Format() < 3 {
			nodes = append(nodes, n)
		}
	}
	return nodes, nil
}

// migration builds the v3 document of a node.
func migration(n zarr.Node, o MigrateOptions) (Migration, error) {
	of := node.Of(n)
	m := Migration{Path: n.Path(), From: n.Format(), Key: of.Key(node.ZarrJSON)}
	if o.Remove {
		for _, d := range of.StoredDocuments() {
			m.Remove = append(m.Remove, d.Key)
		}
	}
	err := of.Proven()
	if err == nil {
		err = unclaimed(of)
	}
	if err != nil {
		return m, err
	}
	switch n := n.(type) {
	case *zarr.Array:
		var model *meta.Array
		if model, err = n.MetadataV3(); err != nil {
			return m, err
		}
		if model.Dims != nil && !o.NoFillAttribute {
			model.Attrs, m.Masked = masked.ToV3(n.DType(), n.Fill(), model.Attrs)
		}
		m.Doc, err = model.EncodeV3()
	case *zarr.Group:
		m.Doc, err = (&meta.Group{Format: 3, Attrs: n.Attrs()}).EncodeV3()
	}
	if err == nil { // the record of abandoned changes still applies: the keys are the same
		m.Doc, err = node.KeepRecord(of.Claimed(), m.Key, m.Doc)
	}
	return m, err
}
