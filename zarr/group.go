package zarr

import (
	"fmt"

	"github.com/zargo-io/zargo/zarr/meta"
)

// Group is a group as its metadata was when it was opened. It is immutable and safe for any number
// of goroutines.
type Group struct{ node }

// String gives the path and what the group is, for people.
func (g *Group) String() string { return fmt.Sprintf("%q group v%d", g.Path(), g.Format()) }

// Metadata is the parsed metadata document, with a v3 group's consolidated metadata. It is shared:
// do not change it.
func (g *Group) Metadata() *meta.Group { return g.at.Group() }

// With returns a view of the same group with other options.
func (g *Group) With(opts ...Option) (*Group, error) {
	cfg := g.cfg
	if err := cfg.add(opts); err != nil {
		return nil, err
	}
	at, err := g.at.With(cfg.Options)
	if err != nil {
		return nil, err
	}
	return &Group{nodeOf(at, cfg)}, nil
}
