package meta

import (
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Parser parses documents with the caller's data types and mode. The zero value uses dtype.Standard
// and is lenient, as are the functions of the package.
type Parser struct {
	Types *dtype.Table

	// Memory is the maximum memory in bytes of a document's attributes as Go values. Attributes
	// that need more are fault.Limit, and are not decoded. The default, 0, is DefaultMemory.
	Memory int64

	// Lenient is called for every tolerated violation of a rule of severity Warning, with the
	// document's key and the member's pointer. An error from it ends parsing and is returned in a
	// *fault.MetaError. With nil, the default, all violations are accepted.
	Lenient func(rule.Finding) error
}

func (with Parser) types() *dtype.Table {
	if with.Types == nil {
		return dtype.Standard()
	}
	return with.Types
}
