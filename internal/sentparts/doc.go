// Package sentparts records the parts of an upload, and checks them before they are joined to a
// value.
//
// [Parts] implements store.Parts for one provider, which implements [Upload]. It records each part
// that was sent ([Set.Sent]) and each listing of parts ([Set.Listed]). At the commit [Set.Parts]
// checks that every part that was sent or listed is stored with the size that was sent. If parts
// were removed or shortened, or another process committed or aborted the upload, the commit is an
// error and never stores a shorter value.
//
// A process that resumes an upload does not know of parts that were removed before. If the provider
// does not keep the parts of an upload together, each part therefore has a label: the minimum
// number of parts that its sender knew of ([Set.Begin]). A part that arrives after the others were
// removed still shows that there were others.
//
// # Concurrency
//
// A Set is safe for concurrent use.
package sentparts
