// Package multiscale reads and writes the metadata of pyramids. A pyramid is a group whose members
// contain the same data at several resolutions.
//
//	pyramids, findings := multiscale.Read(group.Attrs())
//	level, ok := pyramids[0].Coarsest(60) // elements of at most 60 m
//	a, err := group.OpenArray(ctx, level.Path)
//
// The package performs no I/O. It converts attributes that package zarr has read.
//
// # Formats
//
// [Read] supports
//
//   - the Zarr convention multiscales 0.1: the attribute multiscales of a group is an object with
//     the member layout. Levels may have attributes of the convention spatial;
//   - OME-Zarr 0.4: the attribute multiscales is an array. Versions 0.1 to 0.3 have no
//     transformations, so their scales are unknown;
//   - OME-Zarr 0.5: the array is a member of the attribute ome;
//   - OME-Zarr 0.6: coordinateSystems replaces axes.
//
// [Attributes] returns the attributes of the convention multiscales.
//
// # Scales
//
// The coordinate of element i of a level along a dimension is Scale·i + Translation. In OME-Zarr
// the coordinate has the unit of the axis. In the convention multiscales it is a position in the
// first level without a source. Read computes scales, translations, identities and sequences of
// them. For any other transformation of OME-Zarr, Read returns a finding, and the scale of the
// level is unknown.
//
// # Findings
//
// A malformed attribute is not an error. Read ignores it and returns a [rule.Finding]. Read ignores
// a level whose path leaves the group, so callers can open every Path without a check. [Validate]
// additionally returns violations of rules that do not prevent reading.
//
// # Concurrency
//
// All values are immutable and safe for concurrent use.
package multiscale
