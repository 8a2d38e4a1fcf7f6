// Package retry is the one layer that sends requests again.
//
//	st, err := retry.New(provider)
//
// It repeats what failed as fault.Throttled or fault.Unavailable, and nothing else, after a random
// wait of up to 100 ms, 200 ms, 400 ms … 15 s, and before it as long as the provider's error asks
// for through a method RetryAfter() time.Duration. After fault.Throttled it is at least half of
// that bound, and the bound is lower where few requests are refused or repeating cures refusals
// ([Quota.Cures]). The wait ends with the context. There must be no second such layer below: an SDK
// that repeats a conditional write turns its own success into a conflict.
//
// It gives up after ten tries, or when failed tries and waits took three minutes together. A body
// that moves on starts both anew, so that a long stream may break as often as it likes; a try of
// more than a minute counts for one, because providers give up requests that stand still sooner
// than that.
//
// A bucket that refuses a request as fault.Throttled and answers others is only full. Such refusals
// are not counted as tries: the three minutes alone bound how long the request is repeated. A wait
// for a slot or for a turn in package limit, which [store.Repeat] measures, is no part of the three
// minutes. A bucket that has refused every request for three minutes is given up by all.
//
// All stores that share a [Quota] have so many repeats together that a service that is down gets
// little more than first tries, however many workers there are; without the option [From] a Store
// has one of its own. What the quota has no repeat for is not sent, waits on, and is not counted
// either while the bucket answers.
//
// What a repeat means differs by verb:
//
//   - A Get whose body was cut (*store.TruncatedError) goes on where it stopped, pinned to the version it began with. If that
//     version is gone, or there are no versions, it starts over. Bytes that did arrive count as progress.
//   - A plain Put or Delete is sent again. A conditional one whose answer was lost may have happened: the key is read back
//     first. Our bytes there are success; the old state there means it is sent again; anything else is the conflict,
//     with a note that our write may have been in between. After fault.Throttled, which is an answer, and
//     after an error with a method Unsent() bool that is true, nothing happened.
//   - Of a DeleteAll those keys are deleted again that the error says are left (*store.NotDeleted), else all of them; that fewer are left
//     counts as progress.
//   - A listing is repeated page by page where the store lists in pages, else only until it has yielded something.
//   - Parts are sent again; a Commit whose answer was lost is read back and compared by size and hash of every part. Of
//     parts that another process sent, by the provider's checksum; where there is none, the error is
//     fault.Unavailable, and whether the value was committed is not known.
//   - A Copy is made again. One by a condition on the destination may have happened before, and then its error says so.
//
// Reading back knows our write by its bytes. Two writers that send the same bytes over the same
// version both succeed then, and a conflict after a lost answer may follow a write that did happen
// and was replaced. A program that counts or claims by conditional writes puts something of its own
// into the value.
//
// Requests of the read back count as requests of their own, and their failures as tries of the
// write. A Store may be used from any number of goroutines.
package retry
