package validate

import (
	"fmt"

	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
)

// elsewhere collects the keys below an array that are chunk keys of another layout. Only the end of
// the listing shows what these keys are: leftovers if the array also has chunks under its own
// layout, and otherwise the array's chunks.
type elsewhere struct {
	keys   []string // the first maxPerRule listed
	least  string   // the least key in lexical order
	n      int
	layout meta.KeyEncoding // layout of the first key
	mixed  bool             // other keys have a different layout
	inside bool             // a key has a position in the grid
}

func (e *elsewhere) add(key string, f keys.Found, inside bool) {
	if e.n++; e.n == 1 {
		e.layout, e.least = f.Encoding, key
	}
	e.least = min(e.least, key)
	e.mixed = e.mixed || f.Encoding != e.layout
	e.inside = e.inside || inside
	if len(e.keys) < maxPerRule {
		e.keys = append(e.keys, key)
	}
}

// add records that a chunk of the grid is stored.
func (c *chunks) add(coord []int) {
	c.seen = true
	if c.present != nil {
		c.present.Add(coord)
	}
}

// reportElsewhere reports the keys of another layout. If all chunks have such keys, it reports one
// finding about the metadata. Otherwise it reports one finding for each key.
func (c *chunks) reportElsewhere() {
	e := c.elsewhere
	if e.n > 0 && e.inside && !c.seen && !e.mixed {
		doc := node.Of(c.a).Doc.Key
		c.findings.report(rule.Finding{Rule: rule.WrongSeparator, Key: doc, Text: fmt.Sprintf("%q is one of %d keys, but the metadata declares keys such as %q", e.least, e.n, c.a.ChunkKey(make([]int, len(c.keys.Grid))...))})
		return
	}
	for _, key := range e.keys {
		c.findings.report(rule.Finding{Rule: rule.OtherLayout, Key: key})
	}
	c.findings.omit(rule.OtherLayout, e.n-len(e.keys))
}
