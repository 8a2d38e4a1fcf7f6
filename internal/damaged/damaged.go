package damaged

import "context"

// Put puts a value together with a checksum that is not its own, as if it had been damaged on its
// way: a service that compares refuses it, by fault.Corrupt, and stores nothing. No error means that
// it was stored. The key is one of the store that has it, outside of every decorator.
type Put func(ctx context.Context, key string, value []byte) error
