package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// openNode opens an array or a group. The place is to be closed.
func (s *session) openNode(ctx context.Context, url string, more ...zarr.Option) (*place, zarr.Node, error) {
	p, err := s.locate(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	n, err := zarr.Open(ctx, p.Store, p.path, s.options(more...)...)
	if err == nil {
		return p, n, nil
	}
	p.release()
	if errors.Is(err, fault.NotFound) {
		if q, n := s.openCopied(ctx, p.root, more...); n != nil {
			return q, n, nil
		}
	}
	return nil, nil, p.fail(s.notZarr(ctx, p.root, err))
}

// openArray opens an array. The place is to be closed.
func (s *session) openArray(ctx context.Context, url string, more ...zarr.Option) (*place, *zarr.Array, error) {
	p, err := s.locate(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	a, err := zarr.OpenArray(ctx, p.Store, p.path, s.options(more...)...)
	if err == nil {
		return p, a, nil
	}
	p.release()
	if errors.Is(err, fault.NotFound) {
		q, n := s.openCopied(ctx, p.root, more...)
		if a, ok := n.(*zarr.Array); ok {
			return q, a, nil
		}
		if n != nil {
			q.release()
		}
	}
	return nil, nil, p.fail(s.notZarr(ctx, p.root, err))
}

// openCopied opens a node that only the consolidated metadata of a group above has, as ls shows it;
// nil where there is none.
func (s *session) openCopied(ctx context.Context, l openurl.Location, more ...zarr.Option) (*place, zarr.Node) {
	p, err := s.rooted(ctx, l)
	if err != nil || p.path == "" {
		return nil, nil
	}
	var n zarr.Node
	g, err := zarr.OpenGroup(ctx, p.Store, "", s.options(more...)...)
	if err == nil {
		n, err = g.Open(ctx, p.path)
	}
	if err != nil {
		p.release()
		return nil, nil
	}
	return p, n
}

// rooted opens the store in which a node's hierarchy begins; the place's path is the node's.
func (s *session) rooted(ctx context.Context, l openurl.Location) (*place, error) {
	where := l.String()
	if len(l.Inside) > 0 {
		return s.open(ctx, l)
	}
	if l.Scheme == "file" {
		path, err := filepath.Abs(l.Path)
		if err != nil {
			return nil, err
		}
		l.Path = path
	}
	root, err := s.findRoot(ctx, l)
	if err != nil {
		return nil, failedAt(l, where, err)
	}
	path, _ := below(l.At(root), l)
	p, err := s.open(ctx, l.At(root))
	if err != nil {
		return nil, err
	}
	p.path, p.where = path, where
	return p, nil
}

// openRooted opens a node to change it: in the store of its whole hierarchy, so that copies of its
// metadata in groups above are seen. The place is to be closed.
func (s *session) openRooted(ctx context.Context, url string) (*place, zarr.Node, error) {
	l, err := s.parseURL(url)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.rooted(ctx, nodeOf(l))
	if err != nil {
		return s.openNode(ctx, url) // there is no hierarchy to be seen
	}
	n, err := zarr.Open(ctx, p.Store, p.path, s.options()...)
	if err != nil {
		p.release()
		return nil, nil, p.fail(err)
	}
	return p, n, nil
}

// consolidateFlag is for what changes metadata below a group that has a copy of it.
type consolidateFlag struct {
	Consolidate bool `help:"Bring consolidated metadata of groups above up to date about the node. Without it a warning says what is out of date."`
}

// after brings consolidated metadata above a node that was changed up to date, or warns that it is
// not.
func (c consolidateFlag) after(ctx context.Context, s *session, p *place, n zarr.Node) error {
	if c.Consolidate {
		_, err := upkeep.UpdateAbove(ctx, n)
		return p.fail(err)
	}
	stale, err := upkeep.CheckAbove(ctx, n)
	if err != nil {
		s.warn("%s: whether consolidated metadata above is out of date now could not be seen: %v", p.where, err)
	}
	for i, path := range stale {
		stale[i] = p.urlOf(path)
	}
	if len(stale) > 0 {
		slices.Sort(stale)
		s.warn("the consolidated metadata of %s is out of date now: --consolidate keeps it up to date, and so does zargo consolidate", strings.Join(stale, ", "))
	}
	return nil
}

// urlOf is the URL of a node in the place's store, for messages; a path is as long as that of the
// node that was named.
func (p *place) urlOf(path string) string {
	up := strings.Count(strings.Trim(p.path, "/"), "/") - strings.Count(path, "/")
	if path == "" {
		up++
	}
	l, err := openurl.Parse(p.where)
	if err != nil || p.path == "" || path == p.path {
		return p.where
	}
	for range up {
		l, _ = l.Parent()
	}
	return l.String()
}
