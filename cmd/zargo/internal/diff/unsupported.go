package diff

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/internal/copying/unread"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// unsupported compares two arrays or two groups of which at least one cannot be opened.
func unsupported(ctx context.Context, n *Node, a, b entry, o Options) error {
	if a.unread == nil || b.unread == nil {
		which, err := "second", error(nil)
		if a.unread != nil {
			which, err = "first", a.unread.Err
		} else {
			err = b.unread.Err
		}
		n.Values = &Values{Not: fmt.Sprintf("the %s is not supported: %s", which, reason(err))}
		return nil
	}
	differ, err := documents(a.unread, b.unread)
	if err != nil {
		return err
	}
	same := !slices.ContainsFunc(differ, func(m Member) bool { return !strings.HasPrefix(m.Name, "attributes") })
	if !o.SkipMetadata {
		n.Members = differ
	}
	if o.SkipValues {
		return nil
	}
	why := fmt.Sprintf("the %s is not supported (%s)", a.kind(), reason(a.unread.Err))
	if !same {
		n.Values = &Values{Not: why + ", and the metadata differs"}
		return nil
	}
	if o.Plan != nil {
		return fmt.Errorf("%s: the requests that compare its stored bytes cannot be planned: %w", why, errors.ErrUnsupported)
	}
	different, of, err := objects(ctx, a.unread, b.unread)
	switch {
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Refused):
		n.Values = &Values{Not: why + ", and its objects cannot be listed"}
	case err != nil:
		return err
	case different > 0:
		n.Values = &Values{Not: fmt.Sprintf("%s, and %d of %d stored objects differ", why, different, of)}
	}
	return nil
}

// reason returns the innermost part of the error of opening a node, without its place.
func reason(err error) string {
	if of, ok := errors.AsType[*fault.MetaError](err); ok && of.Err != nil {
		return of.Err.Error()
	}
	return err.Error()
}

// documents returns the members in which the documents of two nodes differ in meaning.
func documents(a, b *unread.Node) ([]Member, error) {
	d := &differences{}
	d.add("format", number(a.Format), number(b.Format))
	x, err := flat(a)
	if err != nil {
		return nil, err
	}
	y, err := flat(b)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(x)
	maps.Copy(all, y)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name != "consolidated_metadata" && !sameJSON(x[name], y[name]) {
			d.add(name, x[name], y[name])
		}
	}
	return d.list, nil
}

// flat returns the members of a node's documents in canonical form. The members of the attributes
// have names such as "attributes/units".
func flat(n *unread.Node) (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	add := func(prefix string, doc []byte) (map[string]json.RawMessage, error) {
		var of map[string]json.RawMessage
		if err := json.Unmarshal(doc, &of); err != nil {
			return nil, fault.Newf(fault.Metadata, "%s in %s: %w", n.Path, store.Name(n.Store), err)
		}
		for name, v := range of {
			all[prefix+name] = v
		}
		return of, nil
	}
	for name, text := range n.Docs {
		doc, err := jsontext.Canon(nil, text, jsontext.Tokens)
		if err != nil {
			return nil, fault.Newf(fault.Metadata, "%s in %s: %w", n.Path, store.Name(n.Store), err)
		}
		if name == ".zattrs" {
			if _, err := add("attributes/", doc); err != nil {
				return nil, err
			}
			continue
		}
		of, err := add("", doc)
		if err != nil {
			return nil, err
		}
		attrs, ok := of["attributes"]
		if n.Format == 3 && ok && bytes.HasPrefix(attrs, []byte("{")) {
			delete(all, "attributes")
			if _, err := add("attributes/", attrs); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

const (
	// pieceLen is the length of the two buffers of a comparison of objects.
	pieceLen = 1 << 20
	// atOnce is the maximum number of pairs of objects that are compared at a time.
	atOnce = 8
)

// objects compares the stored bytes of all objects below two nodes, except their documents. It
// returns a lower bound of the number of objects that differ, and the number of all objects.
func objects(ctx context.Context, a, b *unread.Node) (different, of int64, err error) {
	var differ atomic.Int64
	buffers := sync.Pool{New: func() any { p := make([]byte, 2*pieceLen); return &p }}
	var failed error
	err = concurrency.Each(ctx, atOnce, namesOf(ctx, a, &of, &failed), func(ctx context.Context, name string) error {
		p := buffers.Get().(*[]byte)
		defer buffers.Put(p)
		same, err := unread.SameObject(ctx, a.Store, a.Key(name), b.Store, b.Key(name), (*p)[:0:pieceLen], (*p)[pieceLen:pieceLen])
		if err == nil && !same {
			differ.Add(1)
		}
		return err
	})
	if err = cmp.Or(err, failed); err != nil {
		return 0, 0, err
	}
	other := int64(0)
	for range namesOf(ctx, b, &other, &failed) {
	}
	different = differ.Load() + max(other-of, 0)
	return different, max(of, other), failed
}

// namesOf yields the names of the objects below a node, except its documents, and counts them. An
// error ends it, and is stored in failed.
func namesOf(ctx context.Context, n *unread.Node, count *int64, failed *error) iter.Seq[string] {
	return func(yield func(string) bool) {
		for e, err := range store.ListAll(ctx, n.Store, n.Path, store.ListOptions{}) {
			if err != nil {
				*failed = err
				return
			}
			name := n.Name(e.Key)
			if name == "zarr.json" || name == ".zarray" || name == ".zattrs" {
				continue
			}
			if *count++; !yield(name) {
				return
			}
		}
	}
}
