// Package damaged tests whether a service compares checksums. A store whose provider accepts
// checksums provides a [Put] through store.As. Package bucketcheck calls it.
//
//	var put damaged.Put
//	if store.As(st, &put) {
//		err = put(ctx, "key", []byte("value")) // fault.Corrupt if the service compares
//	}
//
// A Put may be called concurrently.
package damaged
