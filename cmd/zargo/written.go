package main

import (
	"context"
	"path"

	"github.com/zargo-io/zargo/internal/attributes/follow"
	"github.com/zargo-io/zargo/zarr"
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
		return root.fail(s.writtenIn(ctx, root, a, inGroup[a.Name()]))
	}
	for name := range inGroup {
		a, err := zarr.OpenArray(ctx, root.Store, path.Join(root.path, name), s.options()...)
		if err == nil {
			err = s.writtenIn(ctx, root, a, false)
		}
		if err != nil {
			return root.fail(err)
		}
	}
	return nil
}

// writtenIn changes the attributes of an array and, if inGroup is true, of the groups above it.
func (s *session) writtenIn(ctx context.Context, p *place, a *zarr.Array, inGroup bool) error {
	var groups []*zarr.Group
	var unread []error
	if inGroup {
		var err error
		if groups, unread, err = follow.Above(ctx, a); err != nil {
			return err
		}
	}
	return s.follow(ctx, p, groups, unread, follow.Change{Array: a})
}

// grown changes the attributes of an array whose shape changed from was, and those of the groups
// above it.
func (s *session) grown(ctx context.Context, p *place, a *zarr.Array, was []int) error {
	groups, unread, err := follow.Above(ctx, a)
	if err != nil {
		return err
	}
	dims := a.Dims()
	coordinate := len(dims) == 1 && dims[0] == a.Name()
	return s.follow(ctx, p, groups, unread, follow.Change{Array: a, Was: was, Inside: !coordinate})
}
