package validate

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// node checks one node and returns the places directly below it where nodes may exist.
func (r *run) node(ctx context.Context, p place) ([]place, error) {
	findings := r.findingsOf(p.path)
	defer findings.reportOmitted()
	n, unlock, err := r.open(ctx, p.path, findings)
	defer unlock()
	if errors.Is(err, fault.NotFound) && p.why != certain {
		if p.why == likely {
			r.report(rule.Finding{Rule: rule.NoNode, Path: p.path})
		}
		return nil, nil
	}
	r.count(func(x *Result) { x.Nodes++ })
	if err != nil {
		if failed := r.fail(ctx, p.path, err); failed != nil || errors.Is(err, fault.NotFound) {
			return nil, failed
		}
		return r.broken(ctx, p.path, findings)
	}
	if p.path != "" {
		if err := node.CheckCopied(path.Base(p.path), max(n.Format(), 2)); err != nil {
			findings.report(rule.Finding{Rule: rule.Path, Path: p.path, Text: "other readers take the node for a document, and no copy can have its name"})
		}
	}
	switch n := n.(type) {
	case *zarr.Array:
		r.known.Store(node.Of(n))
		claimIn(node.Of(n).Claimed(), findings)
		r.count(func(x *Result) { x.Arrays++ })
		conventions(n, findings)
		return nil, r.array(ctx, n, findings)
	case *zarr.Group:
		r.known.Store(node.Of(n))
		claimIn(node.Of(n).Claimed(), findings)
		conventions(n, findings)
		return r.group(ctx, n, findings)
	}
	return nil, nil
}

// place is a path where a node may exist.
type place struct {
	path string
	why  certainty
}

// name returns the part of key after path.
func name(path, key string) string { return strings.TrimPrefix(strings.TrimPrefix(key, path), "/") }

// private is the prefix of the directories in which packages transfer and pyramid keep their state.
// They are not nodes, which is not reported.
const private = "__zargo_"

// maxDocument is the maximum size of a metadata document that is read without opening its node. It
// equals the default of zarr.Limits.Metadata.
const maxDocument = 64 << 20

// The names of metadata documents.
const (
	docV3           = "zarr.json"
	docArray        = ".zarray"
	docGroup        = ".zgroup"
	docAttrs        = ".zattrs"
	docConsolidated = ".zmetadata"
	docArrayV1      = "meta"
	docAttrsV1      = "attrs"
)

const (
	certain certainty = iota // the caller or consolidated metadata names it
	likely                   // it is a directory in a group
	perhaps                  // it is a directory below a node that may be a group but whose metadata cannot be read
)

// smallDocument is the maximum length in bytes of a document that is read while other nodes are
// checked. Nodes with larger documents are checked one at a time, because one such node may need as
// much memory as a process should use. Nearly all documents have only a few kilobytes.
const smallDocument = 1 << 20

// open opens a node. The caller must call unlock when the node is no longer used.
func (r *run) open(ctx context.Context, path string, findings *nodeFindings) (n zarr.Node, unlock func(), err error) {
	mode := []zarr.Option{zarr.IgnoreConsolidated(), zarr.OnFinding(func(f rule.Finding) {
		if f.Rule != rule.BadConsolidated { // consolidated reports it, with the error that other readers get
			findings.report(f)
		}
	})}
	opts := slices.Concat([]zarr.Option{zarr.Limit(zarr.Limits{Metadata: smallDocument})}, r.opts.Open, mode) // a limit set by the caller takes precedence
	n, err = zarr.Open(ctx, r.st, path, opts...)
	if of := (*fault.MetaError)(nil); !errors.Is(err, fault.Limit) || errors.As(err, &of) {
		return n, func() {}, err // the document was read, so its length is within the limit
	}
	large, err := r.large.Lock(ctx, "")
	if err != nil {
		return nil, func() {}, err
	}
	n, err = zarr.Open(ctx, r.st, path, slices.Concat(r.opts.Open, mode)...)
	return n, large.Unlock, err
}

