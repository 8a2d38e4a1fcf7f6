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
		g, err = zarr.OpenGroup(ctx, a.Store(), strings.TrimPrefix(path.Dir("/"+a.Path()), "/"), s.options()...)
		if err != nil && !errors.Is(err, fault.NotFound) && !errors.Is(err, fault.Refused) {
			return err
		}
	}
	return s.follow(ctx, g, follow.Change{Array: a})
}
