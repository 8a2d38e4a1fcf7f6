package dataset

import (
	"context"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/internal/attributes/follow"
	"github.com/zargo-io/zargo/zarr"
)

// unstated drops attributes that a write of data makes untrue, such as actual_range of the arrays
// and time_coverage_end of the group. It returns d, or a dataset with the new attributes and a
// finding for each dropped one. It sends no request if the nodes have no such attributes, except
// for coordinates: attributes of the groups above may describe them.
func (d *Dataset) unstated(ctx context.Context, data []Data) (*Dataset, error) {
	var changes []follow.Change
	coordinate := false
	own := map[string]bool{} // the variables whose own attributes change
	for _, x := range data {
		c, stated := follow.Written(d.vars[x.name].array)
		if stated {
			own[x.name] = true
		}
		changes = append(changes, c)
		coordinate = coordinate || d.vars[x.name].indexes(x.name)
	}
	groups, unread := []*zarr.Group{d.group}, []error(nil)
	if coordinate {
		above, refused, err := follow.Above(ctx, d.group)
		if err != nil {
			return d, err
		}
		groups, unread = append(groups, above...), refused
	}
	r, err := follow.Attributes(ctx, groups, changes...)
	if err != nil || len(r.Dropped)+len(r.Unread)+len(unread) == 0 {
		return d, err
	}
	next := *d
	next.vars, next.findings = maps.Clone(d.vars), slices.Clone(d.findings)
	if next.group, err = d.reopen(ctx); err != nil {
		return nil, err
	}
	for name := range own {
		s := *d.vars[name]
		if s.array, err = openArray(ctx, next.group, s.array.Name()); err != nil {
			return nil, err
		}
		s.attrs = maps.Clone(s.attrs)
		maps.DeleteFunc(s.attrs, func(attr string, _ any) bool {
			_, ok := s.array.Attrs()[attr]
			return !ok
		})
		next.vars[name] = &s
	}
	next.followed(r, unread)
	return &next, nil
}
