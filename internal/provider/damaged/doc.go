// Package damaged tests whether a service compares checksums. If the provider of a store accepts
// checksums, store.As finds a [Put] in the store. Package bucketcheck calls the Put.
//
//	var put damaged.Put
//	if store.As(st, &put) {
//		err = put(ctx, "key", []byte("value")) // fault.Corrupt if the service compares
//	}
//
// A Put may be called concurrently.
package damaged
