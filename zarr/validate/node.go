package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

func more(n int) string { return fmt.Sprintf("and %d more", n) }

// maxDocument bounds a metadata document that is read for itself, as zarr.Limits.Metadata does by
// default.
const maxDocument = 64 << 20

// The documents of nodes, by name.
const (
	docV3           = "zarr.json"
	docArray        = ".zarray"
	docGroup        = ".zgroup"
	docAttrs        = ".zattrs"
	docConsolidated = ".zmetadata"
	docArrayV1      = "meta"
	docAttrsV1      = "attrs"
)

// documents are the names of documents that lie at a node.
type documents map[string]bool

func isDocument(name string) bool {
	switch name {
	case docV3, docArray, docGroup, docAttrs, docConsolidated:
		return true
	}
	return false
}

// check finds metadata that other metadata hides.
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

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}

// inArray reports whether a key below an array is that of a document which would make a node there.
func inArray(key string) bool {
	i := strings.LastIndexByte(key, '/')
	return i >= 0 && (key[i+1:] == docV3 || key[i+1:] == docArray || key[i+1:] == docGroup)
}

// name is a key below a path.
func name(path, key string) string { return strings.TrimPrefix(strings.TrimPrefix(key, path), "/") }

// place is a path where there may be a node.
type place struct {
	path string
	why  certainty
}

// certainty is how sure it is that there is a node.
type certainty uint8

const (
	due     certainty = iota // what the caller says
	likely                   // it is a folder in a group
	perhaps                  // it is a folder at a node whose metadata cannot be read, and which may be a group
)

// node looks at one node and returns where there may be others directly below it.
func (r *run) node(ctx context.Context, p place) ([]place, error) {
	told := r.few(p.path)
	defer told.done()
	n, unlock, err := r.open(ctx, p.path, told)
	defer unlock()
	if errors.Is(err, fault.NotFound) && p.why != due {
		if p.why == likely {
			r.tell(rule.Finding{Rule: rule.NoNode, Path: p.path})
		}
		return nil, nil
	}
	r.count(func(x *Result) { x.Nodes++ })
	if err != nil {
		if failed := r.fail(ctx, p.path, err); failed != nil || errors.Is(err, fault.NotFound) {
			return nil, failed
		}
		return r.broken(ctx, p.path, told)
	}
	switch n := n.(type) {
	case *zarr.Array:
		r.known.Store(n.Source().At)
		claimIn(n.Source().Claimed(), told)
		r.count(func(x *Result) { x.Arrays++ })
		return nil, r.array(ctx, n, told)
	case *zarr.Group:
		r.known.Store(n.Source().At)
		claimIn(n.Source().Claimed(), told)
		return r.group(ctx, n, told)
	}
	return nil, nil
}

// soon is how long in bytes a document may be to be read beside others. Larger ones are looked at
// one by one: each may take as much memory as a process should. 1 MiB: nearly all are a few
// kilobytes.
const soon = 1 << 20

// open opens a node. unlock is called when it is done with.
func (r *run) open(ctx context.Context, path string, told *few) (n zarr.Node, unlock func(), err error) {
	mode := []zarr.Option{zarr.IgnoreConsolidated(), zarr.Findings(func(f rule.Finding) {
		if f.Rule != rule.BadConsolidated { // which consolidated reports as the error that it is to other readers
			told.tell(f)
		}
	})}
	opts := slices.Concat([]zarr.Option{zarr.Limit(zarr.Limits{Metadata: soon})}, r.opts.Open, mode) // a limit of the caller's wins
	n, err = zarr.Open(ctx, r.st, path, opts...)
	if of := (*fault.MetaError)(nil); !errors.Is(err, fault.Limit) || errors.As(err, &of) {
		return n, func() {}, err // a document that was read is over no limit on its length
	}
	large, err := r.large.Lock(ctx, "")
	if err != nil {
		return nil, func() {}, err
	}
	n, err = zarr.Open(ctx, r.st, path, slices.Concat(r.opts.Open, mode)...)
	return n, large.Unlock, err
}

// group looks at what lies at a group.
func (r *run) group(ctx context.Context, g *zarr.Group, told *few) (below []place, err error) {
	path, docs := g.Path(), documents{}
	counted, st := r.begin(ctx)
	for e, err := range store.Pages(counted, st, path, store.ListOptions{Depth: store.OneLevel}) {
		if errors.Is(err, errors.ErrUnsupported) {
			if !r.cannotList(path) {
				return nil, nil // the group above gave all that is below
			}
			return r.unlistedNodes(ctx, g)
		}
		if err != nil {
			return below, r.fail(ctx, path, err) // what was listed until then is looked at
		}
		switch part := name(path, e.Key); {
		case e.Dir && g.Format() == 3 && strings.HasPrefix(part, "__"): // reserved, and no node
		case e.Dir:
			below = append(below, place{e.Key, likely})
		case isDocument(part):
			docs[part] = true
		default:
			told.tell(rule.Finding{Rule: rule.StrayKey, Key: e.Key})
			if e.Size < 0 { // in a directory a link to what is not there, such as a node on a disk that is not mounted
				if err := r.refused(ctx, join(e.Key, docV3), told); err != nil {
					return nil, err
				}
			}
		}
	}
	docs.check(told.tell, path)
	if m := g.Metadata(); docs[docConsolidated] && g.Format() == 2 || m.Consolidated != nil || m.Unreadable != nil {
		if err := r.consolidated(ctx, g, told); err != nil {
			return nil, err
		}
	}
	return below, nil
}

// unlistedNodes are all nodes below a group that consolidated metadata has, where there is no
// listing.
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
			below = append(below, place{n.Path(), due})
		}
	}
	return below, nil
}

// consolidated holds the group's consolidated metadata against the nodes below it.
func (r *run) consolidated(ctx context.Context, g *zarr.Group, told *few) error {
	path, key := g.Path(), join(g.Path(), docV3)
	if g.Format() == 2 {
		// Its own leniencies: those of v3 were told when the group was opened, of whose document it
		// is a part.
		key = join(path, docConsolidated)
		counted, st := r.begin(ctx)
		v, err := st.Get(counted, key, store.GetOptions{Max: maxDocument}, nil)
		if err != nil {
			return r.fail(ctx, path, err)
		}
		p := meta.Parser{Lenient: func(f rule.Finding) error { told.tell(f); return nil }}
		if _, err := p.ConsolidatedV2(key, v.Bytes); err != nil {
			return r.fail(ctx, path, err)
		}
	}
	quiet, err := g.With(zarr.Findings(func(rule.Finding) {})) // each node below tells its own
	if err != nil {
		return err
	}
	stale, err := upkeep.CheckConsolidated(ctx, quiet)
	for _, d := range stale {
		told.tell(rule.Finding{Rule: rule.Stale, Key: key, Text: d.String()})
	}
	var m *fault.MetaError
	switch {
	case err == nil, errors.Is(err, fault.NotFound):
		return nil
	case errors.As(err, &m) && m.Key != key:
		return nil // the node tells it
	}
	return r.fail(ctx, path, err)
}
