package document

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// The names of metadata documents, below the path of their node.
const (
	ZarrJSON  = "zarr.json"
	ZArray    = ".zarray"
	ZGroup    = ".zgroup"
	ZAttrs    = ".zattrs"
	ZMetadata = ".zmetadata" // v2's consolidated metadata

	V1Array = "meta"
	V1Attrs = "attrs"
)

// Kind is the kind of node that is wanted.
type Kind uint8

// The kinds of nodes.
const (
	Any Kind = iota
	Array
	Group
)

// String is the kind in words.
func (k Kind) String() string { return [...]string{"array or group", "array", "group"}[k] }

// Node says where the documents of one node are, and how they are read and written.
type Node struct {
	Store        store.Store
	Path         string          // normalised; "" is the root
	Format       int             // 1, 2 or 3: only documents of that format are read; 0: of any
	Limit        int64           // bytes of one document; longer ones are fault.Limit
	SingleWriter bool            // documents are replaced and deleted without a condition
	Parser       meta.Parser     // of documents that decide what may be created or deleted
	Account      account.Options // what is counted of the requests, and bounds them
}

// begin begins the account of one request, or of several that are made as one thing: they are asked
// of the store that it returns.
func (n *Node) begin(ctx context.Context) (context.Context, store.Store) {
	ctx, s, _ := account.Begin(ctx, n.Store, n.Account)
	return ctx, s
}

// Begin begins the account of requests that are not made by this package, such as listings of the
// node's chunks: they are sent to the store that it returns, with the context that it returns.
func (n *Node) Begin(ctx context.Context) (context.Context, store.Store) { return n.begin(ctx) }

// Conflict counts a change that has to be made again.
func (n *Node) Conflict() {
	if r := n.Account.Report; r != nil {
		r.Conflicts.Add(1)
	}
}

// At is the node at another path of the store.
func (n *Node) At(path string) *Node {
	other := *n
	other.Path = path
	return &other
}

// Key is the key of a document of the node.
func (n *Node) Key(name string) string { return Join(n.Path, name) }

// Join puts a name below a path.
func Join(path, name string) string {
	switch {
	case path == "":
		return name
	case name == "":
		return path
	}
	return path + "/" + name
}

// Errorf says which node of which store an error is about.
func Errorf(st store.Store, path string, err error) error {
	return fmt.Errorf("zarr: %q in %s: %w", path, store.Name(st), err)
}
