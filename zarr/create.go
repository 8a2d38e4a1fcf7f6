package zarr

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Create creates an array at path, and the groups above it that are missing, up to the store's root. ErrExists when a
// node is there; nothing is ever overwritten. ErrExists too when something is there that would be read as a chunk of the
// new array, such as what an array left behind whose metadata alone was deleted; [Replace] deletes that. One listing tells,
// of its first 1000 entries; where the store cannot list, or refuses to, nobody does.
//
// Consolidated metadata above, if any, does not have the new array until [UpdateAbove] or [Consolidate].
func Create(ctx context.Context, st store.Store, path string, spec Spec, opts ...Option) (*Array, error) {
	n, err := newNode(st, path, opts)
	if err != nil {
		return nil, err
	}
	return create(ctx, n, spec, n.free)
}

// OpenOrCreate opens the array at path, or creates it when there is none. ErrConflict when what is there differs from
// the spec in anything but attributes.
func OpenOrCreate(ctx context.Context, st store.Store, path string, spec Spec, opts ...Option) (*Array, error) {
	a, err := Create(ctx, st, path, spec, opts...)
	if !errors.Is(err, fault.Exists) {
		return a, err
	}
	exists := err
	a, err = OpenArray(ctx, st, path, opts...)
	if errors.Is(err, fault.NotFound) {
		err = exists // what is there is something else
	}
	if err != nil {
		return nil, err
	}
	want, err := spec.model(a.cfg)
	if err != nil {
		return nil, a.errf(err)
	}
	if diff := difference(a.meta, want); diff != "" {
		return nil, a.errf(fault.Newf(fault.Conflict, "the array there has another %s", diff))
	}
	return a, nil
}

// newDoc is a document to be created.
type newDoc struct {
	name    string
	bytes   []byte // nil: not stored
	version store.Version
}

// newDocs are the documents of a new node; the first makes it a node.
type newDocs []newDoc

// documents gives them as if they had been read.
func (d newDocs) documents() map[string]document {
	m := map[string]document{}
	for _, doc := range d {
		if doc.bytes != nil {
			m[doc.name] = document{value: store.Value{Bytes: doc.bytes, Size: int64(len(doc.bytes)), Version: doc.version}}
		}
	}
	return m
}

// create creates an array at a place that free, unless it is nil, finds to be free.
func create(ctx context.Context, n node, spec Spec, free func(context.Context, *meta.Array) error) (*Array, error) {
	m, err := spec.model(n.cfg)
	if err != nil {
		return nil, n.errf(err)
	}
	docs, err := arrayDocs(m)
	if err != nil {
		return nil, n.errf(err)
	}
	// Everything is checked, codecs included, before the first byte is stored.
	trial := n
	if _, err := trial.parse(docs.documents()); err != nil {
		return nil, n.errf(err)
	}
	err = n.create(ctx, m.Format, docs, func(ctx context.Context) error {
		if free == nil {
			return nil
		}
		return free(ctx, m)
	})
	if err != nil {
		return nil, n.errf(err)
	}
	a, err := n.parse(docs.documents())
	if err != nil {
		return nil, n.errf(err)
	}
	return a.(*Array), nil
}

// arrayDocs are the documents that make an array.
func arrayDocs(m *meta.Array) (newDocs, error) {
	if m.Format == 3 {
		doc, err := m.EncodeV3()
		return newDocs{{name: keyV3, bytes: doc}}, err
	}
	zarray, zattrs, err := m.EncodeV2()
	return newDocs{{name: keyArray, bytes: zarray}, {name: keyAttrs, bytes: zattrs}}, err
}

// create stores the documents of a new node, after the groups above it, where free finds nothing. The first document is put
// on condition that it is absent, so of two creators one wins; only the winner writes the others.
func (n *node) create(ctx context.Context, format int, docs newDocs, free func(context.Context) error) error {
	if err := checkNames(n.path, format); err != nil {
		return err
	}
	if err := n.createAncestors(ctx, format); err != nil {
		return err
	}
	// A node of the other format would be hidden by this one, or hide it.
	var others []string
	for _, name := range []string{keyV3, keyArray, keyGroup} {
		if name != docs[0].name {
			others = append(others, name)
		}
	}
	found := make([]error, len(others)+1) // of which the first counts, whichever is known first
	err := concurrency.EachN(ctx, len(found), len(found), func(ctx context.Context, i int) error {
		if i == len(others) {
			found[i] = free(ctx)
			if errors.Is(found[i], fault.Exists) {
				if _, there, _ := n.look(ctx, docs[0].name); there { // which says it better
					found[i] = fault.Newf(fault.Exists, "%q is there", join(n.path, docs[0].name))
				}
			}
			return nil
		}
		switch _, err := n.document(ctx, others[i]); {
		case err == nil:
			found[i] = fault.Newf(fault.Exists, "%q is there", join(n.path, others[i]))
		case !errors.Is(err, fault.NotFound) && !errors.Is(err, fault.Refused):
			found[i] = err
		}
		return nil
	})
	if err = cmp.Or(append(found, err)...); err != nil {
		return err
	}
	for i := range docs {
		d := &docs[i]
		if d.bytes == nil {
			continue
		}
		v, err := n.st.Put(ctx, join(n.path, d.name), d.bytes, store.PutOptions{IfAbsent: i == 0})
		n.cfg.report.put(len(d.bytes), err)
		if err != nil {
			return err
		}
		d.version = v
	}
	return nil
}

// createAncestors makes sure that every path above the node is a group. Groups that are there already stay as they are,
// of whatever format.
func (n *node) createAncestors(ctx context.Context, format int) error {
	var above []string
	for p, ok := parent(n.path); ok; p, ok = parent(p) {
		above = append(above, p)
	}
	return concurrency.EachN(ctx, len(above), len(above), func(ctx context.Context, i int) error {
		p := node{st: n.st, path: above[i], cfg: n.cfg}
		p.cfg.format = 0
		docs, err := p.fetch(ctx, wantAny)
		if err != nil && !errors.Is(err, fault.Refused) {
			return err
		}
		if _, isArray := docs[keyArray]; isArray {
			return fault.Newf(fault.Exists, "an array is above, at %q", p.path)
		}
		if d, ok := docs[keyV3]; ok {
			m, err := meta.Parser{Types: n.cfg.types}.V3(join(p.path, keyV3), d.value.Bytes)
			if err != nil {
				return err
			}
			if _, isArray := m.(*meta.Array); isArray {
				return fault.Newf(fault.Exists, "an array is above, at %q", p.path)
			}
			return nil
		}
		if _, isGroup := docs[keyGroup]; isGroup {
			return nil
		}
		if err := p.noV1(ctx); err != nil {
			return err
		}
		group, err := p.groupDocs(&meta.Group{Format: format})
		if err != nil {
			return err
		}
		_, err = p.st.Put(ctx, join(p.path, group[0].name), group[0].bytes, store.PutOptions{IfAbsent: true})
		p.cfg.report.put(len(group[0].bytes), err)
		if errors.Is(err, fault.Exists) {
			return nil // somebody else made it just now
		}
		return err
	})
}

// checkNames refuses names that the format does not allow for new nodes.
func checkNames(path string, format int) error {
	if path == "" {
		return nil
	}
	for name := range strings.SplitSeq(path, "/") {
		if err := meta.CheckName(name, format); err != nil {
			return err
		}
	}
	return nil
}
