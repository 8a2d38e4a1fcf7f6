package copying

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// ends holds the source and the target of a copy.
type ends struct {
	source, target *session.Place   // the same place if both are in one bucket
	node           zarr.Node        // nil if its metadata is not supported
	fromPath       string           // path of the node
	from, to       openurl.Location // the roots of the stores
	toPath         string           // path of the copy
	groups         string           // no groups are created above this path
}

// copyArgs holds the source, the target and the flags of a copy.
type copyArgs struct {
	From string `arg:"" name:"source" help:"The array, or the group with all nodes below it."`
	To   string `arg:"" name:"target" help:"The location of the copy. It must not contain a node."`
	copyFlags
}

// open opens the source and the target, and completes the options of the plan. The caller closes
// the ends.
func (c *copyArgs) open(ctx context.Context, s *session.Session, o transfer.Options, flags *applied) (*ends, transfer.Options, error) {
	o.Zarr = []zarr.Option{zarr.Extensions(s.Codecs, argument.KnownTypes())}
	e, err := openEnds(ctx, s, c.From, c.To, c.Root, c.Options()...)
	if err != nil {
		return nil, o, err
	}
	if o, err = e.options(o); err != nil {
		return nil, o, errors.Join(e.target.Fail(trimmed(err)), e.close())
	}
	flags.from(ctx, s, e.source, e.fromPath, &o)
	return e, o, nil
}

// openEnds opens the source, and the store of a target that does not exist yet. The caller closes
// the ends.
//
// openEnds rejects a target with the name of a zip archive, because the copy would be a directory
// with that name.
func openEnds(ctx context.Context, s *session.Session, from, to, root string, more ...zarr.Option) (*ends, error) {
	if strings.HasSuffix(strings.ToLower(strings.TrimRight(to, "/")), ".zip") {
		return nil, exit.Usagef("%s would become a directory with that name; to write a zip archive, copy to %q", render.OneLine(to), render.OneLine(strings.TrimRight(to, "/")+"|zip:"))
	}
	dst, err := s.LocateNew(ctx, to, root)
	if err != nil {
		return nil, err
	}
	if e, err := openBoth(ctx, s, from, dst, more...); e != nil || err != nil {
		return e, err
	}
	src, n, _, err := s.OpenAny(ctx, from, more...)
	if err != nil {
		dst.Release()
		return nil, err
	}
	return &ends{source: src, target: dst, node: n, fromPath: src.Path, from: src.Root, to: dst.Root, toPath: dst.Path, groups: dst.Missing}, nil
}

// openBoth uses one store for the source and the target if both are in one bucket, so that the
// provider can copy unchanged objects. It then closes dst. It returns nil if they are not in one
// bucket, or if the node cannot be opened there: access may be limited to the prefix, or the node
// exists only in consolidated metadata.
func openBoth(ctx context.Context, s *session.Session, from string, dst *session.Place, more ...zarr.Option) (*ends, error) {
	l, err := s.ParseURL(from)
	if l = session.NodeOf(l); err != nil || !sameBucket(l, dst.Root) {
		return nil, nil // OpenAny returns the error
	}
	top := dst.Root.At("")
	p, err := s.Open(ctx, top)
	if err != nil {
		return nil, errors.Join(err, dst.Close())
	}
	n, err := zarr.Open(s.Expecting(ctx), p.Store, l.Path, s.Options(more...)...)
	if err == nil {
		s.Opened(n)
		n, err = n.Stored(ctx)
	}
	switch {
	case errors.Is(err, errors.ErrUnsupported) && errors.As(err, new(*fault.MetaError)):
		n = nil
	case err != nil:
		p.Release()
		return nil, nil // OpenAny returns the error
	}
	if err := dst.Close(); err != nil {
		p.Release()
		return nil, err
	}
	p.Where = dst.Where
	return &ends{source: p, target: p, node: n, fromPath: l.Path, from: top, to: top, toPath: path.Join(dst.Root.Path, dst.Path), groups: path.Join(dst.Root.Path, dst.Missing)}, nil
}

// sameBucket reports whether two locations are in the same bucket, opened with the same parameters.
func sameBucket(a, b openurl.Location) bool {
	switch a.Scheme {
	case "s3", "gs", "azblob", "mem":
		return a.Scheme == b.Scheme && a.Host == b.Host && a.Query == b.Query && len(a.Inside)+len(b.Inside) == 0
	}
	return false
}

func (e *ends) close() error {
	if e.source == e.target {
		return e.source.Close()
	}
	return errors.Join(e.source.Close(), e.target.Close())
}

// options completes the plan's options with the source and the target.
func (e *ends) options(o transfer.Options) (transfer.Options, error) {
	src, err := storeURL(e.from)
	if err != nil {
		return o, err
	}
	dst, err := storeURL(e.to)
	o.Source, o.Target, o.Root = transfer.Place{Store: src}, transfer.Place{Store: dst, Path: e.toPath}, e.groups
	return o, err
}

// storeURL returns the name of a store in a plan. The name is the store's absolute URL without
// parameters that may be secret. The parameters of bucket URLs are not secret. Any parameter of a
// web server's URL may be secret.
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

// opener returns a function that opens the stores of a plan. It opens a name in known at its
// location there, and parses any other name as a URL.
func opener(s *session.Session, known map[string]openurl.Location) transfer.Opener {
	return func(ctx context.Context, name string) (store.Store, error) {
		l, ok := known[name]
		if !ok {
			var err error
			if l, err = s.ParseURL(name); err != nil {
				return nil, err
			}
		}
		p, err := s.Open(ctx, l)
		if err != nil {
			return nil, err
		}
		return p.Store, nil
	}
}
