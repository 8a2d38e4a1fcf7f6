// Package retry retries failed requests to a store.
//
//	st, err := retry.New(provider)
//
// Only requests that failed with fault.Throttled or fault.Unavailable are retried. The store below
// must not retry as well: an SDK that sends a successful conditional write again, after the
// response was lost, gets a conflict.
//
// # Waits
//
// Before each retry the Store waits a random time. The upper bound of the time is 100 ms, then 200
// ms, 400 ms, and so on up to 15 s. If the error has a method RetryAfter() time.Duration, that time
// is added, but at most the bound: servers that are only busy request waits of a minute too. If the
// error also has a method OneKey() bool that returns true, up to a minute is added. After
// fault.Throttled the wait is at least half of the bound. The bound is lower while few requests are
// refused, or while retries usually succeed ([Quota.Cures]). A wait ends with the context.
//
// # Limits
//
// A request fails after ten attempts, or when failed attempts and waits have taken three minutes in
// total. Progress of a body resets both limits, so a long transfer may be interrupted any number of
// times. An attempt counts as one minute at most: providers close stalled requests earlier, so a
// longer attempt made progress. Delays in package limit, which [store.Repeat] measures, are not
// part of the three minutes. Waits that the server requested are not part either, up to three
// minutes in total.
//
// A bucket that refuses a request with fault.Throttled but responds to other requests is only busy.
// Such refusals do not count as attempts; only the three minutes limit them. If a bucket refuses
// all requests for three minutes, all requests to it fail.
//
// A [Quota] limits the retries of all stores that share it. A service that is down therefore
// receives few requests beyond first attempts, regardless of the number of workers. Without the
// option [From] each Store has a separate Quota. While the quota is exhausted, a failed request is
// not sent but waits again. Such a wait does not count as an attempt while the bucket responds to
// other requests.
//
// # Verbs
//
//   - Get: a truncated body (*store.TruncatedError) is resumed at the version of its first bytes.
//     If that version is gone, or the store has no versions, the Get starts over. Bytes that
//     arrived count as progress.
//   - Put and Delete without a condition are sent again. A conditional write whose response was
//     lost may have been applied, so the key is read back first. If the key has the written value,
//     the write has succeeded. If the key is in its previous state, the write is sent again.
//     Otherwise the write fails with fault.Conflict, and the error says that the write may have
//     been applied and then replaced. fault.Throttled and errors with a method Unsent() bool that
//     returns true prove that nothing was applied.
//   - DeleteAll: the keys that the error lists as remaining (*store.NotDeleted) are deleted again,
//     or all keys if it lists none. A decrease of the remaining keys counts as progress.
//   - Listings are retried page by page if the store lists in pages. Otherwise they are retried
//     only until the first entry was yielded.
//   - Parts are sent again. After a Commit whose response was lost, the value is read back, and the
//     size and hash of every part are compared. Parts of another process are compared by the
//     provider's checksum. Without such a checksum the Commit fails with fault.Unavailable, and the
//     value may have been committed.
//   - Copy is sent again. If a Copy with a condition on the destination fails after a lost
//     response, the error says that an earlier attempt may have been applied.
//
// Reading back recognizes a write by its bytes. If two writers replace the same version by the same
// bytes and a response is lost, both may succeed. After a lost response, a write may also fail with
// a conflict although it was applied, if another writer then replaced it. A program that counts or
// claims by conditional writes should therefore write values that are unique to the writer.
//
// Requests that read back are reported as separate events. Their failures count as attempts of the
// write.
//
// # Concurrency
//
// A Store is safe for concurrent use.
package retry
