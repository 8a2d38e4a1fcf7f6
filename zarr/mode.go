package zarr

import (
	"math"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Strict refuses what is read otherwise although it breaks a rule of severity Warning of package
// rule: spellings that the specifications do not have, stored bytes that are the form of no
// element, bytes after a compressed chunk, shards whose inner chunks overlap. The error is a
// *rule.Error, within a *MetaError or a *ChunkError; its kind is ErrMetadata or ErrCorrupt. Rules
// about what lies under which key are for package validate.
func Strict() Option {
	return Option{"Strict()", func(c *config) error { c.strict = true; return nil }}
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
		c.tell = tell
		return nil
	}}
}

// judge is asked about every leniency, of metadata and of chunks; nil where nobody wants to know.
func (n *node) judge() func(rule.Finding) error {
	strict, tell, path := n.cfg.strict, n.cfg.tell, n.path
	if !strict && tell == nil {
		return nil
	}
	return func(f rule.Finding) error {
		f.Path = path
		if tell != nil {
			tell(f)
		}
		if strict && f.Severity() >= rule.Warning {
			return &rule.Error{Rule: f.Rule, Text: f.Text}
		}
		return nil
	}
}

// parser reads the node's documents, in its mode.
func (n *node) parser() meta.Parser {
	return meta.Parser{Types: n.cfg.types, Memory: max(2*min(n.cfg.maxMetadata, math.MaxInt64/2), meta.DefaultMemory), Lenient: n.judge()}
}

// codecs is the table that the node's codecs come from, in its mode.
func (n *node) codecs() *codec.Table {
	if judge := n.judge(); judge != nil {
		return n.cfg.table.WithFindings(judge)
	}
	return n.cfg.table
}
