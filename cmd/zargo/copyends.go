package main

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// copyArgs name the ends of a copy, and what it has otherwise.
type copyArgs struct {
	From string `arg:"" name:"source" help:"The array, or the group with all that is below it."`
	To   string `arg:"" name:"target" help:"Where the copy is made. No node may be there."`
	copyFlags
}

// open opens the ends, and completes the options of the plan. The ends are to be closed by close.
func (c *copyArgs) open(ctx context.Context, s *session, o transfer.Options) (*ends, transfer.Options, error) {
	e, err := s.openEnds(ctx, c.From, c.To, c.Root, c.separatorFlag.options()...)
	if err != nil {
		return nil, o, err
	}
	if o, err = e.options(o); err != nil {
		return nil, o, errors.Join(e.target.fail(trimmed(err)), e.close())
	}
	return e, o, nil
}

// ends are where a copy comes from and goes to.
type ends struct {
	source, target *place // one place where both are in one bucket
	node           zarr.Node
	from, to       openurl.Location // the roots of the stores
	toPath         string           // of the copy
	groups         string           // the path above which no groups are created
}

// openEnds opens the source, and the store of a copy that is not there yet. Both places are to be
// closed by close.
//
// A target with the name of an archive is refused: a copy there would be a folder that has this
// name.
func (s *session) openEnds(ctx context.Context, from, to, root string, more ...zarr.Option) (*ends, error) {
	if strings.HasSuffix(strings.ToLower(strings.TrimRight(to, "/")), ".zip") {
		return nil, usagef("%s: the copy would be a folder of that name; zargo copy writes a zip archive to %q", render.OneLine(to), render.OneLine(strings.TrimRight(to, "/")+"|zip:"))
	}
	src, n, err := s.openNode(ctx, from, more...)
	if err != nil {
		return nil, err
	}
	dst, err := s.locateNew(ctx, to, root)
	if err != nil {
		src.release()
		return nil, err
	}
	e := &ends{source: src, target: dst, node: n, from: src.root, to: dst.root, toPath: dst.path}
	if !sameBucket(e.from, e.to) {
		return e, nil
	}
	// One store of both, so that the provider copies what stays as it is.
	top := e.to.At("")
	p, err := s.open(ctx, top)
	if err != nil {
		return nil, errors.Join(err, e.close())
	}
	n, err = zarr.Open(ctx, p.Store, join(e.from.Path, src.path), s.options(more...)...)
	if errors.Is(err, fault.Refused) || errors.Is(err, fault.NotFound) { // allowed below the prefix alone, or in a copy of the metadata alone
		p.release()
		return e, nil
	}
	if err = errors.Join(err, e.close()); err != nil {
		p.release()
		return nil, err
	}
	p.where = dst.where
	return &ends{source: p, target: p, node: n, from: top, to: top, toPath: join(e.to.Path, e.toPath), groups: e.to.Path}, nil
}

// sameBucket reports whether two places are in one bucket that is opened in the same way.
func sameBucket(a, b openurl.Location) bool {
	switch a.Scheme {
	case "s3", "gs", "azblob", "mem":
		return a.Scheme == b.Scheme && a.Host == b.Host && a.Query == b.Query && len(a.Inside)+len(b.Inside) == 0
	}
	return false
}

func join(dir, name string) string { return path.Join(dir, name) }

func (e *ends) close() error {
	if e.source == e.target {
		return e.source.Close()
	}
	return errors.Join(e.source.Close(), e.target.Close())
}

// options are those of the plan that the ends say.
func (e *ends) options(o transfer.Options) (transfer.Options, error) {
	src, err := storeURL(e.from)
	if err != nil {
		return o, err
	}
	dst, err := storeURL(e.to)
	o.Source, o.Target, o.Root = transfer.Place{Store: src}, transfer.Place{Store: dst, Path: e.toPath}, e.groups
	return o, err
}

// storeURL is what a plan calls a store: its URL, absolute and without what may be a secret.
// Providers of buckets take none in parameters; of a web server any may be one.
func storeURL(l openurl.Location) (string, error) {
	switch l.Scheme {
	case "file":
		var err error
		if l.Path, err = filepath.Abs(l.Path); err != nil {
			return "", err
		}
	case "http", "https":
		l.Query = ""
	}
	return l.URL(), nil
}

// opener opens the stores of a plan: those of this command as it names them, and others by their
// names, which are URLs.
func (s *session) opener(known map[string]openurl.Location) transfer.Opener {
	return func(ctx context.Context, name string) (store.Store, error) {
		l, ok := known[name]
		if !ok {
			var err error
			if l, err = s.parseURL(name); err != nil {
				return nil, err
			}
		}
		p, err := s.open(ctx, l)
		if err != nil {
			return nil, err
		}
		return p.Store, nil
	}
}
