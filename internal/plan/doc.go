// Package plan turns a selection into the list of things to fetch, without fetching anything.
//
// A plan has two stages. [Plan.Indexes] names the shard indexes that must be known first; an array without shards has
// none. [Plan.Fetches] then names the chunks: key, byte range, and where their elements lie in the chunk and in the
// region. Both are lazy, so a plan of a million chunks costs nothing until it is walked.
//
//	p := plan.Plan{Layout: layout, Region: region}
//	for f := range p.Fetches() { … }
//
// A plan prints itself as the requests it stands for, which is what the golden tests compare. The package is pure and
// plans are immutable.
package plan
