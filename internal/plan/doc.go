// Package plan turns a selection into the list of things to fetch, without fetching anything.
//
// A plan has two stages. [Plan.Indexes] names the shard indexes that must be known first; an array without shards has
// none. [Plan.Fetches] names the objects, chunks or shards: key, and where their elements lie in the object and in the
// region; what to read of a shard whose index is known is for package shard to say. Both are lazy, so a plan of a million
// chunks costs nothing until it is walked.
//
//	p := plan.Plan{Layout: layout, Region: region}
//	for f := range p.Fetches() { … }
//
// A plan prints itself as the requests it stands for, which is what the golden tests compare. The package is pure and
// plans are immutable.
package plan
