// Package upkeep maintains hierarchies that are already stored. It checks and updates consolidated
// metadata, migrates v1 and v2 nodes to v3 metadata, finds chunks stored under keys that do not
// match the metadata, finds chunks that are never read, drops claims that killed appends left in
// documents, and removes nodes with everything below them.
//
//	// Is the consolidated metadata current?
//	differences, err := upkeep.CheckConsolidated(ctx, group)
//	// After SetAttrs or zarr.Create:
//	changed, err := upkeep.UpdateParents(ctx, array)
//	steps, err := upkeep.Migrate(ctx, group, upkeep.MigrateOptions{DryRun: true})
//	// Count objects, bytes and requests; removal.Run(ctx) deletes them.
//	removal, err := upkeep.PlanRemove(ctx, group, upkeep.RemoveOptions{})
//
// No function of this package reads or writes a chunk. Only [Removal.Run] and [Orphans.Delete]
// delete chunks. [github.com/zargo-io/zargo/zarr/validate.Repair] detects which of these repairs a
// hierarchy needs and makes them. The options that a node was opened with, such as
// zarr.SingleWriter or zarr.Limit, also apply here.
//
// # Errors
//
// Errors are those of package zarr. Metadata documents are written conditionally: if a document
// changed since it was read, the error is zarr.ErrConflict. Removals delete unconditionally. A
// store without versions cannot write conditionally and returns errors.ErrUnsupported, unless the
// node was opened with zarr.SingleWriter. A read-only store returns zarr.ErrReadOnly.
//
// # Concurrency
//
// All functions are safe for concurrent use by goroutines and processes.
package upkeep
