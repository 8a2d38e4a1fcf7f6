package node

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Stored returns the document with this name in s. s was read at the node.
func (n *Node) Stored(s Set, name string) Stored {
	return Stored{n.Key(name), s.Docs[name].Bytes, s.Docs[name].Version, s.Refused[name]}
}

// Get reads one document of the node. If the document is empty, the Bytes are empty but not nil.
func (n *Node) Get(ctx context.Context, name string) (Stored, error) {
	return n.GetKey(ctx, n.Key(name))
}

// GetKey is like Get, but takes the key of the document in the store.
func (n *Node) GetKey(ctx context.Context, key string) (Stored, error) {
	ctx, s := n.Begin(ctx)
	v, err := s.Get(ctx, key, store.GetOptions{Max: n.Cfg.MaxMetadata}, nil)
	if err != nil {
		return Stored{Key: key}, err
	}
	return Stored{Key: key, Bytes: notNil(v.Bytes), Version: v.Version}, nil
}

// Look returns the version of a document of the node. It reads at most one byte, so the document
// may be longer than Limit. If the document is absent, Look returns no error, and the Bytes are
// nil.
func (n *Node) Look(ctx context.Context, name string) (Stored, error) {
	v, err := n.Probe(ctx, n.Key(name))
	is := Stored{Key: n.Key(name), Bytes: v.Bytes, Version: v.Version}
	if errors.Is(err, fault.Corrupt) { // the document is empty
		is, err = n.Get(ctx, name)
	}
	if errors.Is(err, fault.NotFound) {
		return Stored{Key: n.Key(name)}, nil
	}
	return is, err
}

// Probe reads the first byte of the object at key. It returns fault.Corrupt if the object is empty.
func (n *Node) Probe(ctx context.Context, key string) (store.Value, error) {
	ctx, s := n.Begin(ctx)
	return s.Get(ctx, key, store.GetOptions{Range: store.Within(0, 1)}, nil)
}

// Find reads, concurrently, the documents that could make the path a node of kind k. If some reads
// are denied but another document makes a node, the denied documents count as absent, since a
// bucket may return 403 for every absent key. If no document makes a node, Find returns the errors
// of the denied reads.
//
// If the node is expected to have v3 metadata, Find first reads only zarr.json. It reads the other
// documents if zarr.json is absent or its read was denied. The result is the same, because
// zarr.json takes precedence over all of them.
func (n *Node) Find(ctx context.Context, k Kind) (Set, error) {
	if n.expectsV3(ctx) {
		return n.findAfterV3(ctx, k, false)
	}
	return n.FindRest(ctx, Set{}, n.documentNames(k)...)
}

// FindAll is like Find, but also reads a v1 array if no other node exists.
func (n *Node) FindAll(ctx context.Context, k Kind) (Set, error) {
	if n.expectsV3(ctx) {
		return n.findAfterV3(ctx, k, k != Group)
	}
	docs, err := n.FindRest(ctx, Set{}, n.documentNames(k)...)
	if err == nil && !docs.found() && n.Cfg.Format <= 1 && k != Group {
		return n.FindV1(ctx)
	}
	return docs, err
}

// anyFormat is the value of Node.expect for a search that reads all documents at once.
const anyFormat = -1

// expectsV3 reports whether a search begins with zarr.json. For a node that is expected to have v2
// metadata, it does not begin with the documents of v2: zarr.json takes precedence over them, so it
// must be read in any case.
func (n *Node) expectsV3(ctx context.Context) bool {
	expect := n.expect
	if expect == 0 {
		expect, _ = ctx.Value(expecting{}).(int)
	}
	return expect == 3 && n.Cfg.Format == 0
}

// expecting is the key of the format in a context of [Expecting].
type expecting struct{}

// Expecting returns a context for searches of nodes of a hierarchy in which another node has the
// format. It sets Node.expect where that is 0.
func Expecting(ctx context.Context, format int) context.Context {
	return context.WithValue(ctx, expecting{}, format)
}

// findAfterV3 reads zarr.json, and the other documents only if that makes no node. It reads the
// attributes of v2 and v1 only if the node has them.
func (n *Node) findAfterV3(ctx context.Context, k Kind, v1 bool) (Set, error) {
	docs, err := n.Read(ctx, ZarrJSON)
	if err != nil || docs.Has(ZarrJSON) {
		return docs, err
	}
	var names []string
	if k != Group {
		names = append(names, ZArray)
	}
	if k != Array {
		names = append(names, ZGroup)
	}
	if v1 {
		names = append(names, V1Array)
	}
	if docs, err = n.FindRest(ctx, docs, names...); err != nil {
		return Set{}, err
	}
	switch {
	case docs.found():
		return n.FindRest(ctx, docs, ZAttrs)
	case docs.Has(V1Array):
		return n.withRest(ctx, docs, V1Attrs)
	}
	return docs, nil
}

