package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/internal/urlpath"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/http"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

// place is a node's place: an open store, and the path in it.
type place struct {
	store.Store
	path  string
	where string // the URL for messages
}

// release gives back what the store holds. Nothing is written by then that closing could lose.
func (p *place) release() { _ = p.Close() }

// locate opens the store whose root is the node itself, which is all that reading takes.
func (s *session) locate(ctx context.Context, text string) (*place, error) {
	l, err := parseURL(text)
	if err != nil {
		return nil, err
	}
	if len(l.Inside) > 0 {
		return s.locateInside(ctx, l)
	}
	if l.Scheme == "mem" {
		return &place{s.mem.of(l.Host), l.Path, l.String()}, nil
	}
	st, err := s.openStore(ctx, l)
	if err != nil {
		return nil, at(l.String(), err)
	}
	return &place{st, "", l.String()}, nil
}

// parseURL reads a URL that this program can open; its errors say which URL.
func parseURL(text string) (urlpath.Location, error) {
	l, err := urlpath.Parse(text)
	switch {
	case err != nil:
	case len(l.Inside) > 1 || len(l.Inside) == 1 && !strings.HasPrefix(l.Inside[0], "zip:"):
		scheme, _, _ := strings.Cut(l.Inside[len(l.Inside)-1], ":")
		err = fault.Newf(errors.ErrUnsupported, "%q: what can be opened inside a file is one zip archive", "|"+scheme+":")
	case !slices.Contains(schemes(), l.Scheme):
		err = fault.Newf(errors.ErrUnsupported, "scheme %q; there are paths, %s", l.Scheme, strings.Join(schemes(), ", "))
	}
	return l, at(l.String(), err)
}

// schemes are those that this program can open.
func schemes() []string { return []string{"file", "mem", "s3", "gs", "azblob", "http", "https"} }

// locateInside opens a zip archive and makes a folder in it the root.
func (s *session) locateInside(ctx context.Context, l urlpath.Location) (*place, error) {
	where, inner := l.String(), strings.Trim(strings.TrimPrefix(l.Inside[0], "zip:"), "/")
	l.Inside = nil
	var outer store.Store
	key := l.Path
	if l.Scheme == "mem" {
		outer = s.mem.of(l.Host)
	} else {
		folder, _ := parentOf(l)
		key = l.Path[strings.LastIndexAny(l.Path, `/`+string(filepath.Separator))+1:]
		var err error
		if outer, err = s.openStore(ctx, l.At(folder)); err != nil {
			return nil, at(where, err)
		}
	}
	archive, err := zip.Open(ctx, outer, key, zip.Inner(inner))
	if err != nil {
		_ = outer.Close() // it was only read
		return nil, at(where, err)
	}
	return &place{&owned{archive, outer}, "", where}, nil
}

// owned is a store that closes the one it lies in.
type owned struct {
	store.Store
	outer store.Store
}

// Close closes both.
func (o *owned) Close() error { return errors.Join(o.Store.Close(), o.outer.Close()) }

// String is the archive's URL.
func (o *owned) String() string { return store.Name(o.Store) }

// Unwrap gives the archive.
func (o *owned) Unwrap() store.Store { return o.Store }

// openStore opens the store whose root is l. Every mem:// URL with one name is one store.
func (s *session) openStore(ctx context.Context, l urlpath.Location) (store.Store, error) {
	switch l.Scheme {
	case "file":
		return dir.New(l.Path), nil
	case "s3":
		var opts []s3.Option
		if s.flags.Inflight > 0 {
			opts = append(opts, s3.MaxInFlight(s.flags.Inflight))
		}
		return s3.Open(ctx, l.URL(), opts...)
	case "gs":
		var opts []gcs.Option
		if s.flags.Inflight > 0 {
			opts = append(opts, gcs.MaxInFlight(s.flags.Inflight))
		}
		return gcs.Open(ctx, l.URL(), opts...)
	case "azblob":
		var opts []azure.Option
		if s.flags.Inflight > 0 {
			opts = append(opts, azure.MaxInFlight(s.flags.Inflight))
		}
		return azure.Open(ctx, l.URL(), opts...)
	case "http", "https":
		var opts []http.Option
		if s.flags.Inflight > 0 {
			opts = append(opts, http.MaxInFlight(s.flags.Inflight))
		}
		return http.Open(ctx, l.URL(), opts...)
	}
	return nil, fmt.Errorf("%w: scheme %q", errors.ErrUnsupported, l.Scheme)
}

// fail says which URL an error is about. What package zarr says first, the node and the store, is left out where it is
// the URL again.
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
	return at(p.where, err)
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

// openNode opens an array or a group. The place is to be closed.
func (s *session) openNode(ctx context.Context, url string, more ...zarr.Option) (*place, zarr.Node, error) {
	p, err := s.locate(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	n, err := zarr.Open(ctx, p.Store, p.path, s.options(more...)...)
	if err != nil {
		p.release()
		return nil, nil, p.fail(err)
	}
	return p, n, nil
}

// openArray opens an array. The place is to be closed.
func (s *session) openArray(ctx context.Context, url string, more ...zarr.Option) (*place, *zarr.Array, error) {
	p, err := s.locate(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	a, err := zarr.OpenArray(ctx, p.Store, p.path, s.options(more...)...)
	if err != nil {
		p.release()
		return nil, nil, p.fail(err)
	}
	return p, a, nil
}
