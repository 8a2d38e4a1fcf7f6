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

// place is an open store and the path of a node in it.
type place struct {
	store.Store
	path  string
	root  openurl.Location // of the store
	where string           // the node's URL for messages

	// missing is the path of the outermost group that does not exist above a new node, or that of
	// the node. "" means that the groups above were not read.
	missing string
}

// release closes the store. It ignores the error, because all writes are complete by then.
func (p *place) release() { _ = p.Close() }

// locate opens the store whose root is the node itself, which suffices for reading.
func (s *session) locate(ctx context.Context, text string) (*place, error) {
	l, err := s.parseURL(text)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, nodeOf(l))
}

// open opens the store at a location.
func (s *session) open(ctx context.Context, l openurl.Location) (*place, error) {
	st, err := s.stores.OpenLocation(ctx, l)
	if err != nil {
		return nil, failedAt(l, "", err)
	}
	return &place{Store: s.far.watched(st), root: l, where: l.String()}, nil
}

// parseURL parses a URL and checks that this program can open it. Its errors contain the URL.
func (s *session) parseURL(text string) (openurl.Location, error) {
	l, err := s.stores.Parse(text)
	return l, at(l.String(), err)
}

// nodeOf returns the location of the node that a metadata document belongs to. It returns other
// locations unchanged. URLs that users copy from a listing or a browser often name a document.
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

// withoutDocument removes the name of a metadata document from the end of a path. ends contains the
// characters that separate segments.
func withoutDocument(path, ends string) string {
	i := strings.LastIndexAny(path, ends) + 1
	switch path[i:] {
	case "zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata":
		return path[:i]
	}
	return path
}

// fail adds the node's URL to an error.
func (p *place) fail(err error) error {
	if err == nil {
		return nil
	}
	prefix := fmt.Sprintf("zarr: %q in %s: ", p.path, store.Name(p.Store))
	text := strings.TrimPrefix(err.Error(), prefix)
	if first, others, ok := strings.Cut(text, "\nget "); ok {
		text = fmt.Sprintf("%s (and %d more such errors)", first, strings.Count(others, "\nget ")+1)
	}
	err = reword(text, err)
	var key *fault.KeyError
	if errors.Is(err, fault.NotFound) && !errors.As(err, &key) && strings.HasSuffix(err.Error(), " here") {
		err = fmt.Errorf("%w (no zarr.json, .zarray or .zgroup)%s", err, zipHint(p.where))
	}
	return failedAt(p.root, p.where, err)
}

// failedAt adds the location to an error. It first removes the location from the error's text, so
// that the location appears once. where is the node's URL. If where is empty, failedAt uses root,
// the URL of the store.
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
		where = name // contains the endpoint, which may be wrong
	}
	if n, ok := root.Native(); ok && root.Query == "" && !errors.Is(err, context.Canceled) {
		text += fmt.Sprintf("; to use credentials and listings, open it as %s", n.URL())
	}
	return at(where, reword(text, err))
}

// storeName returns the name of the store that an error concerns, or "" if the error has none.
func storeName(err error) string {
	var key *fault.KeyError
	if errors.As(err, &key) {
		return key.Store
	}
	return ""
}

// zipHint returns a hint on how to open a zip archive if where looks like one, and "" otherwise.
func zipHint(where string) string {
	if !strings.HasSuffix(strings.ToLower(where), ".zip") {
		return ""
	}
	return fmt.Sprintf("; to open a zip archive, use %q", where+"|zip:")
}
