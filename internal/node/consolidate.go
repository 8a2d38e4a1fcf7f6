package node

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Consolidate writes the metadata of all nodes below the group into one document, and returns the
// group with the consolidated metadata. Package zarr documents the details.
func (n *Node) Consolidate(ctx context.Context) (*Node, error) {
	first := false // set if an attempt found a v2 group without .zmetadata
	var w Waiting
	for try := 1; ; try++ {
		out, err := n.consolidateOnce(ctx, &first)
		if !errors.Is(err, errStale) {
			return out, err
		}
		if try == maxTries || errors.Is(err, errBusy) && try >= maxBusy {
			return nil, n.Errorf(fault.Newf(fault.Conflict, "other writers changed the metadata during every attempt: %w", err))
		}
		n.Conflict()
		longest := 20 * time.Millisecond
		if errors.Is(err, errBusy) {
			longest = 100 * time.Millisecond
			w.Pause(ctx, err)
		}
		if err := concurrency.Sleep(ctx, rand.N(min(time.Duration(try)*2*time.Millisecond, longest))); err != nil {
			return nil, n.Errorf(err)
		}
	}
}

// errStale is the error of an attempt whose input another writer has changed. After this error
// Consolidate reads everything again.
var errStale = errors.New("another writer changed the metadata")

// errBusy wraps errStale and reports an append in progress to a v2 group. The append may have found
// no .zmetadata to update. Consolidate waits for the end of the append.
var errBusy = fmt.Errorf("%w: an append to the group is in progress", errStale)

// maxTries is the maximum number of attempts. Each failed attempt means that another writer changed
// the metadata.
const maxTries = 200

// maxBusy is the maximum number of attempts that end with errBusy. Together these attempts take
// some seconds. If an append takes longer, its process may have died.
const maxBusy = 100

// consolidateOnce makes one attempt of Consolidate. It first reads the document that it will
// replace, and then the nodes. If another writer changes that document meanwhile, the attempt
// fails. If a v2 group lacks .zmetadata, consolidateOnce sets *first.
func (n *Node) consolidateOnce(ctx context.Context, first *bool) (*Node, error) {
	root, err := n.Again(ctx)
	if err != nil {
		return nil, err
	}
	was := root.AttrsDoc
	if root.Format == 2 {
		if err := root.Migrated(ctx, was); err != nil {
			return nil, n.Errorf(err)
		}
		if was, err = root.Look(ctx, ZMetadata); err != nil {
			return nil, n.Errorf(err)
		}
		*first = *first || !was.There()
	}
	nodes, err := root.collect(ctx)
	if err != nil {
		return nil, err
	}
	c, err := ClaimIn(root.AttrsDoc)
	if err == nil && root.Format == 2 {
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
		return nil, n.Errorf(err)
	}
	key, doc, err := root.consolidate(nodes, c)
	if err != nil {
		return nil, n.Errorf(err)
	}
	version, err := n.Swap(ctx, was, doc, "nothing can be replaced")
	if errors.Is(err, fault.Exists) || errors.Is(err, fault.Conflict) {
		return nil, fmt.Errorf("%w: %w", errStale, err)
	}
	if err == nil && *first {
		err = root.unchanged(ctx) // an append that found no .zmetadata to update may have ended
	}
	if err != nil {
		return nil, n.Errorf(err)
	}
	out := root
	if out.Format == 3 {
		if out, err = n.again().Parse(Docs{{Name: ZarrJSON, Bytes: doc, Version: version}}.Set()); err != nil {
			return nil, n.Errorf(err)
		}
	} else if all, err := out.Parser().ConsolidatedV2(key, doc); err == nil {
		out.lazy.known.Store(&copied{key: key, doc: doc, nodes: all})
	}
	out.Cfg = n.Cfg.Stored()
	return out, nil
}

// Again reads the group again from the store. Nodes that are opened below the result are also read
// from the store.
func (n *Node) Again(ctx context.Context) (*Node, error) {
	at := n.again()
	at.Cfg.Direct = true
	return at.OpenStored(ctx, Group)
}

// collect reads all nodes below a group that was just read. It returns the nodes by their path
// below the group. If a node cannot be read, collect still reads the other nodes, and then returns
// the first error. A node of another format is an error.
func (n *Node) collect(ctx context.Context) (nodes map[string]*Node, err error) {
	nodes = map[string]*Node{}
	var broken error
	n.walk(ctx, -1, func(f Found) bool {
		switch {
		case f.Err == nil:
			nodes[Below(n.Path, f.path)] = f.Node
		case f.path == "":
			err = f.Err
			return false
		default:
			broken = cmp.Or(broken, f.Err)
		}
		return true
	})
	if err = cmp.Or(err, broken); err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(nodes)) {
		if c := nodes[path]; c.Format != n.Format {
			return nil, n.Errorf(fault.Newf(fault.Metadata, "the group has format v%d, but %q has format v%d", n.Format, c.Path, c.Format))
		}
	}
	return nodes, nil
}

