// Package sentparts holds what one store.Parts knows of a value in parts, and decides whether its
// parts may become the value.
//
// [Parts] makes a store.Parts of what one provider sends, lists and joins ([Upload]). It notes each
// part that was sent ([Set.Sent]) and each listing of parts ([Set.Listed]).
// [Set.Parts] then compares: every part that was sent or listed must be stored, with the size it
// was sent with. So parts that were removed, shortened, or dropped because another process
// committed or aborted the value are an error, and never a shorter value.
//
// A process that resumes a value knows nothing of the parts that were removed before. Stores whose
// provider does not keep the parts of an upload together therefore label each part with the least
// number of parts that its sender knew of ([Set.Begin]): a part that arrives after the others are
// gone still says that it had company.
//
// A Set is safe for concurrent use.
package sentparts
