package main

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/zargo-io/zargo/internal/follow"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// written drops the attributes that a write of elements makes untrue, before the write. The arrays
// are the one at url, or members of the group there, which was opened as the place p. It sends no
// request for arrays without such attributes, except for coordinates: attributes of their group may
// describe them.
func (s *session) written(ctx context.Context, url string, p *place, arrays ...*zarr.Array) error {
	inGroup := map[string]bool{} // whether attributes of the group may describe the array
	for _, a := range arrays {
		name := a.Name()
		if a.Path() == "" {
			name = lastSegment(p.where)
		}
		dims := a.Dims()
		coordinate := len(dims) == 1 && dims[0] != "" && dims[0] == name
		if _, stated := follow.Written(a); stated || coordinate {
			inGroup[name] = coordinate
		}
	}
	if len(inGroup) == 0 {
		return nil
	}
	root, n, err := s.openRooted(ctx, url)
	if err != nil {
		return err
	}
	defer root.release()
	if a, ok := n.(*zarr.Array); ok {
		return root.fail(s.writtenIn(ctx, a, inGroup[a.Name()] && root.path != ""))
	}
	for name := range inGroup {
		a, err := zarr.OpenArray(ctx, root.Store, path.Join(root.path, name), s.options()...)
		if err == nil {
			err = s.writtenIn(ctx, a, false)
		}
		if err != nil {
			return root.fail(err)
		}
	}
	return nil
}

// writtenIn changes the attributes of an array and, if inGroup is true, of its group.
func (s *session) writtenIn(ctx context.Context, a *zarr.Array, inGroup bool) error {
	var g *zarr.Group
	if inGroup {
		var err error
		if g, err = s.groupOf(ctx, a); err != nil {
			return err
		}
	}
	return s.follow(ctx, g, follow.Change{Array: a})
}

// grown changes the attributes of an array whose shape changed from was. It also changes those of
// its group if they describe the grid of its arrays, for example by spatial:shape, or if the array
// is a coordinate, which time_coverage_end may describe.
func (s *session) grown(ctx context.Context, a *zarr.Array, was []int) error {
	g, err := s.groupOf(ctx, a)
	if err != nil {
		return err
	}
	changes := []follow.Change{{Array: a, Was: was}}
	dims := a.Dims()
	switch {
	case g == nil:
	case follow.Describes(g):
		for n, err := range g.Members(ctx) {
			if err != nil {
				return err
			}
			if b, ok := n.(*zarr.Array); ok && b.Path() != a.Path() {
				changes = append(changes, follow.Change{Array: b, Same: true})
			}
		}
	case len(dims) != 1 || dims[0] != a.Name():
		g = nil
	}
	return s.follow(ctx, g, changes...)
}

// groupOf opens the group directly above an array from its own documents. It returns nil if there
// is none, or if the store refuses to return it.
func (s *session) groupOf(ctx context.Context, a *zarr.Array) (*zarr.Group, error) {
	if a.Path() == "" {
		return nil, nil
	}
	up := strings.TrimPrefix(path.Dir("/"+a.Path()), "/")
	g, err := zarr.OpenGroup(ctx, a.Store(), up, s.options(zarr.IgnoreConsolidated())...)
	if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Refused) {
		return nil, nil
	}
	return g, err
}
