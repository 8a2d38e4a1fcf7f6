package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// findRoot returns the paths of the outermost and of the nearest group above a new node, or those
// of the node. It searches upward from the node for the nearest group, and continues as long as it
// finds groups. Missing groups between the node and the nearest group will be created.
func (s *Session) findRoot(ctx context.Context, node openurl.Location) (root, nearest string, _ error) {
	s.Above = nil
	var look func(path string) (found, error)
	switch node.Scheme {
	case "mem":
		return "", node.Path, nil // the whole store is the node's hierarchy
	case "file":
		look = func(path string) (found, error) {
			if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
				return nothing, nil
			}
			st, err := s.Stores.OpenLocation(ctx, node.At(path)) // counted
			if err != nil {
				return nothing, err
			}
			defer func() { _ = st.Close() }() // opened for reading only
			f, err := s.look(ctx, st, "")
			if f == nothing {
				f = folder // an existing directory without group metadata
			}
			return f, err
		}
	default:
		if n, ok := node.Native(); ok && n.Scheme == "azblob" {
			return node.Path, node.Path, nil // a SAS token may be limited to this path
		}
		top, err := s.Stores.OpenLocation(ctx, node.At(""))
		if err != nil {
			return "", "", err
		}
		defer func() { _ = top.Close() }() // opened for reading only
		look = func(path string) (found, error) { return s.look(ctx, top, path) }
	}
	root, nearest = node.Path, node.Path
	for up, ok := node.Parent(); ok; up, ok = up.Parent() {
		f, err := look(up.Path)
		if err != nil && errors.Is(err, fault.Refused) { // without permission to read, creating would also fail
			if s.Above == nil {
				s.Above = fmt.Errorf("%s: %w", up, fault.Refused)
			}
			err = nil
		}
		switch {
		case err != nil:
			return "", "", err
		case f == group:
			if root = up.Path; nearest == node.Path {
				nearest = root
			}
		case f == folder || nearest != node.Path:
			return root, nearest, nil
		}
	}
	return root, nearest, nil
}

// found is the result of looking up a path.
type found uint8

const (
	nothing found = iota
	folder
	group
)

// look reports whether a group is stored at path. An array at path is an error, because nothing can
// be created below an array.
func (s *Session) look(ctx context.Context, st store.Store, path string) (found, error) {
	expect := cmp.Or(s.format, 3) // most groups above a node do not exist
	n, err := zarr.Open(node.Expecting(ctx, expect), st, path, s.Options()...)
	switch {
	case errors.Is(err, fault.NotFound):
		return nothing, nil
	case err != nil:
		return nothing, err
	}
	if _, isArray := n.(*zarr.Array); isArray {
		above := store.Name(st)
		if path != "" {
			above = strconv.Quote(path) + " in " + above
		}
		return nothing, fault.Newf(fault.Exists, "a node cannot be created below an array: %s", above)
	}
	s.Opened(n)
	return group, nil
}

