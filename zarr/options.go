package zarr

import (
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/engine"
	"github.com/zargo-io/zargo/internal/hierarchy"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Option changes how a node behaves, never what is stored. Options are given when a node is opened
// or created, or to [Array.With]; later ones win. A group's options pass to the nodes opened
// through it. An Option prints itself.
//
// Options are named by what they set, as those of the stores are: Extensions(t, nil), Format(3),
// Strict().
type Option struct {
	name  string
	apply func(*config) error
}

// String gives the option as it was written.
func (o Option) String() string { return o.name }

// config is what the options of a node add up to.
type config struct {
	hierarchy.Options
	given       []Option
	inFlight    int
	maxRequests int
	maxBytes    int64
	guard       engine.Guard // of rows that are claimed; nil: none
	dims        []string     // names, where metadata has none
	limits      *concurrency.Limits
	cache       *cache.Cache // of decoded chunks; nil: none
	own         *codec.Table // what Codecs was given
}

// maxMetadata is the default bound in bytes on one metadata document: consolidated metadata of ten
// thousand arrays has about 20 MiB.
const maxMetadata = 64 << 20

func newConfig(opts []Option) (config, error) {
	c := config{Options: hierarchy.Options{MaxMetadata: maxMetadata}}
	return c, c.add(opts)
}

func (c *config) add(opts []Option) error {
	c.given = slices.Concat(c.given, opts)
	for _, o := range opts {
		if o.apply == nil {
			return fault.Newf(fault.Selection, "an Option that no function of package zarr made")
		}
		if err := o.apply(c); err != nil {
			return fmt.Errorf("zarr: option %v: %w", o, err)
		}
	}
	if c.limits == nil {
		c.limits = concurrency.Default()
	}
	if c.Table == nil {
		c.Table = codec.Builtin()
	}
	if c.Chunks.ChunkLimit == 0 {
		// Half of the memory that the process may use: a chunk must fit beside its encoded form.
		c.Chunks.ChunkLimit = concurrency.Memory() / 2
	}
	if c.Chunks.IndexLimit == 0 {
		c.Chunks.IndexLimit = min(c.Chunks.ChunkLimit, maxIndex)
	}
	return nil
}

// Format opens only nodes of one Zarr format, 1, 2 or 3, and saves the requests that would find it
// out; 0, the default, is any.
func Format(format int) Option {
	return Option{fmt.Sprintf("Format(%d)", format), func(c *config) error {
		if format < 0 || format > 3 {
			return fault.Newf(fault.Selection, "format %d is not 1, 2 or 3", format)
		}
		c.Format = format
		return nil
	}}
}

// Documents opens nodes from metadata documents that the caller has, by key below the store's root,
// instead of reading them: a node for which "path/zarr.json", or ".zarray" and ".zattrs", or
// ".zgroup" and ".zattrs" are there, or a group for which there is ".zmetadata" alone, takes no
// request, nor does any that consolidated metadata among them has. All others are read as usual.
// What is there may be from a binary, a catalogue or another process, and [Node] gives it:
//
//	docs, err := a.Documents() // in one process
//	a, err := zarr.OpenArray(ctx, st, "t2m", zarr.Documents(docs)) // in another
//
// Documents of a node belong together: where .zarray is there and .zattrs is not, the array has no
// attributes. They are taken as they are, and parsed and bounded as stored ones; do not change them
// later. Members and Walk still list the store where there is no consolidated metadata.
//
// What is not stored as they say is not written: the first write to the array reads its own
// metadata, and is ErrConflict where that differs, and ErrNotFound where there is none. SetAttrs
// reads it too. [Array.Refresh] opens the array as it is stored.
func Documents(docs map[string][]byte) Option {
	return Option{fmt.Sprintf("Documents(%d)", len(docs)), func(c *config) error { c.Documents = docs; return nil }}
}

// maxIndex is the default bound in bytes on the index of a shard. 32 MiB: two million inner chunks,
// each planned with some 200 bytes.
const maxIndex = 32 << 20

// StoreFill stores chunks even when every element is the fill value; without it they are deleted or
// not written.
func StoreFill() Option {
	return Option{"StoreFill()", func(c *config) error { c.Chunks.StoreFill = true; return nil }}
}

// SingleWriter promises that no one else writes the array meanwhile. Partial chunks, and chunks
// that reach beyond the shape, are then read and written without a condition, which a store that
// cannot do conditional writes needs.
func SingleWriter() Option {
	return Option{"SingleWriter()", func(c *config) error { c.SingleWriter = true; return nil }}
}

// IgnoreConsolidated ignores consolidated metadata, and what [Documents] gave before it: members of
// a group are listed and read one by one, and what is opened through the group is asked of the
// store.
func IgnoreConsolidated() Option {
	return Option{"IgnoreConsolidated()", func(c *config) error { c.Direct, c.Documents = true, nil; return nil }}
}

// Separator says what is between the numbers of chunk keys, "/" or ".", of v2 arrays whose metadata
// does not say it. The specification takes them to have a point, but writers older than the member
// dimension_separator (zarr-python's NestedDirectoryStore, N5-like ones) stored 0/0 too: read as
// 0.0, all chunks are missing and are the fill value. The layout is never guessed; package upkeep
// looks. Reads and writes go by the option; metadata stays as it is.
//
// Metadata that does say it wins: an array whose chunk keys would be others is refused with
// ErrSelection, when it is opened or created. Keys of v2 arrays of fewer than two axes have no
// separator, so the option does not matter to them.
func Separator(sep string) Option {
	return Option{fmt.Sprintf("Separator(%q)", sep), func(c *config) error {
		if sep != "/" && sep != "." {
			return fault.Newf(fault.Selection, "separator %q is neither %q nor %q", sep, "/", ".")
		}
		c.Separator = sep
		return nil
	}}
}

// Extensions sets the tables of codecs and of data types, for those that are not built in. nil keeps
// the table: by default codec.Builtin and dtype.Standard. Both nil is ErrSelection.
func Extensions(codecs *codec.Table, types *dtype.Table) Option {
	return Option{"Extensions(…)", func(c *config) error {
		if codecs == nil && types == nil {
			return fault.Newf(fault.Selection, "Extensions without a table")
		}
		if codecs != nil {
			c.Table, c.own = codecs, codecs
		}
		if types != nil {
			c.Types = types
		}
		return nil
	}}
}
