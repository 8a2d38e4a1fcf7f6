package describing

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// A location that is not a group can be listed too: a bucket or a directory that contains
// hierarchies. Each of its directories is opened to find out whether it is a node.

// browse lists a place that is not a node. If deep is true, it lists all levels below the place,
// parents before children. unread is an error about nodes that could not be read.
func browse(ctx context.Context, s *session.Session, p *session.Place, deep bool) (nodes []nodeInfo, unread, err error) {
	atOnce := max(1, store.TuningOf(p.Store).ListFanout)
	for level := []string{""}; len(level) > 0; {
		listed := make([][]store.Entry, len(level))
		room := maxBrowsed - len(nodes)
		err := concurrency.EachN(ctx, atOnce, len(level), func(ctx context.Context, i int) (err error) {
			listed[i], err = entries(ctx, p, level[i], room)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		var folders []string
		for _, e := range slices.Concat(listed...) {
			if e.Dir {
				folders = append(folders, e.Key)
			} else {
				nodes = append(nodes, objectInfo(e))
			}
		}
		if len(nodes)+len(folders) > maxBrowsed {
			return nil, nil, tooMany()
		}
		slices.Sort(folders)
		looks := make([]look, len(folders))
		err = concurrency.EachN(ctx, atOnce, len(folders), func(ctx context.Context, i int) (err error) {
			looks[i], err = lookInto(ctx, s, p, folders[i], deep)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		level = nil
		for i, l := range looks {
			unread = cmp.Or(unread, l.unread)
			nodes = append(nodes, l.nodes...)
			if l.nodes[0].Kind == kindFolder && l.unread == nil && deep {
				level = append(level, folders[i])
			}
		}
		if len(nodes) > maxBrowsed {
			return nil, nil, tooMany()
		}
	}
	if !deep {
		slices.SortFunc(nodes, func(a, b nodeInfo) int { return cmp.Compare(a.Name, b.Name) })
	}
	return nodes, unread, nil
}

const (
	kindFolder = "folder" // a prefix of keys that is not a node
	kindObject = "object" // a key that does not belong to a node
)

// maxBrowsed is the maximum number of entries listed. A million entries take half a GB of memory.
const maxBrowsed = 1_000_000

func tooMany() error {
	return fault.Newf(fault.Limit, "more than %d entries are too many to list: list a directory in it", maxBrowsed)
}

// entries lists one level of a directory. It returns an error if the directory has more than room
// entries.
func entries(ctx context.Context, p *session.Place, folder string, room int) (list []store.Entry, err error) {
	for e, err := range store.Pages(ctx, p.Store, folder, store.ListOptions{Depth: store.OneLevel}) {
		if err != nil {
			return nil, err
		}
		if len(list) == room {
			return nil, tooMany()
		}
		list = append(list, e)
	}
	return list, nil
}

// look is the result of opening a directory: a description of its node, and of all nodes below it
// for a deep listing. unread is an error about nodes that could not be read.
type look struct {
	nodes  []nodeInfo
	unread error
}

func lookInto(ctx context.Context, s *session.Session, p *session.Place, folder string, deep bool) (look, error) {
	n, err := zarr.Open(ctx, p.Store, folder, s.Options()...)
	s.Far.Add(1)
	info := nodeInfo{Kind: kindFolder, Name: path.Base(folder), Path: folder}
	var of *fault.MetaError
	switch {
	case errors.Is(err, fault.NotFound):
		return look{nodes: []nodeInfo{info}}, nil
	case errors.As(err, &of): // the other nodes can still be listed
		return look{[]nodeInfo{info}, err}, nil
	case err != nil:
		return look{}, err
	}
	d, err := describe(n)
	if err != nil {
		return look{[]nodeInfo{info}, err}, nil
	}
	d.Path = folder
	l := look{nodes: []nodeInfo{d}}
	if g, ok := n.(*zarr.Group); ok && deep {
		l.unread, err = eachMember(p, g.Walk(ctx), func(m zarr.Node, d nodeInfo) {
			d.Path = m.Path()
			l.nodes = append(l.nodes, d)
			s.Far.Add(1)
		})
	}
	return l, err
}

// objectInfo describes a key that is not a node's document.
func objectInfo(e store.Entry) nodeInfo {
	info := nodeInfo{Kind: kindObject, Name: e.Key[strings.LastIndexByte(e.Key, '/')+1:], Path: e.Key}
	if e.Size >= 0 {
		info.Stored = &e.Size
	}
	return info
}
