package store

import "context"

// PutDamaged puts a value together with a checksum that is not its own, as if it had been damaged
// on its way: a service that compares refuses it, by fault.Corrupt, and nothing is stored. No error
// means that it was stored. The key is one of the store that has it, outside of every decorator. A
// store whose provider takes checksums gives one by [As], for checking a service; package
// bucketcheck does.
type PutDamaged func(ctx context.Context, key string, value []byte) error
