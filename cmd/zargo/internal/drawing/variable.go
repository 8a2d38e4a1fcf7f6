package drawing

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/selection"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
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
	return zarr.Limit(zarr.Limits{Shared: session.LimitsOf(pictureMemory)})
}

// openVariable opens an array as a variable of its group, which contains the coordinates. o
// determines how values are decoded. If the group does not exist or is not a valid dataset, the
// variable has no coordinates. The caller closes the place.
func openVariable(ctx context.Context, s *session.Session, url string, o dataset.Options) (*session.Place, *dataset.Variable, error) {
	l, err := s.ParseURL(url)
	if err != nil {
		return nil, nil, err
	}
	l = session.NodeOf(l)
	var grouped error // why the group cannot be opened
	if up, name, ok := session.Split(l); ok {
		p, v, err := openMember(ctx, s, up, name, o)
		if err == nil {
			p.Where = l.String()
			return p, v, nil
		}
		if ctx.Err() != nil {
			return nil, nil, err
		}
		if !errors.Is(err, fault.NotFound) {
			grouped = err
		}
	}
	p, a, err := s.OpenArray(ctx, url, pictureLimits())
	if err != nil {
		return nil, nil, err
	}
	v, err := dataset.OpenArray(a, o)
	if err != nil {
		p.Release()
		return nil, nil, p.Fail(err)
	}
	if grouped != nil && hasNames(v) {
		s.Warn("%s is drawn without coordinates, because its group cannot be opened: %s", l.String(), strings.TrimPrefix(grouped.Error(), "/: "))
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
func openMember(ctx context.Context, s *session.Session, group openurl.Location, name string, o dataset.Options) (*session.Place, *dataset.Variable, error) {
	p, err := s.Open(ctx, group)
	if err != nil {
		return nil, nil, err
	}
	n, err := zarr.Open(ctx, p.Store, "", s.Options(pictureLimits())...)
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
			p.Path = name
			return p, v, nil
		}
	}
	p.Release()
	return nil, nil, err
}

// selectOf applies items to a variable. It returns the selected variable and the region of its
// array.
func selectOf(ctx context.Context, s *session.Session, p *session.Place, v *dataset.Variable, items []selection.Item) (*dataset.Variable, selection.Region, error) {
	var names []string
	for _, d := range v.Dims() {
		names = append(names, d.Name)
	}
	r, err := selection.Chosen(ctx, s, p, v.Array(), items)
	if err != nil {
		return nil, nil, err
	}
	var q []dataset.Query
	for k, x := range r {
		switch {
		case x.Drop:
			q = append(q, dataset.At(names[k], x.Start))
		case x.List != nil:
			q = append(q, dataset.At(names[k], x.List))
		case x.Count == 0:
			q = append(q, dataset.Slice(names[k], 0, 0))
		case x.Step > 0:
			q = append(q, dataset.Slice(names[k], x.Start, x.At(x.Count-1)+1).By(x.Step))
		case x.Count > selection.MaxElements:
			return nil, nil, fault.Newf(fault.Limit, "--sel selects %d elements of %q in reverse order, more than the maximum of %d", x.Count, names[k], selection.MaxElements)
		default:
			list := make([]int, x.Count)
			for i := range list {
				list[i] = x.At(i)
			}
			q = append(q, dataset.At(names[k], list))
		}
	}
	v, err = v.Sel(q...)
	return v, r, err
}
