package transfer

import (
	"context"
	"path"
	"strings"

	"github.com/zargo-io/zargo/internal/copying/unread"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// This file copies nodes that cannot be opened, for example because of an unknown codec: their
// documents and all objects below them, as they are stored.

// asStored plans the copy of the node that an error of opening a node or of a walk below g
// concerns. It returns the error if the node must be decoded, or if the error has another cause.
func (m *maker) asStored(ctx context.Context, st store.Store, format int, failed error) error {
	n, err := unread.Of(ctx, st, failed)
	if err != nil {
		return err
	}
	if m.o.Codecs != nil || m.o.Ranges != nil || m.o.Format != 0 && m.o.Format != n.Format || m.o.Format == 0 && format != n.Format {
		return failed
	}
	to := node.Join(m.o.Target.Path, strings.TrimPrefix(strings.TrimPrefix(n.Path, m.o.Source.Path), "/"))
	docs := map[string][]byte{}
	for name, text := range n.Docs {
		docs[name] = text
		m.p.Documents.Source[n.Key(name)] = string(text)
		m.p.Documents.Target[node.Join(to, name)] = string(text)
	}
	// Nodes below the node are published with it, so their documents belong to the plan.
	for e, err := range store.ListAll(ctx, st, n.Path, store.ListOptions{}) {
		if err != nil {
			return err
		}
		name := n.Name(e.Key)
		if !strings.Contains(name, "/") || !node.IsDocument(path.Base(name)) {
			continue
		}
		v, err := st.Get(ctx, e.Key, store.GetOptions{Max: maxDocument}, nil)
		if err != nil {
			return err
		}
		m.p.Documents.Source[e.Key], m.p.Documents.Target[node.Join(to, name)] = string(v.Bytes), string(v.Bytes)
	}
	m.unread[to] = docs
	m.add(0, &Step{Kind: Objects, From: &Array{In: Source, Path: n.Path}, To: &Array{In: Target, Path: to}})
	return nil
}

// single plans the copy of the only node of a plan, which cannot be opened.
func (m *maker) single(ctx context.Context, st store.Store, failed error) error {
	n, err := unread.Of(ctx, st, failed)
	if err != nil {
		return err
	}
	if n.Path != m.o.Source.Path || m.o.Grid != nil {
		return failed
	}
	if i := strings.LastIndexByte(m.o.Target.Path, '/'); m.o.Target.Path != "" {
		above := m.o.Target.Path[:max(i, 0)]
		if _, err := zarr.CreateGroup(node.Copying(ctx), m.new, above, zarr.Spec{Format: n.Format}, m.o.Zarr...); err != nil {
			return err
		}
	}
	return m.asStored(ctx, st, n.Format, failed)
}

// spliced adds the arrays of asStored to the consolidated metadata of the copy, which was made from
// the other nodes.
func (m *maker) spliced(ctx context.Context, format int) error {
	if len(m.unread) == 0 {
		return nil
	}
	name, splice := "zarr.json", meta.SpliceV3
	if format == 2 {
		name, splice = ".zmetadata", meta.SpliceV2
	}
	entries := map[string][]byte{}
	for at, docs := range m.unread {
		below := strings.TrimPrefix(strings.TrimPrefix(at, m.o.Target.Path), "/")
		for name, text := range docs {
			if format == 2 {
				entries[node.Join(below, name)] = text
			} else {
				entries[below] = text
			}
		}
	}
	key := node.Join(m.o.Target.Path, name)
	v, err := m.new.Get(ctx, key, store.GetOptions{}, nil)
	if err != nil {
		return err
	}
	doc, err := splice(key, v.Bytes, entries)
	if err == nil {
		_, err = m.new.Put(ctx, key, doc, store.PutOptions{})
	}
	return err
}
