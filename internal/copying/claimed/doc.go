// Package claimed is the protocol of work that writes many objects, that any process can continue,
// and that readers see when it is complete.
//
// Processes agree through a [Record], a JSON object beside the target. A process changes it only on
// condition that it is as the process has read it. The record of a transfer is its [Claim]. A
// [Holder] claims a free target, puts markers of done tasks, and changes the state of the claim
// until the [Documents], which make the nodes visible, are stored. Tasks write to [Holder.Fenced],
// so that a late request does not replace what was written after the publication.
//
// Errors are fault.Exists for another plan or another node, and fault.Conflict if the work was
// removed.
package claimed
