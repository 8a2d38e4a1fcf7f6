package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
)

// Found is a node or the error of reading it.
type Found struct {
	Node *Node
	Err  error

	path   string
	top    bool // Err is the error of listing the group itself
	object bool // the path is that of an object, which is not a directory
	large  bool // the documents are longer than soon, so Node is not read yet
}

// unlisted returns err, the error of a listing. If the store does not support listings, unlisted
// adds bad, the error of reading the consolidated metadata, to the result.
func (n *Node) unlisted(bad, err error) error {
	if bad == nil || !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return fmt.Errorf("%w; %w", n.Errorf(bad), err)
}

// walk calls yield for the stored nodes below the group, in the order of Members, until yield
// returns false. An error of the store is yielded with an empty path and ends the walk.
func (n *Node) walk(ctx context.Context, depth int, yield func(Found) bool) {
	top := true
	for level := []Place{{Path: n.Path, Format: n.Format}}; len(level) > 0 && depth != 0; depth-- {
		children, err := n.Children(ctx, level)
		if err != nil {
			yield(Found{Err: n.Errorf(err), top: top})
			return
		}
		level, top = nil, false
		if !n.opened(ctx, children, func(f Found) bool {
			if f.path != "" && f.Node == nil && f.Err == nil {
				n.passedOver(f.path, f.object)
				return true
			}
			if !yield(f) {
				return false
			}
			if sub := f.Node; sub != nil && sub.Group() != nil && depth != 1 {
				level = append(level, Place{Path: sub.Path, Format: sub.Format})
			}
			return true
		}) {
			return
		}
	}
}

// opened opens the nodes in directories and calls yield for each, in order. If a directory contains
// no node, both Node and Err are nil. An error of the store is yielded with an empty path. opened
// returns false after such an error, or if yield returns false.
func (n *Node) opened(ctx context.Context, children []Place, yield func(Found) bool) bool {
	for some := range slices.Chunk(children, windowOf*max(store.TuningOf(n.Store).Requests, 1)) {
		nodes, err := n.openAll(ctx, some)
		if err != nil {
			yield(Found{Err: err})
			return false
		}
		for i := range nodes {
			f := nodes[i]
			nodes[i] = Found{} // release the reference
			if f.large {
				if f.Node, f.Err = n.openChild(ctx, some[i], n.Cfg.MaxMetadata); notMeta(f.Err) {
					yield(Found{Err: f.Err})
					return false
				}
			}
			if !yield(f) {
				return false
			}
		}
	}
	return true
}

// windowOf is the number of nodes that are opened ahead of the consumer, for each concurrent
// request that the store allows.
const windowOf = 4

// soon is the maximum size in bytes of documents that are read ahead of the consumer. Longer
// documents are read one at a time. Nearly all documents have a few kilobytes, and consolidated
// metadata below a group is rare.
const soon = 1 << 20

// notMeta reports whether err is an error of the store, not of one node's metadata.
func notMeta(err error) bool {
	var me *fault.MetaError
	return err != nil && !errors.As(err, &me)
}

// openAll opens the nodes in directories concurrently and retains their order. Nodes with large
// documents are not opened, but marked in the result.
func (n *Node) openAll(ctx context.Context, children []Place) ([]Found, error) {
	nodes := make([]Found, len(children))
	err := concurrency.EachN(ctx, store.TuningOf(n.Store).Requests, len(children), func(ctx context.Context, i int) error {
		f, err := n.openChild(ctx, children[i], min(soon, n.Cfg.MaxMetadata))
		if errors.Is(err, fault.Limit) && notMeta(err) && n.Cfg.MaxMetadata > soon {
			nodes[i] = Found{path: children[i].Path, large: true}
			return nil
		}
		if notMeta(err) {
			return err
		}
		nodes[i] = Found{path: children[i].Path, object: children[i].Object, Node: f, Err: err}
		return nil
	})
	return nodes, err
}

// openChild opens the node in a directory. It returns nil if the directory contains no node. most
// is the maximum size in bytes of the documents that openChild reads. Nearly all hierarchies have
// one format, so openChild tries the format of the parent first. A v3 node then takes one request
// instead of four, a v2 array takes two, and a v2 group takes three.
func (n *Node) openChild(ctx context.Context, c Place, most int64) (*Node, error) {
	if c.Object {
		return nil, n.readable(ctx, c)
	}
	formats := []int{c.Format, 5 - c.Format}
	if n.Cfg.Format != 0 {
		formats = []int{n.Cfg.Format}
	}
	at := n.at(c.Path)
	if found, err := at.openGiven(Any); err != nil || found != nil {
		return found, err
	}
	if found := at.known(ctx); found != nil {
		return found, nil
	}
	denied := error(nil) // as in a search for documents, it counts as absent if another document makes a node
	for _, f := range formats {
		in := at.At(c.Path)
		in.Cfg.Format, in.Cfg.MaxMetadata = f, most
		docs, err := in.FindMember(ctx)
		if errors.Is(err, fault.Refused) {
			denied = cmp.Or(denied, err)
			continue
		}
		if err != nil {
			return nil, at.Errorf(unnamed(in.Path, err))
		}
		found, err := at.Parse(docs)
		if err != nil {
			return nil, at.Errorf(err)
		}
		if found != nil {
			KnownIn(ctx).Add(found)
			return found, nil
		}
	}
	if denied != nil {
		return nil, at.Errorf(unnamed(at.Path, denied))
	}
	return nil, nil
}

// unnamed returns err, the error of reading a member, as a *fault.MetaError if the store cannot
// read its name. Other members can be read.
func unnamed(path string, err error) error {
	if errors.Is(err, fault.Path) {
		return &fault.MetaError{Key: path, Err: err}
	}
	return err
}

// readable returns a *fault.MetaError for an object in a group that the store lists but cannot
// read: a symbolic link without a target or in a loop, a special file, or a name that is not a key.
// The name may be that of a node.
func (n *Node) readable(ctx context.Context, c Place) error {
	if !c.Unread {
		return nil
	}
	_, err := n.Probe(ctx, c.Path)
	if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Refused) || errors.Is(err, fault.Path) {
		return n.at(c.Path).Errorf(&fault.MetaError{Key: c.Path, Err: err})
	}
	return nil // another object
}

// passedOver reports a directory that is not a node, or an object that is not a document.
func (n *Node) passedOver(path string, object bool) {
	if n.Cfg.Tell == nil || strings.HasPrefix(path[strings.LastIndexByte(path, '/')+1:], private) {
		return
	}
	if object {
		group, _ := Parent(path)
		n.Cfg.Tell(rule.Finding{Rule: rule.StrayKey, Path: group, Key: path})
		return
	}
	n.Cfg.Tell(rule.Finding{Rule: rule.NoNode, Path: path})
}

// private is the prefix of the directories in which zargo keeps the state of unfinished work.
const private = "__zargo_"
