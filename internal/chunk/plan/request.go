package plan

import (
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/store"
)

// Role is the purpose of a request.
type Role uint8

// The roles of requests.
const (
	Chunk      Role = iota // a chunk, or a range of an uncompressed chunk
	Shard                  // a whole shard
	Index                  // the index of a stored shard
	InnerIndex             // indexes of nested shards
	Inner                  // inner chunks
	Recheck                // the index of a stored shard, unless the version is unchanged
	Probe                  // the first byte of an object, to get its version
)

// Request is one request to a store.
type Request struct {
	Op      store.Op // OpGet, OpPut, or a step of a value in parts, such as OpBegin
	Role    Role
	Key     string
	Range   store.Range   // range of a get
	Version store.Version // for a get, the only acceptable version, or "" for any
	Unless  store.Version // for a get, a version that is not returned again, or ""
	Bound   int64         // maximum bytes that are transferred
	Exact   bool          // Bound is exact if the object exists
	Maybe   bool          // the request is not always sent; see Times
	Most    int64         // maximum number of times that it is sent; 0 means once
}

// Times returns how often the request is sent, at least and at most.
func (r Request) Times() Span {
	n := Span{1, max(r.Most, 1)}
	if r.Maybe {
		n.Least = 0
	}
	return n
}

// Options returns the options for a get.
func (r Request) Options() store.GetOptions {
	o := store.GetOptions{Range: r.Range, Max: r.Bound, IfVersion: r.Version, IfNotVersion: r.Unless}
	if r.Role == Recheck {
		o.IfVersion, o.IfNotVersion = "", r.Version
	}
	return o
}

// Known returns the number of bytes that the request transfers if the object exists. The result is
// 0 if the number is unknown.
func (r Request) Known() int64 {
	if r.Exact {
		return r.Bound
	}
	return 0
}

// Read is a request for bytes of an object, and the pieces that the response contains.
type Read struct {
	Request
	Off    int64   // offset of the first byte in the object; negative if counted from the end
	Pieces []Piece // sorted by Off; for a request for indexes, the indexes
}

// Of returns the bytes of piece p in the response b.
func (r Read) Of(p Piece, b []byte) []byte {
	if p.Len < 0 {
		return b
	}
	at := p.Off - r.Off
	return b[at : at+p.Len : at+p.Len]
}

// Piece is a range of an object that is decoded separately: a chunk, a shard, or an inner chunk.
// Len is -1 for the whole object.
type Piece struct {
	Off, Len int64
	I        int // number in its Cut; for an index, the number of its shard in the Level
	cut      *Cut
}

// Box returns the positions of the piece's selected elements in its chunk and in the region. Each
// call allocates a new Box.
func (p Piece) Box() grid.Box { return p.cut.Box(p.I) }

// Chunk returns the shared Chunk that decodes the piece.
func (p Piece) Chunk() *pipeline.Chunk { return p.cut.chunk }

// Place returns the position of the piece in the index of its shard.
func (p Piece) Place() int { return p.cut.Place(p.I) }

// Touched returns the number of selected chunks in the piece: 1 for a chunk, or the number of
// selected innermost chunks of a shard.
func (p Piece) Touched() int {
	c := p.cut.chunk
	if c.Shards == nil {
		return 1
	}
	return touched(c, deepest(c), p.Box())
}
