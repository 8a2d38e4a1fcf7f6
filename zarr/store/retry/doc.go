// Package retry retries failed requests to a store.
//
//	st, err := retry.New(provider)
//
// It retries requests that failed with fault.Throttled or fault.Unavailable, and no others. There
// must not be a second retrying layer below: an SDK that repeats a conditional write turns its own
// success into a conflict.
//
// # Waits
//
// Before each retry the Store waits a random time. The upper bound of the time is 100 ms, then 200
// ms, 400 ms, and so on up to 15 s. If the error has a method RetryAfter() time.Duration, that time
// is added. After fault.Throttled the wait is at least half of the bound. The bound is lower while
// few requests are refused, or while retries cure refusals ([Quota.Cures]). The context can end a
// wait.
//
// # Limits
//
// A request fails after ten attempts, or when failed attempts and waits have taken three minutes in
// total. Progress of a body resets both limits, so a long transfer may be interrupted any number of
// times. An attempt counts as one minute at most, because providers close stalled requests earlier
// than that. Delays in package limit, which [store.Repeat] measures, are not part of the three
// minutes.
//
// A bucket that refuses a request with fault.Throttled but responds to other requests is only busy.
// Such refusals do not count as attempts; only the three minutes limit them. If a bucket refuses
// all requests for three minutes, all requests to it fail.
//
// Stores that share a [Quota] share a number of retries. A service that is down therefore receives
// few requests beyond first attempts, regardless of the number of workers. Without the option
// [From] each Store has a separate Quota. If the quota is exhausted, a failed request waits again
// without being sent. Such a wait does not count as an attempt while the bucket responds to other
// requests.
//
// # Verbs
//
//   - Get: a truncated body (*store.TruncatedError) is resumed at the version of its first bytes.
//     If that version is gone, or the store has no versions, the Get starts over. Bytes that
//     arrived count as progress.
//   - Put and Delete without a condition are sent again. A conditional write whose response was
//     lost may have been applied, so the key is read back first. If it holds the value written, the
//     write has succeeded. If it holds the previous state, the write is sent again. Otherwise the
//     write fails with fault.Conflict, and the error says that it may have been applied in between.
//     fault.Throttled and errors with a method Unsent() bool that returns true prove that nothing
//     was applied.
//   - DeleteAll: the keys that the error lists as remaining (*store.NotDeleted) are deleted again,
//     or all keys if it lists none. Fewer remaining keys count as progress.
//   - Listings are retried page by page if the store lists in pages. Otherwise they are retried
//     only until the first entry was yielded.
//   - Parts are sent again. After a Commit whose response was lost, the value is read back, and the
//     size and hash of every part are compared. Parts of another process are compared by the
//     provider's checksum. If there is no checksum, the error is fault.Unavailable, and it is
//     unknown whether the value was committed.
//   - Copy is sent again. If it has a condition on the destination, an earlier attempt may have
//     been applied; the error then says so.
//
// Reading back recognizes a write by its bytes. If two writers replace the same version by the same
// bytes, both may succeed after a lost response. A conflict after a lost response may follow a
// write that was applied and then replaced. A program that counts or claims by conditional writes
// should therefore write values that are unique to the writer.
//
// Requests for reading back have separate events. Their failures count as attempts of the write.
//
// # Concurrency
//
// A Store is safe for concurrent use.
package retry
