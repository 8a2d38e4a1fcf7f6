package main

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// What is no group has contents too: a bucket or a folder with hierarchies in it. Each folder is asked whether it is a
// node.

const (
	kindFolder = "folder" // keys begin with its name, and it is no node
	kindObject = "object" // a key
)

// maxBrowsed is how many entries of folders are listed at most. A million lines are no listing for people any more, and take half a GB.
const maxBrowsed = 1_000_000

// browse lists a place that is no node; nil when nothing is there. unread is about nodes that could not be read.
func (c *lsCmd) browse(ctx context.Context, s *session, p *place) (nodes []nodeInfo, unread, err error) {
	return s.browse(ctx, p, "", c.Recursive, maxBrowsed)
}

func (s *session) browse(ctx context.Context, p *place, folder string, deep bool, room int) (nodes []nodeInfo, unread, err error) {
	var folders []string
	for e, err := range store.Pages(ctx, p.Store, folder, store.OneLevel) {
		if err != nil {
			return nil, nil, err
		}
		if len(nodes)+len(folders) >= room {
			return nil, nil, fault.Newf(fault.Limit, "more than %d entries: list a folder in it", maxBrowsed)
		}
		if e.Dir {
			folders = append(folders, e.Key)
			continue
		}
		nodes = append(nodes, objectInfo(e))
	}
	slices.Sort(folders)
	opened := make([][]nodeInfo, len(folders))
	broken := make([]error, len(folders))
	room -= len(nodes)
	err = concurrency.EachN(ctx, max(1, store.TuningOf(p.Store).ListFanout), len(folders), func(ctx context.Context, i int) (err error) {
		opened[i], broken[i], err = s.lookInto(ctx, p, folders[i], deep, room)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for i, below := range opened {
		unread = cmp.Or(unread, broken[i])
		if room -= len(below); room < 0 {
			return nil, nil, fault.Newf(fault.Limit, "more than %d entries: list a folder in it", maxBrowsed)
		}
		nodes = append(nodes, below...)
	}
	if !deep {
		slices.SortFunc(nodes, func(a, b nodeInfo) int { return cmp.Compare(a.Name, b.Name) })
	}
	return nodes, unread, nil
}

// lookInto says what a folder is, and what is in it.
func (s *session) lookInto(ctx context.Context, p *place, folder string, deep bool, room int) (nodes []nodeInfo, unread, err error) {
	n, err := zarr.Open(ctx, p.Store, folder, s.options()...)
	info := nodeInfo{Kind: kindFolder, Name: path.Base(folder), Path: folder}
	var of *fault.MetaError
	switch {
	case errors.Is(err, fault.NotFound):
		if !deep {
			return []nodeInfo{info}, nil, nil
		}
		below, unread, err := s.browse(ctx, p, folder, true, room)
		return append([]nodeInfo{info}, below...), unread, err
	case errors.As(err, &of): // the others can be shown all the same
		return []nodeInfo{info}, err, nil
	case err != nil:
		return nil, nil, err
	}
	if info, err = describe(n); err != nil {
		return nil, err, nil
	}
	info.Path = folder
	nodes = []nodeInfo{info}
	if g, ok := n.(*zarr.Group); ok && deep {
		unread, err = p.members(g.Walk(ctx), func(m zarr.Node, d nodeInfo) {
			d.Path = m.Path()
			nodes = append(nodes, d)
		})
	}
	return nodes, unread, err
}

// objectInfo is a key that is no document of a node.
func objectInfo(e store.Entry) nodeInfo {
	info := nodeInfo{Kind: kindObject, Name: e.Key[strings.LastIndexByte(e.Key, '/')+1:], Path: e.Key}
	if e.Size >= 0 {
		info.Stored = &e.Size
	}
	return info
}
