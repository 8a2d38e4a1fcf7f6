package node

import (
	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Options are the options of package zarr for documents and codecs.
type Options struct {
	Format       int               // 1, 2 or 3 to read only nodes of that format; 0 for any
	MaxMetadata  int64             // maximum size of a document in bytes
	SingleWriter bool              // replace documents without a condition
	Direct       bool              // ignore consolidated metadata
	Named        bool              // with Direct: compare consolidated metadata, and use its names if the store cannot list; see Own
	Documents    map[string][]byte // documents that the caller provides, by key
	Separator    string            // separator of chunk keys if the metadata omits it; "" means the default
	Table        *codec.Table
	Types        *dtype.Table       // nil means dtype.Standard
	Report       *account.Report    // counts requests; may be nil
	Strict       bool               // violations of rules are errors
	Tell         func(rule.Finding) // called for each violation; may be nil
	Chunks       pipeline.Options
}

// Stored returns the options without Documents, so that all documents are read from the store.
func (o Options) Stored() Options {
	o.Documents = nil
	return o
}

// Specs returns the options for the conversion of an spec.Spec to metadata.
func (o *Options) Specs() spec.Options {
	return spec.Options{Table: o.Table, Separator: o.Separator}
}
