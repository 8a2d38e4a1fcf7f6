package damaged

import "context"

// Put sends a value with a wrong checksum, as if the value had been damaged in transit. A service
// that compares checksums refuses it with fault.Corrupt and stores nothing. A nil error means that
// the value was stored. key is relative to the store that provides Put, not to its decorators.
type Put func(ctx context.Context, key string, value []byte) error
