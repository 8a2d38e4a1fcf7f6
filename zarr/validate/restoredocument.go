package validate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// ofDocument reports whether a finding is about a node without documents or a document that cannot
// be parsed. It returns false for documents that other readers may understand.
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

// restoreDocuments restores those documents of a node from the copy that are missing or cannot be
// parsed.
func (p *repair) restoreDocuments(is *issue) (string, error) {
	ctx, far := p.ctx, p.other(is.path)
	mine, theirs := newPinned(p.st), newPinned(p.opts.From.Store)
	names, err := p.copied(ctx, theirs, far)
	if err != nil {
		return "", err
	}
	now := map[string]snapshot{}
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
	for _, n := range []string{docAttrs, docArray, docGroup, docV3} { // the document that creates the node is last
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

// unseen returns a note for a dry run about what cannot be checked before the documents of a node
// are restored: its chunks or the nodes below it.
func unseen(names map[string]snapshot) string {
	if _, array := names[docArray]; array || kindIn(names[docV3].bytes) == "array" {
		return "its chunks cannot be checked before it is restored"
	}
	return "the nodes below it cannot be checked before it is restored"
}

// lookDocument reads a document.
func lookDocument(ctx context.Context, l *pinned, key string) (snapshot, error) {
	v, err := l.Store.Get(ctx, key, store.GetOptions{Max: maxDocument}, []byte{})
	switch {
	case errors.Is(err, fault.NotFound):
		return snapshot{key: key}, nil
	case err != nil:
		return snapshot{}, err
	}
	return snapshot{key, true, v.Size, v.Bytes, v.Version}, nil
}

// copied returns the documents that a node has in the copy, by name. It returns an error if they
// cannot be parsed.
func (p *repair) copied(ctx context.Context, l *pinned, path string) (map[string]snapshot, error) {
	docs := map[string]snapshot{}
	v3, err := lookDocument(ctx, l, join(path, docV3))
	names := []string{docV3}
	if err == nil && !v3.there {
		names = []string{docArray, docGroup, docAttrs}
	}
	for _, n := range names {
		var t snapshot
		if t, err = lookDocument(ctx, l, join(path, n)); err != nil {
			return nil, fmt.Errorf("reading the copy: %w", err)
		}
		if t.there {
			docs[n] = t
		}
	}
	switch err := parsed(ctx, path, docs, p.opts.From.Open); {
	case errors.Is(err, fault.NotFound):
		return nil, errLeft("the copy does not have the node either")
	case err != nil:
		return nil, fmt.Errorf("reading the copy: %w", err)
	}
	for _, t := range docs {
		switch c, err := node.ClaimIn(node.Stored{Key: t.key, Bytes: t.bytes}); {
		case err != nil:
			return nil, fmt.Errorf("reading the copy: %w", err)
		case c.Under():
			return nil, errLeft("a change of the shape is in progress in the copy")
		}
	}
	return docs, nil
}

// sameKind reports whether two zarr.json documents declare the same node type. If the type in a is
// unreadable, it returns true.
func sameKind(a, b []byte) bool {
	x, y := kindIn(a), kindIn(b)
	return x == "" || x == y
}

// parsed checks that a node with the given documents, by name, can be opened. It accesses no store.
func parsed(ctx context.Context, path string, docs map[string]snapshot, opts []zarr.Option) error {
	st := mem.New()
	for n, t := range docs {
		if !t.there {
			continue
		}
		if _, err := st.Put(ctx, join(path, n), t.bytes, store.PutOptions{}); err != nil {
			return err
		}
	}
	_, err := zarr.Open(ctx, st, path, slices.Concat(opts, []zarr.Option{zarr.IgnoreConsolidated(), zarr.OnFinding(func(rule.Finding) {})})...)
	return err
}

// wanted returns the names of the documents that must be restored so that the node can be opened.
// It finds them by replacing one document after another that cannot be parsed.
func (p *repair) wanted(ctx context.Context, path string, now, names map[string]snapshot) (put []string, err error) {
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
					return nil, errLeft(fmt.Sprintf("%q exists and differs from that of the copy", join(path, n)))
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
				return nil, errLeft(fmt.Sprintf("the copy has no %q: its node has another format or kind, or lacks the document", n))
			case slices.Contains(put, n) || with[n].same(t):
				return nil, fmt.Errorf("reading with the copy's document: %w", err)
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
		return errLeft("the node can be read now")
	}
	return nil
}
