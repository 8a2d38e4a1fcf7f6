// Package claimed is the protocol of work that writes many objects, that any process can continue,
// and that readers see when it is complete.
//
// Processes agree through a [Record], a JSON object beside the target. A process changes it only on
// condition that it is as the process has read it. At the end a process stores the [Documents],
// which make the nodes visible.
package claimed
