package zarr

import (
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node/array"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Option changes how a node behaves. Options are never stored. Pass them to the functions that
// open or create nodes, or to [Array.With] and [Group.With]; later options win. Nodes opened
// through a group inherit the group's options. An Option prints as the call that made it.
type Option struct {
	name  string
	apply func(*config) error
}

// String returns the option as a call, such as "Format(3)".
func (o Option) String() string { return o.name }

// config contains the options of a node.
type config struct {
	array.Options
	opts []Option
	dims []string // dimension names for metadata without them
}

// maxMetadata is the default maximum size in bytes of one metadata document. Consolidated metadata
// of ten thousand arrays is about 20 MiB.
const maxMetadata = 64 << 20

func newConfig(opts []Option) (config, error) {
	var c config
	c.MaxMetadata = maxMetadata
	return c, c.add(opts)
}

func (c *config) add(opts []Option) error {
	c.opts = slices.Concat(c.opts, opts)
	for _, o := range opts {
		if o.apply == nil {
			return fault.Newf(fault.Selection, "the zero Option is not a valid option")
		}
		if err := o.apply(c); err != nil {
			return fmt.Errorf("zarr: option %v: %w", o, err)
		}
	}
	if c.Limits == nil {
		c.Limits = concurrency.Default()
	}
	if c.Table == nil {
		c.Table = codec.Builtin()
	}
	if c.Chunks.ChunkLimit == 0 {
		// The limit is half of the memory of the process: a chunk must fit together with its
		// encoded form.
		c.Chunks.ChunkLimit = concurrency.Memory() / 2
	}
	if c.Chunks.IndexLimit == 0 {
		c.Chunks.IndexLimit = min(c.Chunks.ChunkLimit, maxIndex)
	}
	return nil
}

// Format opens only nodes of one Zarr format, which saves the requests that detect the format. The
// default, 0, opens any format. format must be 0 to 3.
func Format(format int) Option {
	return Option{fmt.Sprintf("Format(%d)", format), func(c *config) error {
		if format < 0 || format > 3 {
			return fault.Newf(fault.Selection, "format must be 1, 2 or 3, is %d", format)
		}
		c.Format = format
		return nil
	}}
}

// Documents opens nodes from the caller's metadata documents instead of the stored ones. The keys
// of docs are relative to the store's root. Opening these nodes sends no request:
//
//   - a node, if docs contains "path/zarr.json", ".zarray" and ".zattrs", or ".zgroup" and
//     ".zattrs"
//   - a group, if docs contains only its ".zmetadata"
//   - a node in consolidated metadata among docs
//
// All other nodes are read from the store. The documents may be embedded in a binary, or come from
// a catalog or another process. The method Documents of [Node] returns the documents of a node:
//
//	docs, err := a.Documents() // in one process
//	a, err := zarr.OpenArray(ctx, st, "t2m", zarr.Documents(docs)) // in another
//
// docs must contain all documents of a node: if it has .zarray but lacks .zattrs, the array has no
// attributes. Documents are parsed and bounded like stored ones. The caller must not change them
// afterwards. Members and Walk still list the store unless docs has consolidated metadata.
//
// A write never relies on docs alone. The first write to an array reads its stored metadata. It
// returns ErrConflict if the stored metadata differs from docs, and ErrNotFound if there is none.
// SetAttrs reads the stored metadata too. [Array.Refresh] opens the array from the store.
func Documents(docs map[string][]byte) Option {
	return Option{fmt.Sprintf("Documents(%d)", len(docs)), func(c *config) error { c.Documents = docs; return nil }}
}

// maxIndex is the default maximum size in bytes of the index of a shard. An index of 32 MiB has
// entries for two million inner chunks. A plan takes about 200 bytes for each.
const maxIndex = 32 << 20

// StoreFill stores chunks whose elements all equal the fill value. By default such chunks are
// deleted or not written.
func StoreFill() Option {
	return Option{"StoreFill()", func(c *config) error { c.Chunks.StoreFill = true; return nil }}
}

// SingleWriter promises that no other writer changes the array at the same time. Partial chunks,
// and chunks that extend beyond the shape, are then read and written without a condition. Stores
// without conditional writes require this option. By default writes are conditional.
func SingleWriter() Option {
	return Option{"SingleWriter()", func(c *config) error { c.SingleWriter = true; return nil }}
}

// IgnoreConsolidated ignores consolidated metadata, and the documents of a preceding [Documents]
// option. Members of a group are listed and read one by one, and nodes opened through the group
// are read from the store. By default consolidated metadata is used.
func IgnoreConsolidated() Option {
	return Option{"IgnoreConsolidated()", func(c *config) error { c.Direct, c.Named, c.Documents = true, false, nil; return nil }}
}

// Separator sets the separator in chunk keys, "/" or ".", for v2 arrays whose metadata lacks
// dimension_separator. The default is ".", as specified. Writers that predate this member, such as
// zarr-python's NestedDirectoryStore and N5-like stores, also stored keys such as 0/0. With "." all
// chunks of such an array are missing and read as the fill value. The separator is never guessed;
// package upkeep can detect it. The option affects reads and writes, but does not change the
// metadata.
//
// Opening or creating an array whose metadata specifies another separator returns ErrSelection. The
// option does not affect v2 arrays with fewer than two axes, because their keys contain no
// separator.
func Separator(sep string) Option {
	return Option{fmt.Sprintf("Separator(%q)", sep), func(c *config) error {
		if sep != "/" && sep != "." {
			return fault.Newf(fault.Selection, "separator must be %q or %q, is %q", "/", ".", sep)
		}
		c.Separator = sep
		return nil
	}}
}

// Extensions sets the tables of codecs and data types. Use it to add those that are not built in. A
// nil table leaves the current one unchanged; at least one must be set (ErrSelection otherwise).
// The defaults are codec.Builtin and dtype.Standard.
func Extensions(codecs *codec.Table, types *dtype.Table) Option {
	return Option{"Extensions(…)", func(c *config) error {
		if codecs == nil && types == nil {
			return fault.Newf(fault.Selection, "the table of codecs and the table of data types are both nil")
		}
		if codecs != nil {
			c.Table, c.Own = codecs, codecs
		}
		if types != nil {
			c.Types = types
		}
		return nil
	}}
}
