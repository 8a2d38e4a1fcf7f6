package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// place is a node's place: an open store, and the path in it.
type place struct {
	store.Store
	path  string
	root  openurl.Location // of the store
	where string           // the node's URL for messages
}

// release gives back what the store holds. Nothing is written by then that closing could lose.
func (p *place) release() { _ = p.Close() }

// locate opens the store whose root is the node itself, which is all that reading takes.
func (s *session) locate(ctx context.Context, text string) (*place, error) {
	l, err := s.parseURL(text)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, nodeOf(l))
}

// open opens the store whose root is the place.
func (s *session) open(ctx context.Context, l openurl.Location) (*place, error) {
	st, err := s.stores.OpenLocation(ctx, l)
	if err != nil {
		return nil, failedAt(l, "", err)
	}
	return &place{s.far.watched(st), "", l, l.String()}, nil
}

// parseURL reads a URL that this program can open; its errors say which URL.
func (s *session) parseURL(text string) (openurl.Location, error) {
	l, err := s.stores.Parse(text)
	return l, at(l.String(), err)
}

// nodeOf is the node whose document a URL names: what is copied from a listing or a browser is
// often a document's URL.
func nodeOf(l openurl.Location) openurl.Location {
	if n := len(l.Inside); n > 0 {
		l.Inside = slices.Clone(l.Inside)
		l.Inside[n-1] = withoutDocument(l.Inside[n-1], "/:")
		return l
	}
	if up, ok := l.Parent(); ok && withoutDocument(l.Path, "/"+string(filepath.Separator)) != l.Path {
		return up
	}
	return l
}

// withoutDocument cuts a document's name off a path whose segments end at any of some characters.
func withoutDocument(path, ends string) string {
	i := strings.LastIndexAny(path, ends) + 1
	switch path[i:] {
	case "zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata":
		return path[:i]
	}
	return path
}

// fail says which URL an error is about.
func (p *place) fail(err error) error {
	if err == nil {
		return nil
	}
	prefix := fmt.Sprintf("zarr: %q in %s: ", p.path, store.Name(p.Store))
	text := strings.TrimPrefix(err.Error(), prefix)
	if first, others, ok := strings.Cut(text, "\nget "); ok {
		text = fmt.Sprintf("%s (and so for %d more)", first, strings.Count(others, "\nget ")+1)
	}
	err = &reworded{text, err}
	var key *fault.KeyError
	if errors.Is(err, fault.NotFound) && !errors.As(err, &key) && strings.HasSuffix(err.Error(), " here") {
		err = fmt.Errorf("%w (looked for zarr.json, .zarray and .zgroup)%s", err, zipHint(p.where))
	}
	return failedAt(p.root, p.where, err)
}

// failedAt names the place once: what layers below say of it, the URL of the store or of the node,
// is left out. where is the node's URL, else that of root, the store.
func failedAt(root openurl.Location, where string, err error) error {
	text := err.Error()
	name := storeName(err)
	for _, n := range []string{name, root.String()} {
		if n != "" {
			text = strings.TrimPrefix(text, fmt.Sprintf("open %q in %s: ", "", n))
			text = strings.ReplaceAll(text, " in "+n+":", ":")
			text = strings.TrimSuffix(text, " in "+n)
		}
	}
	if where == "" {
		where = root.String()
	}
	if strings.HasPrefix(name, where+"?") {
		where = name // with the endpoint, which may be what is wrong
	}
	if n, ok := root.Native(); ok && root.Query == "" && !errors.Is(err, context.Canceled) {
		text += fmt.Sprintf("; as a bucket, with credentials and listings, this is %s", n.URL())
	}
	return at(where, &reworded{text, err})
}

// storeName is how the store calls itself that an error is about.
func storeName(err error) string {
	var key *fault.KeyError
	if errors.As(err, &key) {
		return key.Store
	}
	return ""
}

// zipHint says how an archive is opened, where there may be one.
func zipHint(where string) string {
	if !strings.HasSuffix(strings.ToLower(where), ".zip") {
		return ""
	}
	return fmt.Sprintf("; a zip archive is opened as %q", where+"|zip:")
}

// reworded is an error with another text.
type reworded struct {
	text string
	err  error
}

func (r *reworded) Error() string { return r.text }
func (r *reworded) Unwrap() error { return r.err }
