// Package upkeep looks after hierarchies that are stored already: it checks consolidated metadata
// and brings it up to date, gives v1 and v2 nodes v3 metadata, finds chunks that are stored under
// other keys than the metadata says, and those that no read looks for, drops what a killed append
// left in a document, and removes nodes with all that is below them.
//
//	differences, err := upkeep.CheckConsolidated(ctx, group) // is the copy what is stored?
//	changed, err := upkeep.UpdateAbove(ctx, array)           // after SetAttrs or zarr.Create
//	steps, err := upkeep.Migrate(ctx, group, upkeep.MigrateOptions{DryRun: true})
//	removal, err := upkeep.PlanRemove(ctx, group, upkeep.RemoveOptions{}) // objects, bytes, requests; removal.Run(ctx) deletes
//
// Nothing here reads or writes a chunk, and only a removal, and Orphans, delete some. Package
// validate finds what there is to do and does it: [github.com/zargo-io/zargo/zarr/validate.Repair].
// Options of a node, such as zarr.SingleWriter or zarr.Limit, apply to what is done for it.
//
// # Errors
//
// Errors are those of package zarr. Documents are written on condition that no one else changed
// them since they were read: zarr.ErrConflict; a removal asks for none. A store without versions
// cannot do that, and is errors.ErrUnsupported unless zarr.SingleWriter was given; one that is
// read-only is zarr.ErrReadOnly.
//
// # Concurrency
//
// Every function may be called from any number of goroutines and processes at once.
package upkeep
