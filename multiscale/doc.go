// Package multiscale reads and writes the metadata of pyramids: groups whose members are the same
// data at several resolutions.
//
//	pyramids, findings := multiscale.Read(group.Attrs())
//	level, ok := pyramids[0].Coarsest(60) // elements of at most 60 m
//	a, err := group.OpenArray(ctx, level.Path)
//
// The package performs no I/O: it converts attributes, which package zarr reads.
//
// # Formats
//
// [Read] reads
//
//   - the Zarr convention multiscales 0.1: the attribute multiscales of a group is an object with
//     the member layout. The levels may have attributes of the convention spatial;
//   - OME-Zarr 0.4: the attribute multiscales is an array. Versions 0.1 to 0.3, which lack
//     transformations, are read without scales;
//   - OME-Zarr 0.5: the array is a member of the attribute ome;
//   - OME-Zarr 0.6: coordinateSystems replaces axes.
//
// [Attributes] returns the attributes of the convention multiscales.
//
// # Scales
//
// The coordinate of element i of a level along a dimension is Scale·i + Translation. In OME-Zarr it
// has the unit of the axis. In the convention multiscales it is the position in the level that all
// others are derived from. Scales, translations, identities and sequences of them are computed. All
// other transformations of OME-Zarr are findings, and the scale of a level that needs one is
// unknown.
//
// # Findings
//
// Malformed attributes are not errors. Read ignores them, and returns a [Finding] for each of them.
// Paths that leave the group are refused, so that every Path can be opened without a check.
// [Validate] returns the violations of rules that do not prevent reading too.
//
// # Concurrency
//
// All values are immutable and safe for concurrent use.
package multiscale
