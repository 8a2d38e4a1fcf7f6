package unread

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/store"
)

// Key is a key in a group that belongs to no given node.
type Key struct {
	Key  string // relative to the top
	Why  string
	Node bool // Key is the path of a node
}

// The reasons of keys that are not nodes.
const (
	WhyFile        = "the object is not part of the hierarchy"
	WhyFolder      = "the directory is not a node"
	WhyUnreachable = "a node in a directory that is not a group"
	WhyNode        = "a node that is not among the known nodes"
)

// Listing is the result of [Keys].
type Listing struct {
	Extra  []Key    // keys that belong to no node, sorted
	Absent []string // paths of nodes that the listings of their groups lack, sorted
}

// Keys lists the groups of a hierarchy, one level each, and compares the result with its nodes.
// nodes has the path of each node relative to top, and whether the node is a group. Keys below
// arrays are not listed. Keys returns errors.ErrUnsupported if the store cannot list.
func Keys(ctx context.Context, st store.Store, top string, nodes map[string]bool) (*Listing, error) {
	var groups []string
	for _, at := range slices.Sorted(maps.Keys(nodes)) {
		if nodes[at] {
			groups = append(groups, at)
		}
	}
	found := make([][]Key, len(groups))
	seen := make([]map[string]bool, len(groups))
	err := concurrency.EachN(ctx, max(store.TuningOf(st).ListFanout, 1), len(groups), func(ctx context.Context, i int) (err error) {
		found[i], seen[i], err = keysOf(ctx, st, top, groups[i], nodes)
		return err
	})
	if err != nil {
		return nil, err
	}
	l := &Listing{Extra: slices.Concat(found...)}
	slices.SortFunc(l.Extra, func(a, b Key) int { return strings.Compare(a.Key, b.Key) })
	all := map[string]bool{"": true}
	for _, s := range seen {
		maps.Copy(all, s)
	}
	for _, at := range slices.Sorted(maps.Keys(nodes)) {
		if !all[at] {
			l.Absent = append(l.Absent, at)
		}
	}
	return l, nil
}

// keysOf lists the group at a path below top. seen has the nodes in the listing.
func keysOf(ctx context.Context, st store.Store, top, group string, nodes map[string]bool) (extra []Key, seen map[string]bool, err error) {
	seen = map[string]bool{}
	for e, err := range store.Pages(ctx, st, node.Join(top, group), store.ListOptions{Depth: store.OneLevel}) {
		if err != nil {
			return nil, nil, err
		}
		key := strings.TrimPrefix(strings.TrimPrefix(e.Key, top), "/")
		name := path.Base(key)
		_, known := nodes[key]
		switch {
		case known && e.Dir:
			seen[key] = true
		case strings.HasPrefix(name, private):
		case !e.Dir && node.IsNoObject(name):
		case !e.Dir:
			extra = append(extra, Key{Key: key, Why: WhyFile})
		default:
			doc, err := documentIn(ctx, st, e.Key)
			if err != nil {
				return nil, nil, err
			}
			switch at := strings.TrimPrefix(strings.TrimPrefix(doc, top), "/"); doc {
			case "":
				extra = append(extra, Key{Key: key, Why: WhyFolder})
			case e.Key:
				extra = append(extra, Key{Key: at, Why: WhyNode, Node: true})
			default:
				extra = append(extra, Key{Key: at, Why: WhyUnreachable, Node: true})
			}
		}
	}
	return extra, seen, nil
}

// private is the prefix of the directories in which zargo keeps the state of unfinished work.
const private = "__zargo_"

// maxSearched is the maximum number of keys of a directory that are searched for documents.
const maxSearched = 10_000

// documentIn returns the path of a node in a directory, the one at the directory itself if there is
// one. It returns "" if none of the first keys is the document of a node.
func documentIn(ctx context.Context, st store.Store, dir string) (at string, err error) {
	n := 0
	for e, err := range store.Pages(ctx, st, dir, store.ListOptions{}) {
		if err != nil {
			return "", err
		}
		if node.Founds(path.Base(e.Key)) {
			if path.Dir(e.Key) == dir {
				return dir, nil
			}
			if at == "" {
				at = path.Dir(e.Key)
			}
		}
		if n++; n == maxSearched {
			break
		}
	}
	return at, nil
}
