package zarr

import (
	"fmt"

	"github.com/zargo-io/zargo/zarr/meta"
)

// Group is a group with the metadata that was stored when it was opened. It is immutable and safe
// for concurrent use.
type Group struct{ opened }

// String returns the path and the format of the group.
func (g *Group) String() string { return fmt.Sprintf("%q group v%d", g.Path(), g.Format()) }

// Metadata returns the parsed metadata document. For a v3 group this includes its consolidated
// metadata. The result is shared and must not be changed.
func (g *Group) Metadata() *meta.Group { return g.at.Group() }

// With returns a view of the group with additional options.
func (g *Group) With(opts ...Option) (*Group, error) {
	cfg := g.cfg
	if err := cfg.add(opts); err != nil {
		return nil, err
	}
	at, err := g.at.With(cfg.Options.Options)
	if err != nil {
		return nil, err
	}
	return &Group{nodeOf(at, cfg)}, nil
}
