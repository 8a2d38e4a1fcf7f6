package zarr

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/zargo-io/zargo/internal/arrayspec"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Consolidate writes the metadata of all nodes below the group into one document, so that others
// open the hierarchy with one request: into the group's zarr.json, or into .zmetadata for v2. The
// nodes are read one by one, never taken from an older copy, and the document is written on
// condition that no one else wrote it since they were read. If someone did, all is read again: of
// calls at the same time each succeeds, and the document that stays is not older than any of them.
// A node that cannot be read, or has another format than the group, is an error, and nothing is
// written.
//
// While a [Group.Append] is in progress its arrays have their previous length in the copy. The
// append sets their new one.
//
// The copy is a cache. It says nothing of what is created or changed later: call Consolidate again,
// or see package upkeep, which checks it and brings it up to date about one node. What is returned
// is the group with the new copy; g stays as it was.
func (g *Group) Consolidate(ctx context.Context) (*Group, error) {
	first := false // there was no copy of v2
	for try := 1; ; try++ {
		out, err := g.consolidateOnce(ctx, &first)
		if !errors.Is(err, errStale) {
			return out, err
		}
		if try == maxTries || errors.Is(err, errBusy) && try >= maxBusy {
			return nil, g.errf(fault.Newf(fault.Conflict, "the metadata changed each time it was read: %w", err))
		}
		g.docs().Conflict()
		longest := 20 * time.Millisecond
		if errors.Is(err, errBusy) {
			longest = 100 * time.Millisecond
		}
		if err := concurrency.Sleep(ctx, rand.N(min(time.Duration(try)*2*time.Millisecond, longest))); err != nil {
			return nil, g.errf(err)
		}
	}
}

// errStale is the error of a try to consolidate that another writer made stale: all is read again.
var errStale = errors.New("another writer was first")

// errBusy is the errStale of an append to a v2 group that may have found no consolidated metadata
// to bring up to date: its end is waited for.
var errBusy = fmt.Errorf("%w: an append to the group is in progress", errStale)

// maxTries bounds how often all is read again, each time because another writer was first.
const maxTries = 200

// maxBusy is how often such an append is waited for, some seconds: a longer one may be one that
// died.
const maxBusy = 100

// consolidateOnce is one try of Consolidate. The document that it replaces is read before the
// nodes, so that what is written after that fails the try. first notes that a v2 group had none.
func (g *Group) consolidateOnce(ctx context.Context, first *bool) (*Group, error) {
	root, err := g.stored(ctx)
	if err != nil {
		return nil, err
	}
	was := root.attrsDoc
	if root.format == 2 {
		if was, err = root.docs().Look(ctx, document.ZMetadata); err != nil {
			return nil, g.errf(err)
		}
		*first = *first || !was.There()
	}
	nodes, err := root.collect(ctx)
	if err != nil {
		return nil, err
	}
	c, err := document.ClaimIn(root.attrsDoc)
	if err == nil && root.format == 2 {
		err = root.unchanged(ctx)
		switch {
		case err != nil || !c.Under():
		case *first:
			err = errBusy
		default:
			c, err = root.unlessCopied(ctx, c, was)
		}
	}
	if err != nil {
		return nil, g.errf(err)
	}
	key, doc, err := root.consolidate(nodes, c)
	if err != nil {
		return nil, g.errf(err)
	}
	version, err := g.docs().Swap(ctx, was, doc, "nothing can be replaced")
	if errors.Is(err, fault.Exists) || errors.Is(err, fault.Conflict) {
		return nil, fmt.Errorf("%w: %w", errStale, err)
	}
	if err == nil && *first {
		err = root.unchanged(ctx) // an append that found no .zmetadata to change may have ended
	}
	if err != nil {
		return nil, g.errf(err)
	}
	out := root
	if out.format == 3 {
		n := node{st: g.st, path: g.path, cfg: g.cfg.stored()}
		again, err := n.parse(document.Docs{{Name: document.ZarrJSON, Bytes: doc, Version: version}}.Set())
		if err != nil {
			return nil, g.errf(err)
		}
		out = again.(*Group)
	} else if all, err := out.parser().ConsolidatedV2(key, doc); err == nil {
		out.lazy.known.Store(&copied{key: key, doc: doc, nodes: all})
	}
	out.cfg = g.cfg.stored()
	return out, nil
}

// stored reads the group itself again, to be asked for what is stored alone.
func (g *Group) stored(ctx context.Context) (*Group, error) {
	cfg := g.cfg.stored()
	cfg.direct = true
	n, err := openStored(ctx, g.st, g.path, cfg, document.Group)
	if err != nil {
		return nil, err
	}
	return n.(*Group), nil
}

