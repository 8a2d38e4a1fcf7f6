package zarr

import "github.com/zargo-io/zargo/zarr/fault"

// The kinds of error, for errors.Is. Their meaning is told in package fault. An unknown codec, data
// type or extension is errors.ErrUnsupported.
const (
	ErrNotFound    = fault.NotFound    // no node there
	ErrExists      = fault.Exists      // a node is there already
	ErrConflict    = fault.Conflict    // somebody else changed it in between
	ErrReadOnly    = fault.ReadOnly    // the store takes no writes
	ErrType        = fault.Type        // the Go type does not fit the data type
	ErrSelection   = fault.Selection   // selection or buffer do not fit the array
	ErrMetadata    = fault.Metadata    // malformed metadata
	ErrPath        = fault.Path        // unsafe path or key
	ErrCorrupt     = fault.Corrupt     // stored bytes are not what the metadata promises
	ErrRefused     = fault.Refused     // credentials or permissions; package fault has kinds that say which
	ErrThrottled   = fault.Throttled   // too many requests, after all retries
	ErrUnavailable = fault.Unavailable // service failed or unreachable, after all retries
	ErrLimit       = fault.Limit       // over a bound on memory, size or requests
	ErrFull        = fault.Full        // the disk or the quota is full
)

type (
	// ChunkError says which chunk of which array.
	ChunkError = fault.ChunkError
	// MetaError says which document and which member of it.
	MetaError = fault.MetaError
	// KeyError says which key of which store.
	KeyError = fault.KeyError
)
