// Package damaged checks that a service compares checksums. A store whose provider takes checksums
// returns a [Put] through store.As; package bucketcheck calls it.
//
//	var put damaged.Put
//	if store.As(st, &put) {
//		err = put(ctx, "key", []byte("value")) // fault.Corrupt where the service compares
//	}
//
// A Put may be called concurrently.
package damaged
