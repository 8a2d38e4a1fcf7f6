package plan

import (
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/zarr/store"
)

// Role is what a request is for.
type Role uint8

// The roles of requests.
const (
	Chunk      Role = iota // a chunk, or a range of one that is not compressed
	Shard                  // a whole shard
	Index                  // the index of a stored shard
	InnerIndex             // indexes of shards within a shard
	Inner                  // inner chunks
	Recheck                // the index of a stored shard, unless it still has the version
	Probe                  // the first byte of an object, for its version
)

// Request is one request to a store.
type Request struct {
	Op      store.Op // OpGet, OpPut, or a step of a value in parts: OpBegin, OpPart, OpCommit, OpAbort
	Role    Role
	Key     string
	Range   store.Range   // of a get
	Version store.Version // of a get: only of this version; of a Recheck: only of another one; "" is any
	Unless  store.Version // of a get: only of another version than this; "" is any
	Bound   int64         // bytes that are transferred at most
	Exact   bool          // Bound bytes are transferred, if any are
	Maybe   bool          // not always sent; see Times
	Most    int64         // how often it is sent at most; 0 is once
}

// Times is how often the request is sent.
func (r Request) Times() Span {
	n := Span{1, max(r.Most, 1)}
	if r.Maybe {
		n.Least = 0
	}
	return n
}

// Options are those of a get.
func (r Request) Options() store.GetOptions {
	o := store.GetOptions{Range: r.Range, Max: r.Bound, IfVersion: r.Version, IfNotVersion: r.Unless}
	if r.Role == Recheck {
		o.IfVersion, o.IfNotVersion = "", r.Version
	}
	return o
}

// Known is how many bytes are transferred if the object is there; 0 where that is not known.
func (r Request) Known() int64 {
	if r.Exact {
		return r.Bound
	}
	return 0
}

// Read is a request for bytes of an object, with what lies in them.
type Read struct {
	Request
	Off    int64   // of the first byte in the object; of one that is counted from the end, a negative number
	Pieces []Piece // by Off. Those of an index are the indexes
}

// Of are the bytes of a piece among those that the request gave.
func (r Read) Of(p Piece, b []byte) []byte {
	if p.Len < 0 {
		return b
	}
	at := p.Off - r.Off
	return b[at : at+p.Len : at+p.Len]
}

// Piece is stored bytes of an object that are decoded by themselves: a chunk, a shard, an inner
// chunk. Len is -1 where all bytes of the object are meant.
type Piece struct {
	Off, Len int64
	I        int // its number: in the Cut that it is of, for an index that of its shard in the Level
	cut      *Cut
}

// Box is where the piece's elements lie: in its chunk, and in the region. It is made anew at each
// call.
func (p Piece) Box() grid.Box { return p.cut.Box(p.I) }

// Chunk is how the piece is decoded. It is shared.
func (p Piece) Chunk() *pipeline.Chunk { return p.cut.chunk }

// Place is the place of the piece in the index of the shard that it lies in.
func (p Piece) Place() int { return p.cut.Place(p.I) }

// Touched is the number of chunks that are selected in the piece: 1, or of a shard that of the
// deepest inner chunks.
func (p Piece) Touched() int {
	c := p.cut.chunk
	if c.Shards == nil {
		return 1
	}
	return touched(c, deepest(c), p.Box())
}
