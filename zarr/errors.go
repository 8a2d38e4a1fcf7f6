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

// The errors that say where, for errors.As. They are those of package fault, which documents their
// fields.
type (
	// ChunkError reports the chunk that an error is about: its fields are Op ("read" or "write"),
	// the Path of the array, the Key and the Coord (position in the grid) of the chunk, and Err.
	ChunkError = fault.ChunkError
	// MetaError reports the metadata that an error is about: its fields are the Key of the document,
	// the Pointer (RFC 6901) to the member, and Err.
	MetaError = fault.MetaError
	// KeyError reports the request that an error is about: its fields are Op ("get", "put", …), the
	// Key, the Kind of error (such as ErrNotFound), and Err. KeyErrors of some stores have more.
	KeyError = fault.KeyError
)
