package plan

import (
	"fmt"
	"iter"
	"slices"

	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Level is the shards of one depth in an object of which parts are wanted: at depth 0 the object
// itself, else shards within it, or some of them.
type Level struct {
	key     string
	version store.Version // of the object; "" at depth 0, where it is not known yet
	cost    *Cost
	chunk   *pipeline.Chunk // each shard
	depth   int
	parts   []Piece // shards whose indexes are wanted
	whole   []Piece // shards that are read as a whole, with the inner chunks of the others
	flat    bool    // inner chunks are read as they are stored, shards among them
	ranged  bool    // shards within are never read as a whole
}

// IndexID says which shard an index is of: a stored object, or a shard within one at a place of it.
// There the depth counts too, since a hostile index can have a shard begin and end where one does
// that lies in it.
type IndexID struct {
	Key      string
	Depth    int
	Off, Len int64 // 0 at depth 0
}

// Len is the number of shards whose indexes are needed, and the length of the lists of these.
func (l *Level) Len() int { return len(l.parts) }

// InRanges makes it so that shards within the shards of the level are never read as a whole.
func (l *Level) InRanges() *Level {
	l.ranged = true
	return l
}

// Depth is 0 for a stored shard, 1 for the shards in it.
func (l *Level) Depth() int { return l.depth }

// ID identifies the index of the i-th shard. Of one object it is to be kept with the version of
// that.
func (l *Level) ID(i int) IndexID {
	if l.depth == 0 {
		return IndexID{Key: l.key}
	}
	return IndexID{l.key, l.depth, l.parts[i].Off, l.parts[i].Len}
}

// Indexes gives the requests for the indexes that are not known. known has one for each shard of
// the level, the zero ShardIndex where it is not known. The pieces of the reads are the indexes,
// and their I the number of the shard. Those of a stored shard are asked for by no version, others
// by the one that [Level.Expand] was called with. fault.Corrupt for a shard that is shorter than
// its index.
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
			return Reads{}, p.Named(fault.Newf(fault.Corrupt, "the shard has %d bytes, its index alone %d", p.Len, n))
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

// IndexSize is how many bytes the index of each of the shards has as it is stored.
func (l *Level) IndexSize() int64 {
	n, _ := l.chunk.Shards.IndexSize()
	return n
}

// Recheck is the request for the index of a stored shard unless the shard still has a version. The
// level is of depth 0.
func (l *Level) Recheck(v store.Version) Read { return l.index(Recheck, v) }

// Index is the request for the index of a stored shard. The level is of depth 0.
func (l *Level) Index() Read { return l.index(Index, "") }

// index is the request for the index of a stored shard.
func (l *Level) index(role Role, v store.Version) Read {
	n, atStart := l.chunk.Shards.IndexSize()
	r, off := store.Suffix(n), -n
	if atStart {
		r, off = store.Within(0, n), 0
	}
	return Read{Request{Op: store.OpGet, Role: role, Key: l.key, Range: r, Version: v, Bound: n, Exact: true}, off, []Piece{{Off: off, Len: n}}}
}

// Decode reads the index of the i-th shard. size is the length of the stored object, of use at
// depth 0 alone. fault.Corrupt when the index does not decode.
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

// Expand says what to read of the shards by their indexes, one for each shard of the level; v is
// the version of the object that they are of, and the one that is read. fault.Corrupt as for
// [Cut.Locate].
func (l *Level) Expand(v store.Version, found []codec.ShardIndex) (Stage, error) {
	return l.ExpandWithout(v, found, nil)
}

// ExpandWithout is Expand, and leaves out of the reads the inner chunks of which had, where it is
// not nil, says so. It is called once for each that would be read.
func (l *Level) ExpandWithout(v store.Version, found []codec.ShardIndex, had func(Piece) bool) (Stage, error) {
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
	if had != nil {
		reads = slices.DeleteFunc(reads, had)
	}
	s.Reads = merge(Request{Op: store.OpGet, Role: Inner, Key: l.key, Version: v}, reads, l.cost)
	return s, nil
}

// appendPieces is append; the first list is taken as it is.
func appendPieces(to, more []Piece) []Piece {
	if len(to) == 0 {
		return more
	}
	return append(to, more...)
}

// Stage is what is wanted of the shards of a level whose indexes are known.
type Stage struct {
	Missing []Piece // inner chunks that are not there: fill values
	Reads   Reads   // the inner chunks that are, and shards that are read as a whole; after the levels of Next

	level   *Level
	version store.Version
	shards  []Piece
}

// PieceBytes is the memory in bytes that one inner chunk takes while its shard is planned: its
// [Piece], and 16 for its place in the index.
const PieceBytes = 48

// nestedBytes is the same for one of many shards in a shard: there the piece is copied, and both
// lists may have grown.
const nestedBytes = 112

// Next yields the shards within in the order of their grid, so many at once that planning them
// takes no more than memory bytes, or else one by one. It yields nothing where inner chunks are no
// shards.
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

// Named says which inner chunk of the object an error is about.
func (p Piece) Named(err error) error { return fmt.Errorf("inner chunk %v: %w", p.Box().Coord, err) }