// unchanged returns errStale if .zattrs of a v2 group has changed since the group was read.
// Consolidate puts .zmetadata on condition that it is unchanged. An append stores its claim in
// .zattrs, so that condition does not detect an append that began or ended in the meantime.
func (n *Node) unchanged(ctx context.Context) error {
	v, err := n.Get(ctx, ZAttrs)
	if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Refused) && n.AttrsDoc.Refused != nil {
		v, err = Stored{}, nil
	}
	if err != nil {
		return err
	}
	if v.Version != n.AttrsDoc.Version || !bytes.Equal(v.Bytes, n.AttrsDoc.Bytes) {
		return fmt.Errorf("%w: the attributes changed", errStale)
	}
	return nil
}

// unlessCopied returns c, the claim of an append to a v2 group, or the zero Claim if all arrays
// have their new length. All arrays have their new length if .zmetadata contains an array with the
// length that the append sets. was is the result of an earlier read of .zmetadata. If .zmetadata
// has changed since that read, unlessCopied returns errStale.
func (n *Node) unlessCopied(ctx context.Context, c claim.Claim, was Stored) (claim.Claim, error) {
	v, err := n.Get(ctx, ZMetadata)
	if errors.Is(err, fault.NotFound) && !was.There() || errors.Is(err, fault.Limit) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if v.Version != was.Version {
		return c, fmt.Errorf("%w: consolidated metadata changed", errStale)
	}
	nodes, err := n.Parser().ConsolidatedV2(n.Key(ZMetadata), v.Bytes)
	if err != nil {
		return c, nil // an invalid .zmetadata is replaced
	}
	for path := range nodes.Paths() {
		m, ok := nodes.Node(path).(*meta.Array)
		if !ok {
			continue
		}
		if axis := slices.Index(spec.Dims(m.Attrs, len(m.Shape)), c.Dim); axis >= 0 && m.Shape[axis] == c.To {
			return claim.Claim{}, nil
		}
	}
	return c, nil
}

// before returns the document of an array, with the shape that the array had before the append of
// claim c. The append extends the arrays of the group one after another. Consolidated metadata must
// contain all of the new shapes or none of them.
func before(c claim.Claim, n *Node, key string, doc []byte) ([]byte, error) {
	m := n.Array()
	if m == nil || !c.Under() || c.What != claim.Append {
		return doc, nil
	}
	dims := m.Dims
	if dims == nil {
		dims = spec.Dims(m.Attrs, len(m.Shape))
	}
	axis := slices.Index(dims, c.Dim)
	if axis < 0 || c.Dim == "" || slices.Contains(dims[axis+1:], c.Dim) {
		return doc, nil
	}
	if !c.Reached(m.Shape[axis]) {
		return doc, nil
	}
	shape := slices.Clone(m.Shape)
	shape[axis] = c.From
	text, err := json.Marshal(shape)
	if err != nil {
		return nil, err
	}
	return meta.Edit(key, doc, Edits{"shape": text})
}

// consolidate returns the key and the text of the document that contains the metadata of the nodes.
// c is the claim of an append in progress.
func (n *Node) consolidate(nodes map[string]*Node, c claim.Claim) (key string, doc []byte, err error) {
	docs := map[string][]byte{}
	if n.Format == 3 {
		for path, of := range nodes {
			doc, err := of.CopyV3()
			if err == nil {
				docs[path], err = before(c, of, of.Doc.Key, doc)
			}
			if err != nil {
				return "", nil, err
			}
		}
		doc, err = meta.ConsolidateV3(n.Doc.Key, n.Doc.Bytes, docs)
		return n.Doc.Key, doc, err
	}
	all := maps.Clone(nodes)
	all[""] = n
	for path, of := range all {
		name, doc, attrs, err := of.CopyV2()
		if err != nil {
			return "", nil, err
		}
		if docs[Join(path, name)], err = before(c, of, of.Doc.Key, doc); err != nil {
			return "", nil, err
		}
		if attrs != nil {
			docs[Join(path, ZAttrs)] = attrs
		}
	}
	doc, err = meta.ConsolidateV2(docs)
	return Join(n.Path, ZMetadata), doc, err
}

// CopyV3 returns the node's zarr.json for consolidated metadata: without claim and record.
func (n *Node) CopyV3() ([]byte, error) { return Unclaimed(n.Doc) }

// Proven returns an error if the read of .zattrs was denied, because the attributes are then
// unknown. A reader treats denied attributes as absent, but a copy must not.
func (n *Node) Proven() error {
	if err := n.AttrsDoc.Refused; err != nil {
		return fmt.Errorf("the attributes could not be read, so a document without them is not written: %w", err)
	}
	return nil
}

// CopyV2 returns the node's documents for consolidated metadata: without claim and record, and
// without bare tokens such as NaN in doc. Attributes keep such tokens. name is the name of doc.
// attrs is nil if .zattrs is absent.
func (n *Node) CopyV2() (name string, doc, attrs []byte, err error) {
	if err := n.Proven(); err != nil {
		return "", nil, nil, err
	}
	if doc, err = Unclaimed(n.Doc); err != nil {
		return "", nil, nil, err
	}
	if attrs, err = Unclaimed(n.AttrsDoc); err != nil {
		return "", nil, nil, err
	}
	a, ok := n.Model.(*meta.Array)
	if !ok {
		return ZGroup, doc, attrs, nil
	}
	if !meta.Strict(doc) {
		doc, _, err = a.EncodeV2()
	}
	return ZArray, doc, attrs, err
}
