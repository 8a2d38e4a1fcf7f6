// Package sentparts records the parts of an upload, and checks them before they are joined to a
// value.
//
// [Parts] implements store.Parts for a provider that implements [Upload]. It records each part that
// was sent ([Set.Sent]) and each listing of parts ([Set.Listed]). At the commit [Set.Parts] checks
// that every part that was sent or listed is stored with the size that was sent. If parts were
// removed or shortened, or if another process committed or aborted the upload, the commit returns
// an error. No shortened value is stored.
//
// A process that resumes an upload does not know of parts that were removed earlier, which is
// possible at a provider that stores the parts of an upload as independent objects. At such a
// provider each part has a label: the minimum number of parts that its sender knew of
// ([Set.Begin]). If the other parts are removed, the label of a later part still shows that they
// existed.
//
// # Concurrency
//
// A Set is safe for concurrent use.
package sentparts
