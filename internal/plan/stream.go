package plan

import "github.com/zargo-io/zargo/internal/pipeline"

// Limits are the lengths of a streamed shard, in bytes.
type Limits struct {
	Part     int64 // length of each part but the last
	Most     int64 // maximum length of the shard
	Index    int64 // length of the stored index
	InMemory int64 // maximum length of a shard if the store does not support parts, or 0 if it is not streamed
}

const (
	// partSize is the target length of an upload part: small enough that it is cheap to resend a
	// part, and that several parts fit in the share of a Task of the memory budget.
	partSize = 8 << 20
	// leastPart is the shortest part that every provider accepts. S3 accepts shorter parts only at
	// the end.
	leastPart = 5 << 20
	// leastLocal is the shortest part for a store without a network and a small budget.
	leastLocal = 256 << 10
	// mostParts is the number of parts that every provider accepts.
	mostParts = 10_000
	// mostFlight is the maximum number of parts in flight. More are not faster: see
	// zarr/store/large.
	mostFlight = 16
)

// Limits returns the limits of shards described by c.
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

// written returns the maximum bytes of a shard that is written. Unlike a shard that is read, it has
// no unused space. If elements vary in length, the result is less than the bound of the codecs,
// which no array reaches.
func (m Memory) written(c *pipeline.Chunk) int64 {
	n := min(m.Longest(c), c.Chain.Worst())
	if c.Chain.Typical() < 0 {
		n = min(n, Product(m.Typical(c), unseen))
	}
	return n
}

// Resident returns the bytes that a stream takes as long as it exists. They are the bytes that are
// not yet in a part, the index, and part 0 if part 0 is sent last.
func (m Memory) Resident(c *pipeline.Chunk, l Limits) int64 {
	n := Sum(m.Buffers(min(l.Part, l.Most)), Sum(l.Index, int64(c.Shards.Len())*16))
	if _, atStart := c.Shards.IndexSize(); atStart && l.Most > l.Part {
		n = Sum(n, m.Buffers(l.Part))
	}
	return n
}

// Flight returns the number of parts in flight in a Task, and the total bytes of the Task. beside
// is the number of other bytes that the Task takes.
func (m Memory) Flight(l Limits, beside int64) (n int, total int64) {
	part := m.Buffers(l.Part)
	n = int(max(min((m.Share()-beside)/part, mostFlight, (l.Most-1)/l.Part+1), 1))
	return n, Sum(beside, Product(part, int64(n)))
}

// Stream is the memory use of a streamed shard.
type Stream struct {
	Limits
	AtOnce       // division of the encoding of inner chunks
	Flight int   // parts in flight
	Total  int64 // bytes of the Task
}

// Stream returns the memory use of a Task that streams the shard. reading is the number of bytes
// that the Task takes for reads.
func (m Memory) Stream(o *Object, reading int64) (s Stream) {
	s.Limits = m.Limits(o.Chunk)
	beside := Sum(m.Resident(o.Chunk, s.Limits), reading)
	s.AtOnce = m.Packing(o, Sum(beside, Product(m.Buffers(s.Part), 2)))
	s.Flight, s.Total = m.Flight(s.Limits, Sum(beside, s.Room))
	return s
}

// Streams reports whether a shard is sent in parts while it is encoded. It returns true if the
// value would be sent in parts anyway. It also returns true if the shard takes more than the share
// of one Task of the budget when it is encoded in memory; if read is set, the old form of the shard
// is included. A shard shorter than two parts is never streamed.
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
		took = Sum(took, took) // with the old form
	}
	return m.PartAbove > 0 && n >= m.PartAbove || Sum(took, m.Packing(o, n).Room) > m.Share()
}

// ReadsAhead is the number of concurrent reads of a stored shard while its new form is streamed.
const ReadsAhead = 4

// Carrying returns the cost of the reads of a stored shard while its new form is streamed. Together
// they are no longer than two parts of a small budget.
func (m Memory) Carrying(c Cost) Cost {
	c.Max = min(c.Max, max(m.Share()/4/ReadsAhead, leastLocal/ReadsAhead))
	return c
}
