package plan

import (
	"fmt"
	"iter"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Level is a set of shards of the same nesting depth in one object. At depth 0 the only shard is
// the object itself. At another depth the set contains all or some of the nested shards.
type Level struct {
	key     string
	version store.Version // version of the object; "" at depth 0, as it is unknown
	cost    *Cost
	chunk   *pipeline.Chunk // describes each shard
	depth   int
	parts   []Piece // shards whose indexes are needed
	whole   []Piece // shards that are read whole, together with the inner chunks of parts
	flat    bool    // inner chunks, including nested shards, are read in their stored form
	ranged  bool    // nested shards are never read whole
}

// IndexID identifies an index by its shard: a stored object, or a shard nested in the object at an
// offset. The depth distinguishes a shard from a shard nested in it, because a malicious index can
// assign the same bytes to both.
type IndexID struct {
	Key      string
	Depth    int
	Off, Len int64 // both 0 at depth 0
}

// Len returns the number of shards of the level. Lists of indexes have this length.
func (l *Level) Len() int { return len(l.parts) }

// InRanges makes the level read all nested shards in parts, and returns the level.
func (l *Level) InRanges() *Level {
	l.ranged = true
	return l
}

// Depth returns 0 for a stored shard, 1 for the shards nested in a stored shard, and so on.
func (l *Level) Depth() int { return l.depth }

// ID identifies the index of the i-th shard. A caller that keeps the index must also keep the
// version of the object.
func (l *Level) ID(i int) IndexID {
	if l.depth == 0 {
		return IndexID{Key: l.key}
	}
	return IndexID{l.key, l.depth, l.parts[i].Off, l.parts[i].Len}
}

// Indexes returns the requests for the unknown indexes. known contains one index for each shard of
// the level. The zero ShardIndex means that the index is unknown. Each piece of the reads is an
// index, and its field I is the number of the shard in the level. The request for the index of a
// stored shard has no version. Other requests have the version that was passed to [Level.Expand].
// Indexes returns fault.Corrupt if a shard is shorter than its index.
func (l *Level) Indexes(known []codec.ShardIndex) (Reads, error) {
	n, atStart := l.chunk.Shards.IndexSize()
	if l.depth == 0 {
		if known[0].Len() > 0 {
			return Reads{}, nil
		}
		return single(l.index(Index, "")), nil
	}
	var wanted []Piece
	for i, p := range l.parts {
		if p.Len < n {
			return Reads{}, p.Named(fault.Newf(fault.Corrupt, "the shard has %d bytes, fewer than the %d of its index", p.Len, n))
		}
		if known[i].Len() > 0 {
			continue
		}
		q := Piece{Off: p.Off, Len: n, I: i}
		if !atStart {
			q.Off += p.Len - n
		}
		wanted = append(wanted, q)
	}
	return merge(Request{Op: store.OpGet, Role: InnerIndex, Key: l.key, Version: l.version}, wanted, l.cost), nil
}

// IndexSize returns the length in bytes of the stored index of each shard.
func (l *Level) IndexSize() int64 {
	n, _ := l.chunk.Shards.IndexSize()
	return n
}

// Recheck returns a request for the index of a stored shard. The request is conditional: the index
// is transferred only if the shard no longer has version v. The level must be of depth 0.
func (l *Level) Recheck(v store.Version) Read { return l.index(Recheck, v) }

// Index returns the request for the index of a stored shard. The level must be of depth 0.
func (l *Level) Index() Read { return l.index(Index, "") }

// index returns the request for the index of a stored shard.
func (l *Level) index(role Role, v store.Version) Read {
	n, atStart := l.chunk.Shards.IndexSize()
	r, off := store.Suffix(n), -n
	if atStart {
		r, off = store.Within(0, n), 0
	}
	return Read{Request{Op: store.OpGet, Role: role, Key: l.key, Range: r, Version: v, Bound: n, Exact: true}, off, []Piece{{Off: off, Len: n}}}
}

// Decode decodes the index of the i-th shard. size is the length of the stored object, and is used
// only at depth 0. Decode returns fault.Corrupt if the index is invalid.
func (l *Level) Decode(i int, stored []byte, size int64) (codec.ShardIndex, error) {
	if l.depth == 0 {
		return l.chunk.Shards.Index(stored, size)
	}
	x, err := l.chunk.Shards.Index(stored, l.parts[i].Len)
	if err != nil {
		err = l.parts[i].Named(err)
	}
	return x, err
}

// Expand returns the reads of the inner chunks. found contains the index of each shard of the
// level. v is the version of the object that contains the indexes. The reads request the same
// version. The errors of Expand are those of [Cut.Locate].
func (l *Level) Expand(v store.Version, found []codec.ShardIndex) (Stage, error) {
	return l.ExpandWithout(v, found, nil)
}

// ExpandWithout is like Expand, but skips an inner chunk if skip returns true. If skip is not nil,
// ExpandWithout calls it once for each inner chunk that would be read.
func (l *Level) ExpandWithout(v store.Version, found []codec.ShardIndex, skip func(Piece) bool) (Stage, error) {
	s := Stage{level: l, version: v}
	reads := slices.Clone(l.whole)
	for i, p := range l.parts {
		pieces, missing, err := cut(l.chunk, p.Box()).Locate(found[i], p.Off)
		switch {
		case err != nil && l.depth > 0:
			return Stage{}, p.Named(err)
		case err != nil:
			return Stage{}, err
		}
		if s.Missing = appendPieces(s.Missing, missing); l.chunk.Inner.Shards == nil || l.flat {
			reads = appendPieces(reads, pieces)
		} else {
			s.shards = appendPieces(s.shards, pieces)
		}
	}
	if skip != nil {
		reads = slices.DeleteFunc(reads, skip)
	}
	s.Reads = merge(Request{Op: store.OpGet, Role: Inner, Key: l.key, Version: v}, reads, l.cost)
	return s, nil
}

// appendPieces appends src to dst. If dst is empty, it returns src without copying.
func appendPieces(dst, src []Piece) []Piece {
	if len(dst) == 0 {
		return src
	}
	return append(dst, src...)
}

// Stage contains the inner chunks to read from the shards of a level. The indexes of these shards
// are known.
type Stage struct {
	Missing []Piece // inner chunks that are not stored and are the fill value
	Reads   Reads   // stored inner chunks, and shards that are read whole; sent after the levels of Next

	level   *Level
	version store.Version
	shards  []Piece
}

// PieceBytes is the number of bytes of memory that one inner chunk takes while its shard is
// planned: the bytes of its [Piece], and 16 bytes for its index entry.
const PieceBytes = 48

// nestedBytes is PieceBytes for an inner chunk of a nested shard. It is larger, because the piece
// is in two lists that may have unused capacity.
const nestedBytes = 112

// Next yields Levels with the nested shards, in the order of their grid. Each Level has as many
// shards as can be planned in the given number of bytes of memory, but at least one. If the inner
// chunks are not shards, Next yields nothing.
func (s Stage) Next(memory int) iter.Seq[*Level] {
	return func(yield func(*Level) bool) {
		if len(s.shards) == 0 {
			return
		}
		inner := s.level.chunk.Inner
		some := max(memory/nestedBytes/inner.Shards.Len(), 1)
		for shards := range slices.Chunk(s.shards, some) {
			next := &Level{key: s.level.key, version: s.version, cost: s.level.cost, chunk: inner, depth: s.level.depth + 1, ranged: s.level.ranged}
			for _, p := range shards {
				if !next.ranged && next.cost.wholeWithin(inner, p.Box(), p.Len) {
					next.whole = append(next.whole, p)
				} else {
					next.parts = append(next.parts, p)
				}
			}
			if !yield(next) {
				return
			}
		}
	}
}

// Named wraps err with the position of the inner chunk.
func (p Piece) Named(err error) error { return fmt.Errorf("inner chunk %v: %w", p.Box().Coord, err) }
