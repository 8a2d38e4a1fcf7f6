package plan

import "github.com/zargo-io/zargo/internal/pipeline"

// Limits are the lengths of a shard that is streamed, in bytes.
type Limits struct {
	Part     int64 // each part but the last
	Most     int64 // what the shard may have
	Index    int64 // its index, as stored
	InMemory int64 // what the shard may have where it has to be in memory, as the store takes no parts; 0: then it is not streamed
}

const (
	// partSize is how long parts are: what breaks is soon sent again, and some at once fit the part
	// of the budget that one Task may take.
	partSize = 8 << 20
	// leastPart is the shortest part that every provider takes: S3 takes no shorter one but the
	// last.
	leastPart = 5 << 20
	// leastLocal is the shortest part in a store without a network, where a budget is small.
	leastLocal = 256 << 10
	// mostParts is how many parts every provider takes.
	mostParts = 10_000
	// mostFlight is how many parts are sent at once at most: more bring nothing; see package large.
	mostFlight = 16
)

// Limits are those of the shards of a chunk.
func (m Memory) Limits(c *pipeline.Chunk) Limits {
	l := Limits{Most: m.Longest(c)}
	l.Index, _ = c.Shards.IndexSize()
	least := int64(leastLocal)
	if m.PartAbove > 0 {
		least = leastPart
	}
	l.Part = max(min(partSize, m.Share()/8), least, (m.written(c)-1)/mostParts+1, l.Index)
	return l
}

// written bounds the bytes of a shard that is written: it has no unused space, whatever may be
// read. Where elements vary in length the bound of the codecs is one that no array reaches.
func (m Memory) written(c *pipeline.Chunk) int64 {
	n := min(m.Longest(c), c.Chain.Worst())
	if c.Chain.Typical() < 0 {
		n = min(n, Product(m.Typical(c), unseen))
	}
	return n
}

// Resident is how many bytes a stream takes as long as it lives: what no part has yet, part 0 where
// that is sent last, and the index.
func (m Memory) Resident(c *pipeline.Chunk, l Limits) int64 {
	n := Sum(m.Buffers(min(l.Part, l.Most)), Sum(l.Index, int64(c.Shards.Len())*16))
	if _, atStart := c.Shards.IndexSize(); atStart && l.Most > l.Part {
		n = Sum(n, m.Buffers(l.Part))
	}
	return n
}

// Flight is how many parts a Task sends at once that takes so many bytes beside them, and what it
// takes with them.
func (m Memory) Flight(l Limits, beside int64) (n int, total int64) {
	part := m.Buffers(l.Part)
	n = int(max(min((m.Share()-beside)/part, mostFlight, (l.Most-1)/l.Part+1), 1))
	return n, Sum(beside, Product(part, int64(n)))
}

// Stream is how a shard is streamed.
type Stream struct {
	Limits
	AtOnce       // how inner chunks are encoded
	Flight int   // parts that are sent at once
	Total  int64 // bytes of the Task
}

// Stream is how the shard is streamed by a Task that takes reading bytes beside.
func (m Memory) Stream(o *Object, reading int64) (s Stream) {
	s.Limits = m.Limits(o.Chunk)
	beside := Sum(m.Resident(o.Chunk, s.Limits), reading)
	s.AtOnce = m.Packing(o, Sum(beside, Product(m.Buffers(s.Part), 2)))
	s.Flight, s.Total = m.Flight(s.Limits, Sum(beside, s.Room))
	return s
}

// Streams reports whether a shard is sent in parts while it is made: it would be sent in parts in
// the end, or making it in memory, beside what was stored where that is read, takes more than one
// Task's share of the budget. One that is hardly longer than a part gains nothing.
func (m Memory) Streams(o *Object, read bool) bool {
	if o.Chunk.Shards == nil || m.Budget == 0 {
		return false
	}
	n := m.Typical(o.Chunk)
	if n < 2*m.Limits(o.Chunk).Part {
		return false
	}
	took := m.Buffers(n)
	if read {
		took = Sum(took, took) // and what was stored
	}
	return m.PartAbove > 0 && n >= m.PartAbove || Sum(took, m.Packing(o, n).Room) > m.Share()
}

// ReadsAhead is how many reads of a stored shard are in flight while it is streamed to what it
// becomes.
const ReadsAhead = 4

// Carrying is what these reads cost: together they are no longer than two parts of a small budget.
func (m Memory) Carrying(c Cost) Cost {
	c.Max = min(c.Max, max(m.Share()/4/ReadsAhead, leastLocal/ReadsAhead))
	return c
}
