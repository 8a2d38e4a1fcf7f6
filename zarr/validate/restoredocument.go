package validate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// ofDocument reports whether a finding is that a node has no documents, or none that can be parsed.
// What another reader may understand is left.
func ofDocument(f rule.Finding) bool {
	switch f.Rule {
	case rule.NotThere, rule.NoNode:
		return true
	case rule.Metadata:
		last := f.Key[strings.LastIndexByte(f.Key, '/')+1:]
		return slices.Contains([]string{docV3, docArray, docGroup, docAttrs}, last) && !ofCopy(f)
	}
	return false
}

// restoreDocuments puts documents of the copy at a node that has none, or of which one cannot be
// parsed.
func (p *repair) restoreDocuments(is *issue) (string, error) {
	ctx, far := p.ctx, p.other(is.path)
	mine, theirs := lookedAt(p.st), lookedAt(p.opts.From.Store)
	names, err := p.copied(ctx, theirs, far)
	if err != nil {
		return "", err
	}
	now := map[string]thing{}
	for _, n := range []string{docV3, docArray, docGroup, docAttrs} {
		if now[n], err = lookDocument(ctx, mine, join(is.path, n)); err != nil {
			return "", err
		}
	}
	put, err := p.wanted(ctx, is.path, now, names)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, n := range []string{docAttrs, docArray, docGroup, docV3} { // what makes the node is last
		if !slices.Contains(put, n) {
			continue
		}
		with := names[n]
		texts = append(texts, fmt.Sprintf("%d bytes of %q", with.size, with.key))
		if p.opts.DryRun {
			_, err = now[n].condition()
		} else {
			err = p.replace(ctx, now[n], theirs.Store, with)
		}
		if err != nil {
			return "", err
		}
	}
	if p.opts.DryRun {
		is.unseen = unseen(names)
	}
	return fmt.Sprintf("restore: %s in %s", strings.Join(texts, ", "), theirs), nil
}

// unseen says what a dry run does not look at where a node has no documents that can be read, for
// the documents that it would have.
func unseen(names map[string]thing) string {
	if _, array := names[docArray]; array || kindIn(names[docV3].bytes) == "array" {
		return "its chunks are not looked at before it is restored"
	}
	return "what is below it is not looked at before it is restored"
}

// lookDocument reads a whole document.
func lookDocument(ctx context.Context, l *looked, key string) (thing, error) {
	v, err := l.Store.Get(ctx, key, store.GetOptions{Max: maxDocument}, []byte{})
	switch {
	case errors.Is(err, fault.NotFound):
		return thing{key: key}, nil
	case err != nil:
		return thing{}, err
	}
	return thing{key, true, v.Size, v.Bytes, v.Version}, nil
}

// copied are the documents that the copy has of a node, once they were parsed.
func (p *repair) copied(ctx context.Context, l *looked, path string) (map[string]thing, error) {
	docs := map[string]thing{}
	v3, err := lookDocument(ctx, l, join(path, docV3))
	names := []string{docV3}
	if err == nil && !v3.there {
		names = []string{docArray, docGroup, docAttrs}
	}
	for _, n := range names {
		var t thing
		if t, err = lookDocument(ctx, l, join(path, n)); err != nil {
			return nil, fmt.Errorf("the copy: %w", err)
		}
		if t.there {
			docs[n] = t
		}
	}
	switch err := parsed(ctx, path, docs, p.opts.From.Open); {
	case errors.Is(err, fault.NotFound):
		return nil, errLeft("the copy has no such node either")
	case err != nil:
		return nil, fmt.Errorf("the copy: %w", err)
	}
	for _, t := range docs {
		switch c, err := document.ClaimIn(document.Stored{Key: t.key, Bytes: t.bytes}); {
		case err != nil:
			return nil, fmt.Errorf("the copy: %w", err)
		case c.Under():
			return nil, errLeft("a change of the shape is under way in the copy")
		}
	}
	return docs, nil
}

// sameKind reports whether two documents of v3 are of nodes of one kind, as far as that can be
// seen.
func sameKind(a, b []byte) bool {
	x, y := kindIn(a), kindIn(b)
	return x == "" || x == y
}

// parsed opens a node of the documents by name alone.
func parsed(ctx context.Context, path string, docs map[string]thing, opts []zarr.Option) error {
	st := mem.New()
	for n, t := range docs {
		if !t.there {
			continue
		}
		if _, err := st.Put(ctx, join(path, n), t.bytes, store.PutOptions{}); err != nil {
			return err
		}
	}
	_, err := zarr.Open(ctx, st, path, slices.Concat(opts, []zarr.Option{zarr.IgnoreConsolidated(), zarr.Findings(func(rule.Finding) {})})...)
	return err
}

// wanted names the documents that make a node of what is there, taken from the copy: those of which
// parsing complains, one after another.
func (p *repair) wanted(ctx context.Context, path string, now, names map[string]thing) (put []string, err error) {
	with := maps.Clone(now)
	for range names {
		err := parsed(ctx, path, with, p.opts.Open)
		var bad *fault.MetaError
		switch {
		case err == nil:
			return put, nilIsLeft(put)
		case errors.Is(err, fault.NotFound):
			for n, t := range names {
				if with[n].there && !with[n].same(t) {
					return nil, errLeft(fmt.Sprintf("there is another %q", join(path, n)))
				}
				if !with[n].there {
					put, with[n] = append(put, n), t
				}
			}
		case errors.As(err, &bad) && errors.Is(err, fault.Metadata):
			n := name(path, bad.Key)
			t, ok := names[n]
			switch {
			case !ok:
				return nil, errLeft(fmt.Sprintf("the copy has no %q: the node there is of another format or kind, or has none", n))
			case slices.Contains(put, n) || with[n].same(t):
				return nil, fmt.Errorf("with the document of the copy: %w", err)
			case n == docV3 && !sameKind(with[n].bytes, t.bytes):
				return nil, errLeft("the copy has a node of another kind")
			}
			put, with[n] = append(put, n), t
		default:
			return nil, err
		}
	}
	if err := parsed(ctx, path, with, p.opts.Open); err != nil {
		return nil, err
	}
	return put, nilIsLeft(put)
}

func nilIsLeft(put []string) error {
	if len(put) == 0 {
		return errLeft("it can be read by now")
	}
	return nil
}
