package validate

import (
	"fmt"

	"github.com/zargo-io/zargo/internal/chunkkeys"
	"github.com/zargo-io/zargo/internal/hierarchy"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
)

// elsewhere are keys below an array that chunks would have under another layout. What they mean is
// known at the end of the listing: they are left over where the array has chunks under its own
// keys, and are the array's chunks where it has none.
type elsewhere struct {
	keys   []string // some of them
	least  string   // the one that comes first
	n      int
	layout meta.KeyEncoding // of the first
	mixed  bool             // there are others
	inside bool             // one is of a chunk of the grid
}

func (e *elsewhere) add(key string, f chunkkeys.Found, inside bool) {
	if e.n++; e.n == 1 {
		e.layout, e.least = f.Encoding, key
	}
	e.least = min(e.least, key)
	e.mixed = e.mixed || f.Encoding != e.layout
	e.inside = e.inside || inside
	if len(e.keys) < maxFew {
		e.keys = append(e.keys, key)
	}
}

// add notes that a chunk of the grid is stored.
func (c *chunks) add(coord []int) {
	c.seen = true
	if c.present != nil {
		c.present.Add(coord)
	}
}

// reportElsewhere reports keys of another layout: one by one, or as one finding about the metadata
// where all chunks have such keys.
func (c *chunks) reportElsewhere() {
	e := c.elsewhere
	if e.n > 0 && e.inside && !c.seen && !e.mixed {
		doc := hierarchy.SourceOf(c.a).Doc.Key
		c.told.tell(rule.Finding{Rule: rule.WrongSeparator, Key: doc, Text: fmt.Sprintf("%q is one of %d, the metadata says %q", e.least, e.n, c.a.ChunkKey(make([]int, len(c.keys.Grid))...))})
		return
	}
	for _, key := range e.keys {
		c.told.tell(rule.Finding{Rule: rule.OtherLayout, Key: key})
	}
	c.told.leave(rule.OtherLayout, e.n-len(e.keys))
}
