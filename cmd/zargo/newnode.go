package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// locateNew opens the store that will contain a new node. Commands create missing groups above the
// node up to the root of the store. The root is the URL of --root, or the outermost group of the
// hierarchy that will contain the node, or the node itself. Commands therefore never create groups
// in unrelated directories above the node.
func (s *session) locateNew(ctx context.Context, text, rootText string) (*place, error) {
	l, err := s.parseURL(text)
	if err != nil {
		return nil, err
	}
	if len(l.Inside) > 0 {
		return nil, at(where(text), fault.Newf(fault.ReadOnly, "a zip archive is read-only"))
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
		return nil, failedAt(l, where(text), err)
	}
	path, ok := below(root, l)
	if !ok {
		return nil, at(where(text), fault.Newf(fault.Path, "the URL must be below the root %s", root))
	}
	p, err := s.open(ctx, root)
	if err != nil {
		return nil, err
	}
	p.path, p.where = path, where(text)
	if nearest.Path != l.Path {
		exists, _ := below(root, nearest)
		missing, _ := below(nearest, l)
		missing, _, _ = strings.Cut(missing, "/")
		p.missing = joined(exists, missing)
	}
	return p, nil
}

// where returns a URL in the form for messages, without parameters.
func where(text string) string {
	l, _ := openurl.Parse(text)
	return l.String()
}

// parseRoot parses --root. A root without query parameters gets those of the node.
func (s *session) parseRoot(text string, node openurl.Location) (openurl.Location, error) {
	root, err := s.parseURL(text)
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

// below returns the path of node in the store whose root is root. It returns false if the node is
// not below the root.
func below(root, node openurl.Location) (string, bool) {
	if node.Scheme == "file" {
		rel, err := filepath.Rel(root.Path, node.Path)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return "", false
		}
		if rel == "." {
			return "", true
		}
		return filepath.ToSlash(rel), true
	}
	if root.Path == "" || node.Path == root.Path {
		return strings.TrimPrefix(node.Path, root.Path), true
	}
	return strings.CutPrefix(node.Path, root.Path+"/")
}

// findRoot returns the paths of the outermost and of the nearest group above a new node, or those
// of the node. It searches upward from the node for the nearest group, and continues as long as it
// finds groups. Missing groups between the node and the nearest group will be created.
func (s *session) findRoot(ctx context.Context, node openurl.Location) (root, nearest string, _ error) {
	s.above = nil
	var look func(path string) (found, error)
	switch node.Scheme {
	case "mem":
		return "", node.Path, nil // the whole store is the node's hierarchy
	case "file":
		look = func(path string) (found, error) {
			if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
				return nothing, nil
			}
			st, err := s.stores.OpenLocation(ctx, node.At(path)) // counted
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
		top, err := s.stores.OpenLocation(ctx, node.At(""))
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
			if s.above == nil {
				s.above = fmt.Errorf("%s: %w", up, fault.Refused)
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
func (s *session) look(ctx context.Context, st store.Store, path string) (found, error) {
	expect := cmp.Or(s.format, 3) // most groups above a node do not exist
	n, err := zarr.Open(node.Expecting(ctx, expect), st, path, s.options()...)
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
	s.opened(n)
	return group, nil
}
