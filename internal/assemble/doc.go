// Package assemble puts stored inner chunks together to shards: a [Shard] in memory, with the inner
// chunks of an old shard, or a [Stream] that is sent in parts while they come. Package engine
// encodes the inner chunks.
//
//	s := assemble.NewStream(assemble.Options{Store: st, Key: key, Shards: chunk.Shards, Limits: limits, Buffer: buffer, NoParts: &noParts})
//	err := s.During(ctx, hold, flight, func(ctx context.Context, send assemble.Sender) error {
//		return s.Add(ctx, place, stored, send)
//	})
//	err = s.Commit(ctx, store.PutOptions{})
//
// Add of a Stream may be called concurrently; nothing else may be. An inner chunk beyond the
// length that a shard may have is fault.Limit. Other errors are those of the store.
package assemble
