// Package assemble builds shards from encoded inner chunks. A [Shard] is built in memory and may
// keep inner chunks of a stored shard. A [Stream] sends the shard in parts while inner chunks
// arrive. Package engine encodes the inner chunks.
//
//	s := assemble.NewStream(assemble.Options{Store: st, Key: key, Shards: chunk.Shards, Limits: limits, Buffer: buffer, NoParts: &noParts})
//	err := s.During(ctx, hold, flight, func(ctx context.Context, send assemble.Sender) error {
//		return s.Add(ctx, place, stored, send)
//	})
//	err = s.Commit(ctx, store.PutOptions{})
//
// [Stream.Add] is safe for concurrent use; the other methods of a Stream are not. Add returns
// fault.Limit if an inner chunk exceeds the maximum length of a shard. Other errors are those of
// the store.
package assemble
