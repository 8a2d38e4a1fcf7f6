package meta

import (
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Parser parses documents with the caller's data types and settings. The zero Parser uses
// dtype.Standard and accepts all tolerated violations, as the functions of the package do.
type Parser struct {
	Types *dtype.Table

	// Memory is the maximum number of bytes that the decoded attributes of a document may take. If
	// they need more, parsing fails with fault.Limit before it decodes them. The default, 0, is
	// DefaultMemory.
	Memory int64

	// Lenient is called for every tolerated violation of a rule of severity Warning, with the
	// document's key and the member's pointer. If Lenient returns an error, parsing ends with a
	// *fault.MetaError that wraps the error. With nil, the default, all tolerated violations are
	// accepted.
	Lenient func(rule.Finding) error
}

func (with Parser) types() *dtype.Table {
	if with.Types == nil {
		return dtype.Standard()
	}
	return with.Types
}
