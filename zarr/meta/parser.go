package meta

import "github.com/zargo-io/zargo/zarr/dtype"

// Parser reads documents with data types of the caller's choice. The zero value has those of dtype.Standard, as the
// functions of the package have.
type Parser struct{ Types *dtype.Table }
