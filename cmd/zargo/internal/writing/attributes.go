package writing

import (
	"cmp"
	"context"
	"path"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/internal/attributes/follow"
	"github.com/zargo-io/zargo/zarr"
)

// written drops the attributes that a write of elements makes untrue, before the write. The arrays
// are the one at url, or members of the group there, which was opened as the place p. It sends no
// request for arrays without such attributes, except for coordinates: attributes of their group may
// describe them.
func written(ctx context.Context, s *session.Session, url string, p *session.Place, arrays ...*zarr.Array) error {
	inGroup := map[string]bool{} // whether attributes of the group may describe the array
	for _, a := range arrays {
		name := a.Name()
		if a.Path() == "" {
			name = session.LastSegment(p.Where)
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
	root, n, err := s.OpenRooted(ctx, url)
	if err != nil {
		return err
	}
	defer root.Release()
	if a, ok := n.(*zarr.Array); ok {
		return root.Fail(writtenIn(ctx, s, root, a, inGroup[a.Name()]))
	}
	for name := range inGroup {
		a, err := zarr.OpenArray(ctx, root.Store, path.Join(root.Path, name), s.Options()...)
		if err == nil {
			err = writtenIn(ctx, s, root, a, false)
		}
		if err != nil {
			return root.Fail(err)
		}
	}
	return nil
}

// writtenIn changes the attributes of an array and, if inGroup is true, of the groups above it.
func writtenIn(ctx context.Context, s *session.Session, p *session.Place, a *zarr.Array, inGroup bool) error {
	var groups []*zarr.Group
	var unread []error
	if inGroup {
		var err error
		if groups, unread, err = follow.Above(ctx, a); err != nil {
			return err
		}
	}
	return followArrays(ctx, s, p, groups, unread, follow.Change{Array: a})
}

// grown changes the attributes of an array whose shape changed from was, and those of the groups
// above it.
func grown(ctx context.Context, s *session.Session, p *session.Place, a *zarr.Array, was []int) error {
	groups, unread, err := follow.Above(ctx, a)
	if err != nil {
		return err
	}
	dims := a.Dims()
	coordinate := len(dims) == 1 && dims[0] == a.Name()
	return followArrays(ctx, s, p, groups, unread, follow.Change{Array: a, Was: was, Inside: !coordinate})
}

// followArrays changes the attributes that a change of arrays made untrue, and warns of dropped
// ones. p is the place of an array or of its group. groups are the groups above the arrays. unread
// are the errors of groups that could not be read.
func followArrays(ctx context.Context, s *session.Session, p *session.Place, groups []*zarr.Group, unread []error, changes ...follow.Change) error {
	r, err := follow.Attributes(ctx, groups, changes...)
	for _, d := range r.Dropped {
		at := cmp.Or(d.Path, "the group")
		switch {
		case strings.HasPrefix(d.Path, "/"):
			at = "the group " + cmp.Or(d.Path[1:], p.Root.String())
		case d.Path == "" && changes[0].Array.Path() == "":
			at = p.Where
		}
		s.Warn("%s: %s", at, d)
	}
	for _, err := range append(unread, r.Unread...) {
		s.Warn("%s: attributes may describe the elements before the change, because this could not be read: %v", p.Where, err)
	}
	if err == nil && len(unread) == 0 && s.Above != nil {
		s.Warn("%s: attributes of groups above may describe the elements before the change, because they could not be read: %v", p.Where, s.Above)
	}
	return err
}
