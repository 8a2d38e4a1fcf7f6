package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// openNode opens an array or a group to browse it. If no documents of the node are stored, openNode
// takes the node from the consolidated metadata of a group above it, and warns. Commands that read
// or move values, compare or delete use openStored. The caller closes the place.
func (s *session) openNode(ctx context.Context, url string, more ...zarr.Option) (*place, zarr.Node, error) {
	p, err := s.locate(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	n, err := zarr.Open(s.expecting(ctx), p.Store, p.path, s.options(more...)...)
	if err == nil {
		s.opened(n)
		return p, n, nil
	}
	p.release()
	if errors.Is(err, fault.NotFound) {
		if q, n := s.openCopied(ctx, p.root, more...); n != nil {
			s.warn("%s: only the consolidated metadata of a group above describes the node: the store has no document of it", p.where)
			return q, n, nil
		}
	}
	return nil, nil, p.fail(s.notZarr(ctx, p.root, err))
}

// openStored opens an array or a group from its own documents; see zarr.Group.Stored. The caller
// closes the place.
func (s *session) openStored(ctx context.Context, url string, more ...zarr.Option) (*place, zarr.Node, error) {
	p, err := s.locate(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	n, err := zarr.Open(s.expecting(ctx), p.Store, p.path, s.options(more...)...)
	if err == nil {
		s.opened(n)
		n, err = n.Stored(ctx)
	}
	if err != nil {
		p.release()
		return nil, nil, p.fail(s.absent(ctx, p.root, err, more...))
	}
	return p, n, nil
}

// openAny is openStored. If this version does not support the metadata of the node, for example
// because of an unknown codec, openAny returns no node, and in unsupported the error of opening it.
func (s *session) openAny(ctx context.Context, url string, more ...zarr.Option) (p *place, n zarr.Node, unsupported, err error) {
	p, n, err = s.openStored(ctx, url, more...)
	if err == nil || !errors.Is(err, errors.ErrUnsupported) || !errors.As(err, new(*fault.MetaError)) {
		return p, n, nil, err
	}
	unsupported = err
	p, err = s.locate(ctx, url)
	return p, nil, unsupported, err
}

// openArray opens an array from its own documents. The caller closes the place.
func (s *session) openArray(ctx context.Context, url string, more ...zarr.Option) (*place, *zarr.Array, error) {
	p, err := s.locate(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	a, err := zarr.OpenArray(s.expecting(ctx), p.Store, p.path, s.options(more...)...)
	if err == nil {
		s.opened(a)
		return p, a, nil
	}
	p.release()
	return nil, nil, p.fail(s.absent(ctx, p.root, err, more...))
}

// absent returns err, the error of opening a node. If the node is absent, the result says whether
// consolidated metadata still describes it.
func (s *session) absent(ctx context.Context, l openurl.Location, err error, more ...zarr.Option) error {
	if errors.Is(err, fault.NotFound) {
		if q, n := s.openCopied(ctx, l, more...); n != nil {
			q.release()
			return fmt.Errorf("%w; only the consolidated metadata of a group above still describes the node", err)
		}
	}
	return s.notZarr(ctx, l, err)
}

// openCopied opens a node whose metadata exists only in the consolidated metadata of a group above
// the node. With it, every node that ls prints can be opened. It returns nil if it does not find
// the node there.
func (s *session) openCopied(ctx context.Context, l openurl.Location, more ...zarr.Option) (*place, zarr.Node) {
	p, err := s.rooted(ctx, l)
	if err != nil || p.path == "" {
		return nil, nil
	}
	var n zarr.Node
	g, err := zarr.OpenGroup(s.expecting(ctx), p.Store, "", s.options(more...)...)
	if err == nil {
		n, err = g.Open(ctx, p.path)
	}
	if err != nil {
		p.release()
		return nil, nil
	}
	return p, n
}

// rooted opens the store at the root of the hierarchy that contains a node. The returned place has
// the path of the node.
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
	root, _, err := s.findRoot(ctx, l)
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

// openRooted opens a node in order to change it. It opens the store at the root of the hierarchy,
// so that the consolidated metadata of groups above the node can be found. The caller closes the
// place.
func (s *session) openRooted(ctx context.Context, url string) (*place, zarr.Node, error) {
	return s.openAhead(ctx, url, false)
}

// openAhead is openRooted. While it looks for the root, it reads documents of the node and of its
// members; see readAhead.
func (s *session) openAhead(ctx context.Context, url string, list bool, members ...string) (*place, zarr.Node, error) {
	l, err := s.parseURL(url)
	if err != nil {
		return nil, nil, err
	}
	var p *place
	var read *ahead
	err = concurrency.EachN(ctx, 2, 2, func(ctx context.Context, i int) (err error) {
		if i == 0 {
			p, err = s.rooted(ctx, nodeOf(l))
		} else {
			read = s.readAhead(ctx, nodeOf(l), list, members)
		}
		return err
	})
	if err != nil {
		s.above = err
		return s.openNode(ctx, url) // the hierarchy above cannot be opened
	}
	read.Forward, read.path = store.Forward{Store: p.Store}, p.path
	p.Store = read
	n, err := zarr.Open(s.expecting(ctx), p.Store, p.path, s.options()...)
	if err != nil {
		p.release()
		return nil, nil, p.fail(s.notZarr(ctx, nodeOf(l), err))
	}
	s.opened(n)
	return p, n, nil
}

// consolidateFlag updates consolidated metadata. It is a flag of the commands that change metadata
// below a group with consolidated metadata.
type consolidateFlag struct {
	Consolidate bool `help:"Update the consolidated metadata of groups above the node. By default a warning lists the groups whose consolidated metadata is out of date."`
}

// after updates the consolidated metadata of groups above a changed node, or prints a warning if
// that metadata is out of date.
func (c consolidateFlag) after(ctx context.Context, s *session, p *place, n zarr.Node) error {
	if c.Consolidate {
		_, err := upkeep.UpdateParents(ctx, n)
		return p.fail(err)
	}
	stale, err := upkeep.CheckParents(ctx, n)
	if err != nil {
		s.warn("%s: the consolidated metadata of groups above may be out of date, it could not be checked: %v", p.where, err)
	}
	for i, path := range stale {
		stale[i] = p.urlOf(path)
	}
	if len(stale) > 0 && s.rehearsed == nil {
		slices.Sort(stale)
		s.warn("the consolidated metadata of %s is now out of date: update it with --consolidate or zargo consolidate", strings.Join(stale, ", "))
	}
	return nil
}

// urlOf returns the URL of the node at path, for use in messages. The node is that of the place, or
// a group above that node.
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
