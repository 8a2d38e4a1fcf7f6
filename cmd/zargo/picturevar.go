package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// pictureMemory is the memory budget of reads in bytes. It keeps the memory of the command below
// 100 MiB unless chunks are larger than a few MB.
const pictureMemory = 16 << 20

// pictureLimits returns an option that bounds the memory of reads to pictureMemory.
func pictureLimits() zarr.Option {
	return zarr.Limit(zarr.Limits{Shared: limitsOf(pictureMemory)})
}

// openVariable opens an array as a variable of its group, which contains the coordinates. o
// determines how values are decoded. If the group does not exist or is not a valid dataset, the
// variable has no coordinates. The caller closes the place.
func (s *session) openVariable(ctx context.Context, url string, o dataset.Options) (*place, *dataset.Variable, error) {
	l, err := s.parseURL(url)
	if err != nil {
		return nil, nil, err
	}
	l = nodeOf(l)
	var grouped error // why the group cannot be opened
	if up, name, ok := split(l); ok {
		p, v, err := s.openMember(ctx, up, name, o)
		if err == nil {
			p.where = l.String()
			return p, v, nil
		}
		if ctx.Err() != nil {
			return nil, nil, err
		}
		if !errors.Is(err, fault.NotFound) {
			grouped = err
		}
	}
	p, a, err := s.openArray(ctx, url, pictureLimits())
	if err != nil {
		return nil, nil, err
	}
	v, err := dataset.OpenArray(a, o)
	if err != nil {
		p.release()
		return nil, nil, p.fail(err)
	}
	if grouped != nil && hasNames(v) {
		s.warn("%s is drawn without coordinates, because its group cannot be opened: %s", l.String(), strings.TrimPrefix(grouped.Error(), "/: "))
	}
	return p, v, nil
}

// hasNames reports whether a dimension has a name other than dim_0, dim_1 and so on, which are the
// names of dimensions without a name. Only dimensions with names have coordinates.
func hasNames(v *dataset.Variable) bool {
	for i, d := range v.Dims() {
		if d.Name != fmt.Sprintf("dim_%d", i) {
			return true
		}
	}
	return false
}

// openMember opens a group as a dataset and returns the variable name.
func (s *session) openMember(ctx context.Context, group openurl.Location, name string, o dataset.Options) (*place, *dataset.Variable, error) {
	p, err := s.open(ctx, group)
	if err != nil {
		return nil, nil, err
	}
	n, err := zarr.Open(ctx, p.Store, "", s.options(pictureLimits())...)
	if err == nil {
		n, err = n.Stored(ctx)
	}
	g, isGroup := n.(*zarr.Group)
	if err == nil && !isGroup {
		err = fault.Newf(fault.NotFound, "the node is an array, want a group")
	}
	var d *dataset.Dataset
	if err == nil {
		d, err = dataset.OpenGroup(ctx, g, o)
	}
	if err == nil {
		var v *dataset.Variable
		if v, err = d.Var(name); err == nil {
			p.path = name
			return p, v, nil
		}
	}
	p.release()
	return nil, nil, err
}

// split returns the location of the group that contains a node, and the name of the node. ok is
// false for a node at the root of a store.
func split(l openurl.Location) (group openurl.Location, name string, ok bool) {
	if n := len(l.Inside); n > 0 {
		path := strings.TrimRight(l.Inside[n-1], "/")
		i := strings.LastIndexAny(path, "/:")
		if name = path[i+1:]; name == "" {
			return l, "", false
		}
		l.Inside = slices.Clone(l.Inside)
		l.Inside[n-1] = strings.TrimSuffix(path[:i+1], "/")
		return l, name, true
	}
	if l.Scheme == "file" {
		l.Path = filepath.Clean(l.Path)
		if name = filepath.Base(l.Path); name == "." || name == ".." {
			path, err := filepath.Abs(l.Path)
			if err != nil {
				return l, "", false
			}
			l.Path, name = path, filepath.Base(path)
		}
		up, ok := l.Parent()
		return up, name, ok
	}
	path := strings.TrimRight(l.Path, "/")
	up, ok := l.At(path).Parent()
	return up, path[strings.LastIndexByte(path, '/')+1:], ok && l.Host != ""
}

// selectOf applies items to a variable. It returns the selected variable and the region of its
// array.
func (s *session) selectOf(ctx context.Context, p *place, v *dataset.Variable, items []item) (*dataset.Variable, region, error) {
	var names []string
	for _, d := range v.Dims() {
		names = append(names, d.Name)
	}
	r, err := s.chosen(ctx, p, v.Array(), items)
	if err != nil {
		return nil, nil, err
	}
	var q []dataset.Query
	for k, x := range r {
		switch {
		case x.drop:
			q = append(q, dataset.At(names[k], x.start))
		case x.list != nil:
			q = append(q, dataset.At(names[k], x.list))
		case x.count == 0:
			q = append(q, dataset.Slice(names[k], 0, 0))
		case x.step > 0:
			q = append(q, dataset.Slice(names[k], x.start, x.at(x.count-1)+1).By(x.step))
		case x.count > maxElements:
			return nil, nil, fault.Newf(fault.Limit, "--sel selects %d elements of %q in reverse order, more than the maximum of %d", x.count, names[k], maxElements)
		default:
			list := make([]int, x.count)
			for i := range list {
				list[i] = x.at(i)
			}
			q = append(q, dataset.At(names[k], list))
		}
	}
	v, err = v.Sel(q...)
	return v, r, err
}
