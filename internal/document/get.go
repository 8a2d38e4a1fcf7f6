package document

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Set holds documents by name. One that is absent is not in it.
type Set map[string]store.Value

// Has reports whether a document is in the set.
func (s Set) Has(name string) bool {
	_, ok := s[name]
	return ok
}

// Stored is a document as it was read.
type Stored struct {
	Key     string
	Bytes   []byte // nil: there is none
	Version store.Version
}

// There reports whether there is a document.
func (d Stored) There() bool { return d.Bytes != nil }

// Stored is a document of a set that was read at the node.
func (n *Node) Stored(s Set, name string) Stored {
	return Stored{n.Key(name), s[name].Bytes, s[name].Version}
}

// Get reads one document of the node. The bytes of an empty one are not nil.
func (n *Node) Get(ctx context.Context, name string) (store.Value, error) {
	return n.GetKey(ctx, n.Key(name))
}

// GetKey is Get of the document at a key of the store.
func (n *Node) GetKey(ctx context.Context, key string) (store.Value, error) {
	ctx, s := n.begin(ctx)
	v, err := s.Get(ctx, key, store.GetOptions{Max: n.Limit}, nil)
	if err == nil && v.Bytes == nil {
		v.Bytes = []byte{}
	}
	return v, err
}

// Look reads the version of a document of the node, and no more than its first byte, so that the document may be longer than Limit.
func (n *Node) Look(ctx context.Context, name string) (Stored, error) {
	v, err := n.Probe(ctx, n.Key(name))
	if errors.Is(err, fault.Corrupt) { // it is empty
		v, err = n.Get(ctx, name)
	}
	if errors.Is(err, fault.NotFound) {
		return Stored{Key: n.Key(name)}, nil
	}
	return Stored{n.Key(name), v.Bytes, v.Version}, err
}

// Probe reads the first byte of a key of the store. fault.Corrupt: there is none.
func (n *Node) Probe(ctx context.Context, key string) (store.Value, error) {
	ctx, s := n.begin(ctx)
	return s.Get(ctx, key, store.GetOptions{Range: store.Within(0, 1)}, nil)
}

// Find reads the documents that could make the path a node of the kind, all at once. A refused one counts as absent as long as another one
// makes a node: a bucket may answer 403 for every key that is not there.
func (n *Node) Find(ctx context.Context, k Kind) (Set, error) {
	docs, refused, err := n.all(ctx, n.Names(k))
	return proven(docs, refused, err)
}

// FindMember is Find of one of many nodes, for fewer requests and more round trips: most members of a group are arrays, so .zgroup is read
// only where no .zarray was.
func (n *Node) FindMember(ctx context.Context) (Set, error) {
	docs, refused, err := n.all(ctx, n.Names(Array))
	if err != nil || docs.Has(ZarrJSON) || docs.Has(ZArray) || n.Format == 3 {
		return proven(docs, refused, err)
	}
	return n.FindRest(ctx, docs, refused, ZGroup)
}

// FindRest reads the documents of a node of which some were read already, or refused.
func (n *Node) FindRest(ctx context.Context, docs Set, refused error, names ...string) (Set, error) {
	rest, also, err := n.all(ctx, names)
	maps.Copy(rest, docs)
	return proven(rest, errors.Join(refused, also), err)
}

// Read reads documents of the node, all at once, and returns those that are there, and why others were refused.
func (n *Node) Read(ctx context.Context, names ...string) (docs Set, refused, err error) {
	return n.all(ctx, names)
}

// Names are the documents that could make the path a node of the kind, and those that belong to it.
func (n *Node) Names(k Kind) (names []string) {
	if n.Format == 0 || n.Format == 3 {
		names = append(names, ZarrJSON)
	}
	if n.Format == 0 || n.Format == 2 {
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

// proven returns the documents if they make a node, or if none of them was refused.
func proven(docs Set, refused, err error) (Set, error) {
	if err != nil {
		return nil, err
	}
	if refused != nil && !docs.Has(ZarrJSON) && !docs.Has(ZArray) && !docs.Has(ZGroup) {
		return nil, refused
	}
	return docs, nil
}

// FindV1 reads the documents of a v1 array; none where there is no such array. It is asked for only where nothing else is.
func (n *Node) FindV1(ctx context.Context) (Set, error) {
	docs, refused, err := n.all(ctx, []string{V1Array, V1Attrs})
	switch {
	case err != nil:
		return nil, err
	case !docs.Has(V1Array):
		return nil, refused
	}
	return docs, nil
}

// grace is how long requests for v2 documents may still take once zarr.json has arrived, and v3 has won. Cancelling a request
// costs its connection, so the usual case waits; one that hangs or is being retried must not hold up the opening.
const grace = 50 * time.Millisecond

// all reads documents, all at once, and returns those that are there, and the refusals. zarr.json comes alone.
func (n *Node) all(ctx context.Context, names []string) (docs Set, refused error, err error) {
	type response struct {
		value store.Value
		err   error
	}
	responses := make([]response, len(names))
	fctx, cancel := context.WithCancel(ctx)
	defer cancel()
	winner := time.AfterFunc(time.Hour, cancel)
	defer winner.Stop()
	err = concurrency.EachN(fctx, len(names), len(names), func(_ context.Context, i int) error {
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
				return nil, nil, r.err // it says what was being waited for
			}
		}
		return nil, nil, err
	}
	docs = Set{}
	for i, name := range names {
		switch r := responses[i]; {
		case r.err == nil:
			docs[name] = r.value
			if name == ZarrJSON {
				return docs, nil, nil
			}
		case errors.Is(r.err, fault.NotFound):
		case errors.Is(r.err, fault.Refused):
			refused = errors.Join(refused, r.err)
		default:
			return nil, nil, r.err
		}
	}
	return docs, refused, nil
}
