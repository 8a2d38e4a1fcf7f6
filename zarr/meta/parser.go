package meta

import (
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Parser parses documents with data types and a mode of the caller's choice. The zero value uses
// dtype.Standard and is lenient, as are the functions of the package.
type Parser struct {
	Types *dtype.Table

	// Memory bounds the memory of a document's attributes as Go values, in bytes. More is
	// fault.Limit, before they are decoded. Default 0: DefaultMemory.
	Memory int64

	// Lenient is called for every tolerated violation of a rule of severity Warning, with the
	// document's key and the member's pointer. An error from it ends parsing and is returned in a
	// *fault.MetaError. Default nil: all are accepted.
	Lenient func(rule.Finding) error
}

func (with Parser) types() *dtype.Table {
	if with.Types == nil {
		return dtype.Standard()
	}
	return with.Types
}
