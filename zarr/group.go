package zarr

import (
	"fmt"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Group is a group as its metadata was when it was opened. It is immutable and safe for any number
// of goroutines.
type Group struct {
	node
	meta *meta.Group
	lazy *lazyCopy // of a v2 group
}

// String gives the path and what the group is, for people.
func (g *Group) String() string { return fmt.Sprintf("%q group v%d", g.path, g.format) }

// Metadata is the parsed metadata document, with a v3 group's consolidated metadata. It is shared:
// do not change it.
func (g *Group) Metadata() *meta.Group { return g.meta }

// Source is what package upkeep knows of the group's documents; its type is internal to this
// module.
func (g *Group) Source() *document.Source {
	m := *g.meta
	m.Attrs = g.attrs
	return g.source(&m)
}

// With returns a view of the same group with other options.
func (g *Group) With(opts ...Option) (*Group, error) {
	b := *g
	if err := b.cfg.add(opts); err != nil {
		return nil, err
	}
	if b.cfg.types != g.cfg.types || b.cfg.strict != g.cfg.strict || b.cfg.maxMetadata != g.cfg.maxMetadata || b.cfg.tell != nil || g.cfg.tell != nil {
		b.lazy = &lazyCopy{} // which is parsed by these
	}
	return &b, nil
}
