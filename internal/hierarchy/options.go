package hierarchy

import (
	"math"

	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/internal/arrayspec"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Options are the options of package zarr that concern documents and codecs.
type Options struct {
	Format       int               // 1, 2 or 3: other formats are not looked for; 0: any
	MaxMetadata  int64             // bytes of one document
	SingleWriter bool              // documents are replaced without a condition
	Direct       bool              // consolidated metadata is ignored
	Documents    map[string][]byte // that the caller has, by key
	Separator    string            // of chunk keys, where metadata leaves it open; "": its default
	Table        *codec.Table
	Types        *dtype.Table       // nil: dtype.Standard
	Report       *account.Report    // nil: nothing is counted
	Strict       bool               // breaches of rules are errors
	Tell         func(rule.Finding) // called for each breach; nil: not wanted
	Chunks       pipeline.Options
}

// Stored returns the options without documents of the caller's: all are read.
func (o Options) Stored() Options {
	o.Documents = nil
	return o
}

// Specs returns how metadata is made of Specs.
func (o *Options) Specs() arrayspec.Options {
	return arrayspec.Options{Table: o.Table, Separator: o.Separator}
}

// Judge returns the function that is called for every breach of a rule that reading passes over, in
// metadata and in chunks. Its error is that of strict mode. nil: breaches are not wanted.
func (n *Node) Judge() func(rule.Finding) error {
	strict, tell, path := n.Cfg.Strict, n.Cfg.Tell, n.Path
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

// Parser returns the parser of the node's documents, in its mode.
func (n *Node) Parser() meta.Parser {
	return meta.Parser{Types: n.Cfg.Types, Memory: max(2*min(n.Cfg.MaxMetadata, math.MaxInt64/2), meta.DefaultMemory), Lenient: n.Judge()}
}

// codecs returns the table of the node's codecs, in its mode.
func (n *Node) codecs() *codec.Table {
	if judge := n.Judge(); judge != nil {
		return n.Cfg.Table.WithFindings(judge)
	}
	return n.Cfg.Table
}
