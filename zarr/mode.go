package zarr

import (
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Strict refuses metadata and chunks that violate a rule with severity [rule.Warning]. By default
// reads tolerate such violations: non-standard spellings in metadata, stored bytes that do not
// encode an element of the data type, bytes after a compressed chunk, and shards whose inner chunks
// overlap. The error is a *rule.Error within a *MetaError or a *ChunkError, and its kind is
// ErrMetadata or ErrCorrupt. Package validate checks the rules about the keys of a store.
func Strict() Option {
	return Option{"Strict()", func(c *config) error { c.Strict = true; return nil }}
}

// OnFinding passes each tolerated violation of a rule to the function tell: those in metadata when
// a node is opened, those in chunks when they are read. The read continues unless [Strict] is set.
// A finding in a chunk names the array; its Key is empty. tell may be called concurrently, and must
// not be nil (ErrSelection otherwise). By default violations are not reported.
func OnFinding(tell func(rule.Finding)) Option {
	return Option{"OnFinding(…)", func(c *config) error {
		if tell == nil {
			return fault.Newf(fault.Selection, "the function is nil")
		}
		c.Tell = tell
		return nil
	}}
}