// group checks the keys at a group and its consolidated metadata.
func (r *run) group(ctx context.Context, g *zarr.Group, findings *nodeFindings) (below []place, err error) {
	path, docs, built := g.Path(), documents{}, false
	counted, st := r.begin(ctx)
	for e, err := range store.Pages(counted, st, path, store.ListOptions{Depth: store.OneLevel}) {
		if errors.Is(err, errors.ErrUnsupported) {
			if !r.cannotList(path) {
				return nil, nil // the group above returned all nodes below it
			}
			return r.unlistedNodes(ctx, g)
		}
		if err != nil {
			return below, r.fail(ctx, path, err) // the nodes listed so far are checked
		}
		switch part := name(path, e.Key); {
		case e.Dir && strings.HasPrefix(part, private):
			built = built || part == statesOfPyramids
			below = append(below, place{e.Key, perhaps})
		case e.Dir:
			below = append(below, place{e.Key, likely})
		case isDocument(part):
			docs[part] = true
		default:
			findings.report(rule.Finding{Rule: rule.StrayKey, Key: e.Key})
			if e.Size < 0 { // in a directory: a dangling symbolic link, for example to a disk that is not mounted
				if err := r.unread(ctx, e.Key, findings); err != nil {
					return nil, err
				}
			}
		}
	}
	docs.check(findings.report, path)
	if built {
		if err := r.pyramids(ctx, g, findings); err != nil {
			return nil, err
		}
	}
	if m := g.Metadata(); docs[docConsolidated] && g.Format() == 2 || m.Consolidated != nil || m.Unreadable != nil {
		if err := r.consolidated(ctx, g, findings); err != nil {
			return nil, err
		}
	}
	return below, nil
}

// check reports documents that other documents of the same node hide.
func (d documents) check(tell func(rule.Finding), path string) {
	if d[docV3] {
		for _, name := range []string{docArray, docGroup, docAttrs, docConsolidated} {
			if d[name] {
				tell(rule.Finding{Rule: rule.TwoFormats, Path: path, Key: join(path, name)})
				return
			}
		}
	}
	if d[docArray] && d[docGroup] {
		tell(rule.Finding{Rule: rule.ArrayAndGroup, Path: path, Key: join(path, docGroup)})
	}
}

func isDocument(name string) bool { return node.IsDocument(name) }

func join(path, name string) string { return node.Join(path, name) }

// documents is the set of document names stored at a node.
type documents map[string]bool

// unlistedNodes returns all nodes in the consolidated metadata of a group. It is used for stores
// that cannot list.
func (r *run) unlistedNodes(ctx context.Context, g *zarr.Group) (below []place, err error) {
	cached, err := zarr.OpenGroup(ctx, r.st, g.Path(), r.opts.Open...)
	if err != nil {
		return nil, r.fail(ctx, g.Path(), err)
	}
	for n, err := range cached.Walk(ctx) {
		switch {
		case err != nil:
			if err := r.fail(ctx, g.Path(), err); err != nil {
				return nil, err
			}
		default:
			below = append(below, place{n.Path(), certain})
		}
	}
	return below, nil
}

// consolidated compares the group's consolidated metadata with the nodes below it.
func (r *run) consolidated(ctx context.Context, g *zarr.Group, findings *nodeFindings) error {
	path, key := g.Path(), join(g.Path(), docV3)
	copies := g.Metadata().Consolidated
	if g.Format() == 2 {
		key = join(path, docConsolidated)
		counted, st := r.begin(ctx)
		v, err := st.Get(counted, key, store.GetOptions{Max: maxDocument}, nil)
		if err != nil {
			return r.fail(ctx, path, err)
		}
		p := meta.Parser{Lenient: func(f rule.Finding) error { findings.report(f); return nil }}
		if copies, err = p.ConsolidatedV2(key, v.Bytes); err != nil {
			return r.fail(ctx, path, err)
		}
	}
	for p := range copies.Paths() {
		copies.Node(p) // reports the tolerated violations in the copy
	}
	quiet, err := g.With(zarr.OnFinding(func(rule.Finding) {})) // each node below reports its own findings
	if err != nil {
		return err
	}
	stale, err := upkeep.CheckConsolidated(ctx, quiet)
	for _, d := range stale {
		findings.report(rule.Finding{Rule: rule.Stale, Key: key, Text: d.String()})
	}
	var m *fault.MetaError
	switch {
	case err == nil, errors.Is(err, fault.NotFound):
		return nil
	case errors.As(err, &m) && m.Key != key:
		return nil // the check of that node reports it
	}
	return r.fail(ctx, path, err)
}

func more(n int) string { return fmt.Sprintf("and %d more", n) }

// inArray reports whether a key below an array is a document that would create a node inside the
// array.
func inArray(key string) bool {
	i := strings.LastIndexByte(key, '/')
	return i >= 0 && (key[i+1:] == docV3 || key[i+1:] == docArray || key[i+1:] == docGroup)
}

// certainty describes why a node is expected at a path.
type certainty uint8
