package dataset

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/meta"
)

// extended returns d after an append to its group, which stored rows with these labels along a
// dimension. g is the group after the append. extended sends no requests. It returns nil if the
// dataset must be opened again: another process has changed it, or it is unknown which labels a
// reader gets. ctx is that of [Dataset.knowing].
func (d *Dataset) extended(ctx context.Context, g *zarr.Group, dim string, rows []zarr.Rows, labels index) *Dataset {
	if d.chosen != nil || !same(d.group.Attrs(), g.Attrs()) {
		return nil
	}
	next := *d
	next.group, next.vars, next.index = g, maps.Clone(d.vars), maps.Clone(d.index)
	for _, r := range rows {
		opening, at := ctx, node.KnownIn(ctx).At(node.Of(g), r.Path)
		switch from := node.Of(d.vars[r.Path].array).From; {
		case at == nil:
			return nil
		case from == node.FromCopy && g.Metadata().Consolidated != nil:
			opening = node.Knowing(ctx, nil) // from the new copy
		case from != node.FromStore:
			return nil
		}
		a, err := g.OpenArray(opening, r.Path)
		if err != nil || !same(d.vars[r.Path].array.Attrs(), a.Attrs()) {
			return nil
		}
		s := *d.vars[r.Path]
		s.array = a
		next.vars[r.Path] = &s
	}
	if _, err := next.dimensions(""); err != nil {
		return nil
	}
	own, _ := next.coordinate(dim)
	if own == nil {
		return &next
	}
	old := d.index[dim]
	if old == nil || labels == nil || !lossless(own.array) {
		return nil
	}
	joined := old.and(labels)
	if joined == nil || joined.len() != own.array.Shape()[0] || fits(&Variable{&next, dim, own}, next.used(dim)) != nil {
		return nil
	}
	next.index[dim] = joined
	return &next
}

// same reports whether two nodes have the same attributes.
func same(a, b map[string]any) bool { return len(a)+len(b) == 0 || meta.SameAttrs(a, b) }

// used returns the memory of the indexes of other dimensions than dim.
func (d *Dataset) used(dim string) (n int64) {
	for other := range d.index {
		if s := d.vars[other]; s != nil && other != dim {
			n += (&Variable{d, other, s}).indexSize()
		}
	}
	return n
}

// lossless reports whether a reader gets the elements that were written. It returns false if it is
// not sure.
func lossless(a *zarr.Array) bool {
	return !slices.ContainsFunc(a.Metadata().Codecs, func(c meta.Named) bool {
		switch strings.TrimPrefix(c.Name, "numcodecs.") {
		case "bytes", "transpose", "vlen-utf8", "blosc", "gzip", "zlib", "zstd", "lz4", "crc32c":
			return false
		}
		return true
	})
}

// knowing returns a context for an append to the group. The append then uses the documents that d
// was opened from. It reads them again only if they were changed.
func (d *Dataset) knowing(ctx context.Context) context.Context {
	if node.KnownIn(ctx) != nil {
		return ctx
	}
	k := &node.Known{}
	k.Add(node.Of(d.group))
	for _, s := range d.vars {
		k.Add(node.Of(s.array))
	}
	return node.Knowing(ctx, k)
}
