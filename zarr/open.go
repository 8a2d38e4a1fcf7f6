package zarr

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// The metadata keys of a node.
const (
	keyV3    = "zarr.json"
	keyArray = ".zarray"
	keyGroup = ".zgroup"
	keyAttrs = ".zattrs"

	keyArrayV1 = "meta"
	keyAttrsV1 = "attrs"
)

// OpenArray opens the array at path, "" being the store's root. Its format is found out in one round trip, or two if it is
// Zarr v1, which is read and not written. ErrNotFound
// when there is no array; ErrRefused when the store refuses all that could say so.
func OpenArray(ctx context.Context, st store.Store, path string, opts ...Option) (*Array, error) {
	n, err := openWith(ctx, st, path, opts, wantArray)
	if err != nil {
		return nil, err
	}
	return n.(*Array), nil
}

// OpenGroup opens the group at path, "" being the store's root. Errors are as for OpenArray.
func OpenGroup(ctx context.Context, st store.Store, path string, opts ...Option) (*Group, error) {
	n, err := openWith(ctx, st, path, opts, wantGroup)
	if err != nil {
		return nil, err
	}
	return n.(*Group), nil
}

// Open opens whatever is at path. Errors are as for OpenArray. Where v2 and v3 metadata are both there, v3 wins.
func Open(ctx context.Context, st store.Store, path string, opts ...Option) (Node, error) {
	return openWith(ctx, st, path, opts, wantAny)
}

func openWith(ctx context.Context, st store.Store, path string, opts []Option, w want) (Node, error) {
	n, err := newNode(st, path, opts)
	if err != nil {
		return nil, err
	}
	return open(ctx, st, n.path, n.cfg, w)
}

// newNode checks what every function that takes a path and options is given.
func newNode(st store.Store, path string, opts []Option) (node, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return node{}, err
	}
	path, err = meta.NormalizePath(path)
	if err != nil {
		return node{}, fmt.Errorf("zarr: %w", err)
	}
	return node{st: st, path: path, cfg: cfg}, nil
}

// want says what kind of node the caller asked for.
type want uint8

const (
	wantAny want = iota
	wantArray
	wantGroup
)

func (w want) String() string { return [...]string{"array or group", "array", "group"}[w] }

// open finds the node at a normalised path.
func open(ctx context.Context, st store.Store, path string, cfg config, w want) (Node, error) {
	n := node{st: st, path: path, cfg: cfg}
	docs, err := n.fetch(ctx, w)
	if err != nil {
		return nil, n.errf(err)
	}
	found, err := n.parse(docs)
	if err == nil && found == nil && cfg.format <= 1 && w != wantGroup {
		found, err = n.openV1(ctx)
	}
	if err != nil {
		return nil, n.errf(err)
	}
	if found == nil {
		return nil, n.errf(fault.Newf(fault.NotFound, "no %v here", w))
	}
	switch found.(type) {
	case *Group:
		if w == wantArray {
			return nil, n.errf(fault.Newf(fault.NotFound, "this is a group, not an array"))
		}
	case *Array:
		if w == wantGroup {
			return nil, n.errf(fault.Newf(fault.NotFound, "this is an array, not a group"))
		}
	}
	return found, nil
}

// document is the answer to one request for metadata.
type document struct {
	value store.Value
	err   error
}

// grace is how long the answers about v2 may still take once zarr.json has answered, and v3 has won. Cancelling a request
// costs its connection, so the usual case waits; one that hangs or is being retried must not hold up the opening.
const grace = 50 * time.Millisecond

// fetch asks for the documents that could make path a node, all at once. Documents that are proven absent are not in the
// map. Refused ones are neither, as long as another was found: a bucket may say 403 for whatever is not there.
func (n *node) fetch(ctx context.Context, w want) (map[string]document, error) {
	var names []string
	if n.cfg.format == 0 || n.cfg.format == 3 {
		names = append(names, keyV3)
	}
	if n.cfg.format == 0 || n.cfg.format == 2 {
		if w != wantGroup {
			names = append(names, keyArray)
		}
		if w != wantArray {
			names = append(names, keyGroup)
		}
		names = append(names, keyAttrs)
	}
	docs, refused, err := n.documents(ctx, names)
	if err != nil {
		return nil, err
	}
	_, isV3 := docs[keyV3]
	_, isArray := docs[keyArray]
	_, isGroup := docs[keyGroup]
	if refused != nil && !isV3 && !isArray && !isGroup {
		return nil, refused
	}
	return docs, nil
}

