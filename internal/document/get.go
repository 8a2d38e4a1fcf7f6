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
type Set struct {
	Docs    map[string]store.Value
	Refused map[string]error // of documents that may be there or not
}

// Has reports whether a document is in the set.
func (s Set) Has(name string) bool {
	_, ok := s.Docs[name]
	return ok
}

func (s *Set) refuse(name string, err error) {
	if s.Refused == nil {
		s.Refused = map[string]error{}
	}
	s.Refused[name] = err
}

// Stored is a document as it was read.
type Stored struct {
	Key     string
	Bytes   []byte // nil: there is none
	Version store.Version
	Refused error // why it was not read, so that it may be there all the same
}

// There reports whether there is a document.
func (d Stored) There() bool { return d.Bytes != nil }

// Stored is a document of a set that was read at the node.
func (n *Node) Stored(s Set, name string) Stored {
	return Stored{n.Key(name), s.Docs[name].Bytes, s.Docs[name].Version, s.Refused[name]}
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

// Look reads the version of a document of the node, and no more than its first byte, so that the
// document may be longer than Limit.
func (n *Node) Look(ctx context.Context, name string) (Stored, error) {
	v, err := n.Probe(ctx, n.Key(name))
	if errors.Is(err, fault.Corrupt) { // it is empty
		v, err = n.Get(ctx, name)
	}
	if errors.Is(err, fault.NotFound) {
		return Stored{Key: n.Key(name)}, nil
	}
	return Stored{Key: n.Key(name), Bytes: v.Bytes, Version: v.Version}, err
}

// Probe reads the first byte of a key of the store. fault.Corrupt: there is none.
func (n *Node) Probe(ctx context.Context, key string) (store.Value, error) {
	ctx, s := n.begin(ctx)
	return s.Get(ctx, key, store.GetOptions{Range: store.Within(0, 1)}, nil)
}

// Find reads the documents that could make the path a node of the kind, all at once. A refused one
// counts as absent as long as another one makes a node: a bucket may answer 403 for every key that
// is not there.
func (n *Node) Find(ctx context.Context, k Kind) (Set, error) {
	return n.FindRest(ctx, Set{}, n.Names(k)...)
}

// FindMember is Find of one of many nodes, for fewer requests and more round trips: most members of
// a group are arrays, so .zgroup is read only where no .zarray was.
func (n *Node) FindMember(ctx context.Context) (Set, error) {
	docs, err := n.Read(ctx, n.Names(Array)...)
	if err != nil || docs.Has(ZarrJSON) || docs.Has(ZArray) || n.Format == 3 {
		return docs.proven(err)
	}
	return n.FindRest(ctx, docs, ZGroup)
}

// FindRest reads the documents of a node of which others were read already.
func (n *Node) FindRest(ctx context.Context, docs Set, names ...string) (Set, error) {
	rest, err := n.Read(ctx, names...)
	if err != nil {
		return Set{}, err
	}
	maps.Copy(rest.Docs, docs.Docs)
	for name, err := range docs.Refused {
		rest.refuse(name, err)
	}
	return rest.proven(nil)
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
func (s Set) proven(err error) (Set, error) {
	if err != nil {
		return Set{}, err
	}
	if !s.Has(ZarrJSON) && !s.Has(ZArray) && !s.Has(ZGroup) {
		err = s.refusals()
	}
	if err != nil {
		return Set{}, err
	}
	return s, nil
}

// refusals joins them, in an order that is always the same.
func (s Set) refusals() (err error) {
	for _, name := range []string{ZarrJSON, ZArray, ZGroup, ZAttrs, V1Array, V1Attrs} {
		if s.Refused[name] != nil {
			err = errors.Join(err, s.Refused[name])
		}
	}
	return err
}

// FindV1 reads the documents of a v1 array; none where there is no such array. It is asked for only
// where nothing else is.
func (n *Node) FindV1(ctx context.Context) (Set, error) {
	docs, err := n.Read(ctx, V1Array, V1Attrs)
	switch {
	case err != nil:
		return Set{}, err
	case !docs.Has(V1Array):
		return Set{}, docs.refusals()
	}
	return docs, nil
}

// grace is how long requests for v2 documents may still take once zarr.json has arrived, and v3 has
// won. Cancelling a request costs its connection, so the usual case waits; one that hangs or is
// being retried must not hold up the opening.
const grace = 50 * time.Millisecond

// Read reads documents, all at once, and returns those that are there, and the refusals. zarr.json
// comes alone.
func (n *Node) Read(ctx context.Context, names ...string) (Set, error) {
	type response struct {
		value store.Value
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
				return Set{}, r.err // it says what was being waited for
			}
		}
		return Set{}, err
	}
	docs := Set{Docs: map[string]store.Value{}}
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
