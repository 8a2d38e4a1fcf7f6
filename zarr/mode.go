package zarr

import (
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Strict refuses what is read otherwise although it breaks a rule of severity Warning of package
// rule: spellings that the specifications do not have, stored bytes that are the form of no
// element, bytes after a compressed chunk, shards whose inner chunks overlap. The error is a
// *rule.Error, within a *MetaError or a *ChunkError; its kind is ErrMetadata or ErrCorrupt. Rules
// about what lies under which key are for package validate.
func Strict() Option {
	return Option{"Strict()", func(c *config) error { c.Strict = true; return nil }}
}

// Findings calls tell for every breach of a rule that reading passes over, metadata's when a node
// is opened, those of chunks when they are read; reading goes on, unless [Strict] is given too. A
// finding in a chunk names the array, and its Key is left empty. tell may be called from many
// goroutines at once.
func Findings(tell func(rule.Finding)) Option {
	return Option{"Findings(…)", func(c *config) error {
		if tell == nil {
			return fault.Newf(fault.Selection, "no function")
		}
		c.Tell = tell
		return nil
	}}
}