// documents asks for documents, all at once, and returns those that are there, and the refusals. zarr.json comes alone.
func (n *node) documents(ctx context.Context, names []string) (docs map[string]document, refused error, err error) {
	answers := make([]document, len(names))
	fctx, cancel := context.WithCancel(ctx)
	defer cancel()
	winner := time.AfterFunc(time.Hour, cancel)
	defer winner.Stop()
	err = concurrency.EachN(fctx, len(names), len(names), func(_ context.Context, i int) error {
		answers[i].value, answers[i].err = n.document(fctx, names[i])
		if names[i] == keyV3 && answers[i].err == nil {
			winner.Reset(grace)
		}
		return nil
	})
	if ctx.Err() != nil {
		for _, a := range answers {
			if errors.Is(a.err, ctx.Err()) {
				return nil, nil, a.err // it tells what was being waited for
			}
		}
		return nil, nil, err
	}
	docs = map[string]document{}
	for i, name := range names {
		switch a := answers[i]; {
		case a.err == nil:
			docs[name] = a
			if name == keyV3 {
				return docs, nil, nil
			}
		case errors.Is(a.err, fault.NotFound):
		case errors.Is(a.err, fault.Refused):
			refused = errors.Join(refused, a.err)
		default:
			return nil, nil, a.err
		}
	}
	return docs, refused, nil
}

// openV1 looks for a v1 array, which is rare enough to be asked for only where nothing else is. nil when there is none.
func (n *node) openV1(ctx context.Context) (Node, error) {
	docs, refused, err := n.documents(ctx, []string{keyArrayV1, keyAttrsV1})
	if err != nil {
		return nil, err
	}
	d, ok := docs[keyArrayV1]
	if !ok {
		return nil, refused
	}
	attrs := docs[keyAttrsV1].value
	n.docKey, n.doc, n.docVersion = join(n.path, keyArrayV1), d.value.Bytes, d.value.Version
	n.attrsKey, n.attrsDoc, n.attrsVersion = join(n.path, keyAttrsV1), attrs.Bytes, attrs.Version
	m, err := n.parser().ArrayV1(n.docKey, d.value.Bytes, n.attrsKey, attrs.Bytes)
	if err != nil {
		return nil, err
	}
	return n.bind(m)
}

// document reads one metadata document of the node.
func (n *node) document(ctx context.Context, name string) (store.Value, error) {
	n.cfg.report.get()
	v, err := n.st.Get(ctx, join(n.path, name), store.GetOptions{Max: n.cfg.maxMetadata}, nil)
	if err == nil && v.Bytes == nil {
		v.Bytes = []byte{}
	}
	return v, err
}

// look tells whether a document of the node is there, and its version, by the first byte of it, however long it is.
func (n *node) look(ctx context.Context, name string) (v store.Version, there bool, err error) {
	n.cfg.report.get()
	first, err := n.st.Get(ctx, join(n.path, name), store.GetOptions{Range: store.Within(0, 1)}, nil)
	if errors.Is(err, fault.Corrupt) { // it is empty
		first, err = n.document(ctx, name)
	}
	if errors.Is(err, fault.NotFound) {
		return "", false, nil
	}
	return first.Version, err == nil, err
}

// parse makes a node of its documents; nil when they do not make one.
func (n *node) parse(docs map[string]document) (Node, error) {
	if d, ok := docs[keyV3]; ok {
		n.docKey, n.doc, n.docVersion = join(n.path, keyV3), d.value.Bytes, d.value.Version
		m, err := n.parser().V3(n.docKey, d.value.Bytes)
		if err != nil {
			return nil, err
		}
		n.attrsKey, n.attrsDoc, n.attrsVersion = n.docKey, d.value.Bytes, d.value.Version
		return n.bind(m)
	}
	attrs := docs[keyAttrs].value
	n.attrsKey, n.attrsDoc, n.attrsVersion = join(n.path, keyAttrs), attrs.Bytes, attrs.Version
	if d, ok := docs[keyArray]; ok {
		n.docKey, n.doc, n.docVersion = join(n.path, keyArray), d.value.Bytes, d.value.Version
		m, err := n.parser().ArrayV2(n.docKey, d.value.Bytes, n.attrsKey, attrs.Bytes)
		if err != nil {
			return nil, err
		}
		return n.bind(m)
	}
	if d, ok := docs[keyGroup]; ok {
		n.docKey, n.doc, n.docVersion = join(n.path, keyGroup), d.value.Bytes, d.value.Version
		m, err := n.parser().GroupV2(n.docKey, d.value.Bytes, n.attrsKey, attrs.Bytes)
		if err != nil {
			return nil, err
		}
		return n.bind(m)
	}
	return nil, nil
}

// bind makes a node of parsed metadata.
func (n *node) bind(m meta.Node) (Node, error) {
	switch m := m.(type) {
	case *meta.Array:
		n.format, n.attrs = m.Format, m.Attrs
		return newArray(*n, m)
	case *meta.Group:
		n.format, n.attrs = m.Format, m.Attrs
		return &Group{node: *n, meta: m, lazy: &lazyCopy{}}, nil
	case *meta.Bad:
		return nil, m.Err
	}
	return nil, fault.Newf(errors.ErrUnsupported, "node of type %T", m)
}