// collect reads all nodes below a group that was just read, by path below it. The first that cannot
// be read is an error once all were read, and so is one of another format.
func (g *Group) collect(ctx context.Context) (nodes map[string]Node, err error) {
	nodes = map[string]Node{}
	var broken error
	g.walk(ctx, -1, func(f found) bool {
		switch {
		case f.err == nil:
			nodes[below(g.path, f.path)] = f.node
		case f.path == "":
			err = f.err
			return false
		default:
			broken = cmp.Or(broken, f.err)
		}
		return true
	})
	if err = cmp.Or(err, broken); err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(nodes)) {
		if n := nodes[path]; n.Format() != g.format {
			return nil, g.errf(fault.Newf(fault.Metadata, "%q has format v%d, the group v%d", n.Path(), n.Format(), g.format))
		}
	}
	return nodes, nil
}

// unchanged makes sure that no append began or ended while the nodes of a v2 group were read: its
// claim is in .zattrs, and not in the document that is replaced.
func (g *Group) unchanged(ctx context.Context) error {
	v, err := g.docs().Get(ctx, document.ZAttrs)
	if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Refused) && g.attrsDoc.Refused != nil {
		v, err = store.Value{}, nil
	}
	if err != nil {
		return err
	}
	if v.Version != g.attrsDoc.Version || !bytes.Equal(v.Bytes, g.attrsDoc.Bytes) {
		return fmt.Errorf("%w: the attributes changed", errStale)
	}
	return nil
}

// unlessCopied returns the claim of an append, unless consolidated metadata has its arrays at their
// new length by now: all of them have it then. was is that document, of which the version is known.
func (g *Group) unlessCopied(ctx context.Context, c claim.Claim, was document.Stored) (claim.Claim, error) {
	v, err := g.docs().Get(ctx, document.ZMetadata)
	if errors.Is(err, fault.NotFound) && !was.There() || errors.Is(err, fault.Limit) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if v.Version != was.Version {
		return c, fmt.Errorf("%w: consolidated metadata changed", errStale)
	}
	nodes, err := g.parser().ConsolidatedV2(g.docs().Key(document.ZMetadata), v.Bytes)
	if err != nil {
		return c, nil // it is replaced, whatever it was
	}
	for _, n := range nodes {
		m, ok := n.(*meta.Array)
		if !ok {
			continue
		}
		if axis := slices.Index(arrayspec.Dims(m.Attrs, len(m.Shape)), c.Dim); axis >= 0 && m.Shape[axis] == c.To {
			return claim.Claim{}, nil
		}
	}
	return c, nil
}

// before returns the document of an array as it was before an append to the group that is in
// progress, whose arrays become longer one by one.
func (g *Group) before(c claim.Claim, n Node, key string, doc []byte) ([]byte, error) {
	a, ok := n.(*Array)
	if !ok || !c.Under() || c.What != claim.Append {
		return doc, nil
	}
	axis, err := a.axisOf(c.Dim)
	if err != nil {
		return doc, nil
	}
	if n := a.meta.Shape[axis]; n != c.To && !slices.Contains(c.Ends, n) {
		return doc, nil
	}
	shape := slices.Clone(a.meta.Shape)
	shape[axis] = c.From
	text, err := json.Marshal(shape)
	if err != nil {
		return nil, err
	}
	return meta.Edit(key, doc, document.Edits{"shape": text})
}

// consolidate is the key and the text of the document that holds copies of the nodes; c is the
// claim of an append that is in progress.
func (g *Group) consolidate(nodes map[string]Node, c claim.Claim) (key string, doc []byte, err error) {
	docs := map[string][]byte{}
	if g.format == 3 {
		for path, n := range nodes {
			doc, err := source(n).StrictV3()
			if err == nil {
				docs[path], err = g.before(c, n, base(n).doc.Key, doc)
			}
			if err != nil {
				return "", nil, err
			}
		}
		doc, err = meta.ConsolidateV3(g.doc.Key, g.doc.Bytes, docs)
		return g.doc.Key, doc, err
	}
	all := maps.Clone(nodes)
	all[""] = g
	for path, n := range all {
		name, doc, attrs, err := source(n).StrictV2()
		if err != nil {
			return "", nil, err
		}
		if docs[join(path, name)], err = g.before(c, n, base(n).doc.Key, doc); err != nil {
			return "", nil, err
		}
		if attrs != nil {
			docs[join(path, document.ZAttrs)] = attrs
		}
	}
	doc, err = meta.ConsolidateV2(docs)
	return join(g.path, document.ZMetadata), doc, err
}

// base is what arrays and groups have in common.
func base(n Node) *node {
	if a, ok := n.(*Array); ok {
		return &a.node
	}
	return &n.(*Group).node
}

// source is what the documents of an array or a group are.
func source(n Node) *document.Source {
	if a, ok := n.(*Array); ok {
		return a.Source()
	}
	return n.(*Group).Source()
}