// FindMember is like Find for one member of a group. Most members are arrays, so FindMember reads
// .zgroup only if .zarray is absent. This takes fewer requests than Find, but more round trips.
func (n *Node) FindMember(ctx context.Context) (Set, error) {
	docs, err := n.Read(ctx, n.documentNames(Array)...)
	if err != nil || docs.Has(ZarrJSON) || docs.Has(ZArray) || n.Cfg.Format == 3 {
		return docs.proven(err)
	}
	return n.FindRest(ctx, docs, ZGroup)
}

// FindRest reads the named documents and adds them to docs, the documents that were read before.
func (n *Node) FindRest(ctx context.Context, docs Set, names ...string) (Set, error) {
	docs, err := n.withRest(ctx, docs, names...)
	return docs.proven(err)
}

// withRest is like FindRest for a set that need not make a node.
func (n *Node) withRest(ctx context.Context, docs Set, names ...string) (Set, error) {
	rest, err := n.Read(ctx, names...)
	if err != nil {
		return Set{}, err
	}
	maps.Copy(rest.Docs, docs.Docs)
	for name, err := range docs.Refused {
		rest.refuse(name, err)
	}
	return rest, nil
}

// documentNames returns the names of the documents to read for a node of kind k.
func (n *Node) documentNames(k Kind) (names []string) {
	if n.Cfg.Format == 0 || n.Cfg.Format == 3 {
		names = append(names, ZarrJSON)
	}
	if n.Cfg.Format == 0 || n.Cfg.Format == 2 {
		if k != Group {
			names = append(names, ZArray)
		}
		if k != Array {
			names = append(names, ZGroup)
		}
		names = append(names, ZAttrs)
	}
	return names
}

// FindV1 reads the documents of a v1 array. It returns an empty Set if the array is absent. Callers
// must try the other formats before.
func (n *Node) FindV1(ctx context.Context) (Set, error) {
	docs, err := n.Read(ctx, V1Array)
	switch {
	case err != nil:
		return Set{}, err
	case !docs.Has(V1Array):
		return Set{}, docs.refusals()
	}
	return n.withRest(ctx, docs, V1Attrs)
}

// grace is how long Read waits for the responses for v2 documents after it has received zarr.json.
// As zarr.json takes precedence, these responses are not needed, but canceling a request closes its
// connection. The wait is short, because a request that hangs or is retried must not delay the
// opening of the node.
const grace = 50 * time.Millisecond

// Read reads documents concurrently. The Set has the documents that exist and the errors of denied
// reads. If zarr.json exists, the Set contains only this document.
func (n *Node) Read(ctx context.Context, names ...string) (Set, error) {
	type response struct {
		value Stored
		err   error
	}
	responses := make([]response, len(names))
	fctx, cancel := context.WithCancel(ctx)
	defer cancel()
	winner := time.AfterFunc(time.Hour, cancel)
	defer winner.Stop()
	err := concurrency.EachN(fctx, len(names), len(names), func(_ context.Context, i int) error {
		r := &responses[i]
		r.value, r.err = n.Get(fctx, names[i])
		if names[i] == ZarrJSON && r.err == nil {
			winner.Reset(grace)
		}
		return nil
	})
	if ctx.Err() != nil {
		for _, r := range responses {
			if errors.Is(r.err, ctx.Err()) {
				return Set{}, r.err // it names the request
			}
		}
		return Set{}, err
	}
	docs := Set{Docs: map[string]Stored{}}
	for i, name := range names {
		switch r := responses[i]; {
		case r.err == nil:
			docs.Docs[name] = r.value
			if name == ZarrJSON {
				return Set{Docs: docs.Docs}, nil
			}
		case errors.Is(r.err, fault.NotFound):
		case errors.Is(r.err, fault.Refused):
			docs.refuse(name, r.err)
		default:
			return Set{}, r.err
		}
	}
	return docs, nil
}

// firstOf returns the first of the documents that exists, or "".
func (n *Node) firstOf(ctx context.Context, others []string) (string, error) {
	is := make([]Stored, len(others))
	err := concurrency.EachN(ctx, len(others), len(others), func(ctx context.Context, i int) (err error) {
		if is[i], err = n.Look(ctx, others[i]); errors.Is(err, fault.Refused) {
			is[i], err = Stored{}, nil
		}
		return err
	})
	if err != nil {
		return "", err
	}
	for i, d := range is {
		if d.There() {
			return others[i], nil
		}
	}
	return "", nil
}
