package document

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Names of metadata documents, relative to their node.
const (
	ZarrJSON  = "zarr.json"
	ZArray    = ".zarray"
	ZGroup    = ".zgroup"
	ZAttrs    = ".zattrs"
	ZMetadata = ".zmetadata" // v2's consolidated metadata

	V1Array = "meta"
	V1Attrs = "attrs"
)

// Kind is the kind of a node: array or group.
type Kind uint8

// Kinds of nodes. Any means both kinds.
const (
	Any Kind = iota
	Array
	Group
)

// String returns the kind in words.
func (k Kind) String() string { return [...]string{"array or group", "array", "group"}[k] }

// Node is the location of one node and the settings for requests of its documents.
type Node struct {
	Store        store.Store
	Path         string          // normalised; "" is the root
	Format       int             // 1, 2 or 3 to read only documents of that format; 0 for any
	Expect       int             // format of a related node, with whose documents a search begins; 0 if unknown
	Limit        int64           // maximum size of a document in bytes; a longer document returns fault.Limit
	SingleWriter bool            // replaces and deletes documents without a condition
	Parser       meta.Parser     // parses documents that decide what may be created or deleted
	Account      account.Options // counters and limits of the requests
	// Group is the path of an opened v2 group, or nil. Create then creates a member of the group,
	// and fails with ErrMigrated if the group was migrated to v3.
	Group *string
}

// begin starts the account of one operation. All requests of the operation must use the returned
// context and store.
func (n *Node) begin(ctx context.Context) (context.Context, store.Store) {
	ctx, s, _ := account.Begin(ctx, n.Store, n.Account)
	return ctx, s
}

// Begin starts the account of requests from other packages, such as listings of the node's chunks.
// These requests must use the returned context and store.
func (n *Node) Begin(ctx context.Context) (context.Context, store.Store) { return n.begin(ctx) }

// Conflict counts a change that is retried because another writer changed the document.
func (n *Node) Conflict() {
	if r := n.Account.Report; r != nil {
		r.Conflicts.Add(1)
	}
}

// At returns a copy of n for another path of the store.
func (n *Node) At(path string) *Node {
	other := *n
	other.Path = path
	return &other
}

// Key returns the key of a document of the node.
func (n *Node) Key(name string) string { return Join(n.Path, name) }

// Join returns the key of name below path.
func Join(path, name string) string {
	switch {
	case path == "":
		return name
	case name == "":
		return path
	}
	return path + "/" + name
}

// Errorf wraps err with the path of the node and the name of the store.
func Errorf(st store.Store, path string, err error) error {
	return fmt.Errorf("zarr: %q in %s: %w", path, store.Name(st), err)
}
