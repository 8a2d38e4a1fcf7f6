package damaged

import "context"

// Put sends a value with a wrong checksum, as if the value had been damaged in transit. A service
// that compares checksums stores nothing, and Put returns fault.Corrupt. If Put returns nil, the
// service stored the value. key is relative to the store that provides Put, not to its decorators.
type Put func(ctx context.Context, key string, value []byte) error
