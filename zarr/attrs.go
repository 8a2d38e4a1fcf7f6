package zarr

import "context"

// SetAttrs replaces all attributes of the array, and returns the array with the new attributes. All
// other metadata is unchanged, byte for byte.
//
// SetAttrs returns ErrConflict if the document was changed since a was opened. In this case open
// the array again and start from its current attributes. SetAttrs returns ErrReadOnly in a
// read-only store, and errors.ErrUnsupported in a store without versions, unless [SingleWriter] is
// set.
//
// Consolidated metadata of the groups above keeps the old attributes until it is updated by
// [Group.Consolidate], or by UpdateParents of package upkeep.
func (a *Array) SetAttrs(ctx context.Context, attrs map[string]any) (*Array, error) {
	at, err := a.at.SetAttrs(ctx, attrs)
	if err != nil {
		return nil, err
	}
	m := *a.of.Meta
	m.Attrs = at.Attrs()
	return a.viewed(a.of.Changed(at, &m)), nil
}

// SetAttrs replaces all attributes of the group and returns the group, as [Array.SetAttrs] does.
func (g *Group) SetAttrs(ctx context.Context, attrs map[string]any) (*Group, error) {
	at, err := g.at.SetAttrs(ctx, attrs)
	if err != nil {
		return nil, err
	}
	return &Group{nodeOf(at, g.cfg)}, nil
}
