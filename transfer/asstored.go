package transfer

import (
	"context"
	"path"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/copying/listed"
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

// documentsOf returns the keys of the planned documents of an array.
func documentsOf(docs map[string]string, at string) (keys []string) {
	for _, name := range []string{"zarr.json", ".zarray", ".zattrs"} {
		if _, ok := docs[node.Join(at, name)]; ok {
			keys = append(keys, node.Join(at, name))
		}
	}
	return keys
}

// checkObjects checks a step of kind Objects.
func (c *checker) checkObjects(s *Step) error {
	switch {
	case s.From == nil || s.To == nil || s.From.In != Source || s.To.In != Target || s.From.Separator != "" || s.To.Separator != "":
		return bad("a step of kind %q must read the source and write the target", Objects)
	case s.Start != nil || s.Inner != nil || len(s.Grid) > 0:
		return bad("a step of kind %q must have no grid", Objects)
	}
	from, to := documentsOf(c.p.Documents.Source, s.From.Path), documentsOf(c.p.Documents.Target, s.To.Path)
	if len(from) == 0 || len(from) != len(to) {
		return bad("a step of kind %q needs the documents of %v", Objects, s.To)
	}
	for i, key := range from {
		if path.Base(key) != path.Base(to[i]) || c.p.Documents.Source[key] != c.p.Documents.Target[to[i]] {
			return bad("the documents of %v and %v differ", s.From, s.To)
		}
	}
	return nil
}

// sameDocuments returns fault.Conflict if the documents of an array differ from those in the plan.
func (w *watch) sameDocuments(ctx context.Context, at string) error {
	_, same, err := w.documents(ctx, at)
	if err == nil && !same {
		err = changed(at, "it has other metadata")
	}
	return err
}

// below calls f concurrently for each object of a step of kind Objects: its key and its size in the
// source, or -1, and its key in the target. It leaves out documents.
func (w *Worker) below(ctx context.Context, s *Step, f func(ctx context.Context, from, to string, size int64) error) error {
	type object struct {
		from, to string
		size     int64
	}
	var failed error
	objects := func(yield func(object) bool) {
		for e, err := range store.ListAll(ctx, w.src, s.From.Path, store.ListOptions{}) {
			if err != nil {
				failed = err
				return
			}
			name := strings.TrimPrefix(strings.TrimPrefix(e.Key, s.From.Path), "/")
			if node.IsDocument(path.Base(name)) {
				continue
			}
			if !yield(object{e.Key, node.Join(s.To.Path, name), e.Size}) {
				return
			}
		}
	}
	err := concurrency.Each(ctx, store.TuningOf(w.dst).Requests, objects, func(ctx context.Context, o object) error {
		return f(ctx, o.from, o.to, o.size)
	})
	if err == nil {
		err = failed
	}
	return err
}

// listedObjects copies the objects of a step of kind Objects.
func (w *Worker) listedObjects(ctx context.Context, s *Step) error {
	if err := w.watch.sameDocuments(ctx, s.From.Path); err != nil {
		return err
	}
	if err := w.moving.Acquire(ctx); err != nil {
		return err
	}
	defer w.moving.Release()
	src := listed.New(w.src, s.From.Path) // not the one of w.arrays, which hides documents
	return w.below(ctx, s, func(ctx context.Context, from, to string, size int64) error {
		if size < 0 {
			size = 1 << 20
		}
		return w.move(ctx, src, from, to, min(size, streamAbove))
	})
}

// compareListed compares the objects of a step of kind Objects.
func (w *Worker) compareListed(ctx context.Context, s *Step) error {
	return w.below(ctx, s, func(ctx context.Context, from, to string, _ int64) error {
		return w.compareObject(ctx, from, to)
	})
}
