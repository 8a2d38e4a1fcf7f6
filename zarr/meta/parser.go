package meta

import (
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Parser reads documents with data types, and in a mode, of the caller's choice. The zero value has
// those of dtype.Standard and is lenient, as the functions of the package are.
type Parser struct {
	Types *dtype.Table

	// Memory is how many bytes the attributes of a document may take as Go values; more is
	// fault.Limit, before they are decoded. 0 is DefaultMemory.
	Memory int64

	// Lenient is asked about every breach of a rule of severity Warning that a document is read in
	// spite of, with the document's key and the member's pointer. An error ends parsing, as a
	// *fault.MetaError. nil lets everything pass.
	Lenient func(rule.Finding) error
}

func (with Parser) types() *dtype.Table {
	if with.Types == nil {
		return dtype.Standard()
	}
	return with.Types
}
