package zarr

import "github.com/zargo-io/zargo/zarr/fault"

// The kinds of error, for errors.Is. Package fault documents them. An unknown codec, data type or
// extension is errors.ErrUnsupported.
const (
	ErrNotFound    = fault.NotFound    // the node does not exist
	ErrExists      = fault.Exists      // a node exists already
	ErrConflict    = fault.Conflict    // another writer changed the value in between
	ErrReadOnly    = fault.ReadOnly    // the store is read-only
	ErrType        = fault.Type        // the Go type does not fit the data type
	ErrSelection   = fault.Selection   // the selection or buffer does not fit the array
	ErrMetadata    = fault.Metadata    // malformed metadata
	ErrPath        = fault.Path        // unsafe path or key
	ErrCorrupt     = fault.Corrupt     // stored bytes do not match the metadata
	ErrRefused     = fault.Refused     // credentials or permissions; package fault has finer kinds
	ErrThrottled   = fault.Throttled   // too many requests, after all retries
	ErrUnavailable = fault.Unavailable // the service failed or is unreachable, after all retries
	ErrLimit       = fault.Limit       // over a bound on memory, size or requests
	ErrFull        = fault.Full        // the disk or the quota is full
)

// The error types that locate an error, for errors.As. Package fault documents their fields.
type (
	// ChunkError reports the chunk that an error is about. Its fields are Op ("read" or "write"),
	// the Path of the array, the Key and the Coord (position in the grid) of the chunk, and Err.
	ChunkError = fault.ChunkError
	// MetaError reports the metadata that an error is about. Its fields are the Key of the
	// document, the Pointer (RFC 6901) to the member, and Err.
	MetaError = fault.MetaError
	// KeyError reports the request that an error is about. Its fields are Op ("get", "put", …),
	// the Key, the Kind of error (such as ErrNotFound), and Err. KeyErrors of some stores have
	// more fields.
	KeyError = fault.KeyError
)
