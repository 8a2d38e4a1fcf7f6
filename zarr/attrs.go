package zarr

import "context"

// SetAttrs replaces all attributes of the array, and returns it with them. Its other metadata stays
// byte for byte as it is. ErrConflict when the document was changed since a was opened; then open
// again and decide again. A store without versions refuses with errors.ErrUnsupported, unless
// SingleWriter was given; one that takes no writes with ErrReadOnly.
//
// Consolidated metadata above the array, if any, keeps the old attributes until
// [Group.Consolidate], or UpdateAbove of package upkeep.
func (a *Array) SetAttrs(ctx context.Context, attrs map[string]any) (*Array, error) {
	at, err := a.at.SetAttrs(ctx, attrs)
	if err != nil {
		return nil, err
	}
	m := *a.meta
	m.Attrs = at.Attrs
	return a.changed(nodeOf(at, a.cfg), &m), nil
}

// SetAttrs replaces all attributes of the group, and returns it with them, as [Array.SetAttrs]
// does.
func (g *Group) SetAttrs(ctx context.Context, attrs map[string]any) (*Group, error) {
	at, err := g.at.SetAttrs(ctx, attrs)
	if err != nil {
		return nil, err
	}
	return &Group{nodeOf(at, g.cfg)}, nil
}
