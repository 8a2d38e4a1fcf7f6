package pyramid

import (
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
)

// layout contains the paths of a pyramid.
type layout struct {
	group  string // group that contains all levels
	assets func(level int) string
}

// layoutOf returns the layout of the pyramid of an array. If the array or its group is named 0, the
// number of a level replaces this name. Otherwise each level is in a group of its own, named by its
// number, in the group of the array.
func layoutOf(array string) (layout, error) {
	if array == "" {
		return layout{}, fault.Newf(fault.Selection, "the array must be in a group, but is the root of the store")
	}
	dir, name := split(array)
	if name == "0" {
		return layout{dir, strconv.Itoa}, nil
	}
	if above, last := split(dir); last == "0" {
		return layout{above, func(level int) string { return join(strconv.Itoa(level), name) }}, nil
	}
	return layout{dir, func(level int) string {
		if level == 0 {
			return name
		}
		return join(strconv.Itoa(level), name)
	}}, nil
}

// path returns the path of a level in the store.
func (l layout) path(level int) string { return join(l.group, l.assets(level)) }

// split returns the path of the parent and the name of a node.
func split(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

func join(dir, name string) string { return node.Join(dir, name) }