// OpenNode opens an array or a group to browse it. If no documents of the node are stored, OpenNode
// takes the node from the consolidated metadata of a group above it, and warns. Commands that read
// or move values, compare or delete use OpenStored. The caller closes the place.
func (s *Session) OpenNode(ctx context.Context, url string, more ...zarr.Option) (*Place, zarr.Node, error) {
	p, err := s.Locate(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	n, err := zarr.Open(s.Expecting(ctx), p.Store, p.Path, s.Options(more...)...)
	if err == nil {
		s.Opened(n)
		return p, n, nil
	}
	p.Release()
	if errors.Is(err, fault.NotFound) {
		if q, n := s.OpenCopied(ctx, p.Root, more...); n != nil {
			s.Warn("%s: only the consolidated metadata of a group above describes the node: the store has no document of it", p.Where)
			return q, n, nil
		}
	}
	return nil, nil, p.Fail(s.NotZarr(ctx, p.Root, err))
}

// OpenStored opens an array or a group from its own documents; see zarr.Group.Stored. The caller
// closes the place.
func (s *Session) OpenStored(ctx context.Context, url string, more ...zarr.Option) (*Place, zarr.Node, error) {
	return openOwn(ctx, s, url, more, func(ctx context.Context, st store.Store, path string, opts ...zarr.Option) (zarr.Node, error) {
		n, err := zarr.Open(ctx, st, path, opts...)
		if err == nil {
			s.Opened(n)
			n, err = n.Stored(ctx)
		}
		return n, err
	})
}

// OpenAny is OpenStored. If this version does not support the metadata of the node, for example
// because of an unknown codec, OpenAny returns no node, and in unsupported the error of opening it.
func (s *Session) OpenAny(ctx context.Context, url string, more ...zarr.Option) (p *Place, n zarr.Node, unsupported, err error) {
	p, n, err = s.OpenStored(ctx, url, more...)
	if err == nil || !errors.Is(err, errors.ErrUnsupported) || !errors.As(err, new(*fault.MetaError)) {
		return p, n, nil, err
	}
	unsupported = err
	p, err = s.Locate(ctx, url)
	return p, nil, unsupported, err
}

// OpenArray opens an array from its own documents. The caller closes the place.
func (s *Session) OpenArray(ctx context.Context, url string, more ...zarr.Option) (*Place, *zarr.Array, error) {
	return openOwn(ctx, s, url, more, zarr.OpenArray)
}

// openOwn opens a node by its own documents.
func openOwn[N zarr.Node](ctx context.Context, s *Session, url string, more []zarr.Option, open func(context.Context, store.Store, string, ...zarr.Option) (N, error)) (p *Place, n N, err error) {
	if p, err = s.Locate(ctx, url); err != nil {
		return nil, n, err
	}
	opened, err := open(s.Expecting(ctx), p.Store, p.Path, s.Options(more...)...)
	if err != nil {
		p.Release()
		return nil, n, p.Fail(s.absent(ctx, p.Root, err, more...))
	}
	s.Opened(opened)
	return p, opened, nil
}

// absent returns err, the error of opening a node. If the node is absent, the result says whether
// consolidated metadata still describes it.
func (s *Session) absent(ctx context.Context, l openurl.Location, err error, more ...zarr.Option) error {
	if errors.Is(err, fault.NotFound) {
		if q, n := s.OpenCopied(ctx, l, more...); n != nil {
			q.Release()
			return fmt.Errorf("%w; only the consolidated metadata of a group above still describes the node", err)
		}
	}
	return s.NotZarr(ctx, l, err)
}

// OpenCopied opens a node whose metadata exists only in the consolidated metadata of a group above
// the node. With it, every node that ls prints can be opened. It returns nil if it does not find
// the node there.
func (s *Session) OpenCopied(ctx context.Context, l openurl.Location, more ...zarr.Option) (*Place, zarr.Node) {
	p, err := s.rooted(ctx, l)
	if err != nil || p.Path == "" {
		return nil, nil
	}
	var n zarr.Node
	g, err := zarr.OpenGroup(s.Expecting(ctx), p.Store, "", s.Options(more...)...)
	if err == nil {
		n, err = g.Open(ctx, p.Path)
	}
	if err != nil {
		p.Release()
		return nil, nil
	}
	return p, n
}

// rooted opens the store at the root of the hierarchy that contains a node. The returned place has
// the path of the node.
func (s *Session) rooted(ctx context.Context, l openurl.Location) (*Place, error) {
	where := l.String()
	if len(l.Inside) > 0 {
		return s.Open(ctx, l)
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
		return nil, FailedAt(l, where, err)
	}
	path, _ := Below(l.At(root), l)
	p, err := s.Open(ctx, l.At(root))
	if err != nil {
		return nil, err
	}
	p.Path, p.Where = path, where
	return p, nil
}

// OpenRooted opens a node in order to change it. It opens the store at the root of the hierarchy,
// so that the consolidated metadata of groups above the node can be found. The caller closes the
// place.
func (s *Session) OpenRooted(ctx context.Context, url string) (*Place, zarr.Node, error) {
	return s.OpenAhead(ctx, url, false)
}

// OpenAhead is OpenRooted. While it looks for the root, it reads documents of the node and of its
// members; see readAhead.
func (s *Session) OpenAhead(ctx context.Context, url string, list bool, members ...string) (*Place, zarr.Node, error) {
	l, err := s.ParseURL(url)
	if err != nil {
		return nil, nil, err
	}
	var p *Place
	var read *ahead
	err = concurrency.EachN(ctx, 2, 2, func(ctx context.Context, i int) (err error) {
		if i == 0 {
			p, err = s.rooted(ctx, NodeOf(l))
		} else {
			read = s.readAhead(ctx, NodeOf(l), list, members)
		}
		return err
	})
	if err != nil {
		s.Above = err
		return s.OpenNode(ctx, url) // the hierarchy above cannot be opened
	}
	read.Forward, read.path = store.Forward{Store: p.Store}, p.Path
	p.Store = read
	n, err := zarr.Open(s.Expecting(ctx), p.Store, p.Path, s.Options()...)
	if err != nil {
		p.Release()
		return nil, nil, p.Fail(s.NotZarr(ctx, NodeOf(l), err))
	}
	s.Opened(n)
	return p, n, nil
}

// LocateNew opens the store that will contain a new node. Commands create missing groups above the
// node up to the root of the store. The root is the URL of --root, or the outermost group of the
// hierarchy that will contain the node, or the node itself. Commands therefore never create groups
// in unrelated directories above the node.
func (s *Session) LocateNew(ctx context.Context, text, rootText string) (*Place, error) {
	l, err := s.ParseURL(text)
	if err != nil {
		return nil, err
	}
	if len(l.Inside) > 0 {
		return nil, exit.At(Where(text), fault.Newf(fault.ReadOnly, "a zip archive is read-only"))
	}
	if l.Scheme == "file" {
		if l.Path, err = filepath.Abs(l.Path); err != nil {
			return nil, err
		}
	}
	root, nearest := l, l
	if rootText != "" {
		root, err = s.parseRoot(rootText, l)
	} else {
		root.Path, nearest.Path, err = s.findRoot(ctx, l)
	}
	if err != nil {
		return nil, FailedAt(l, Where(text), err)
	}
	path, ok := Below(root, l)
	if !ok {
		return nil, exit.At(Where(text), fault.Newf(fault.Path, "the URL must be below the root %s", root))
	}
	p, err := s.Open(ctx, root)
	if err != nil {
		return nil, err
	}
	p.Path, p.Where = path, Where(text)
	if nearest.Path != l.Path {
		exists, _ := Below(root, nearest)
		missing, _ := Below(nearest, l)
		missing, _, _ = strings.Cut(missing, "/")
		p.Missing = Joined(exists, missing)
	}
	return p, nil
}

// parseRoot parses --root. A root without query parameters gets those of the node.
func (s *Session) parseRoot(text string, node openurl.Location) (openurl.Location, error) {
	root, err := s.ParseURL(text)
	if err != nil {
		return root, err
	}
	if root.Scheme != node.Scheme || root.Host != node.Host {
		return root, fault.Newf(fault.Path, "the URL must be below the root %s", root)
	}
	if root.Query == "" {
		root.Query = node.Query
	}
	if root.Scheme == "file" {
		root.Path, err = filepath.Abs(root.Path)
	}
	return root, err
}
