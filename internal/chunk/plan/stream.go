package plan

import "github.com/zargo-io/zargo/internal/chunk/pipeline"

// Limits are the limits on the lengths of a streamed shard and its parts, in bytes.
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
	// leastLocal is the shortest part for a local store if the memory budget is small.
	leastLocal = 256 << 10
	// mostParts is the number of parts that every provider accepts.
	mostParts = 10_000
	// mostFlight is the maximum number of parts in flight. More parts in flight do not increase the
	// throughput; see zarr/store/large.
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

// written returns the maximum length of a shard that is written. Unlike a stored shard, a written
// shard has no unused space. If elements vary in length, the result is less than the bound of the
// codecs, which no array reaches.
func (m Memory) written(c *pipeline.Chunk) int64 {
	n := min(m.Longest(c), c.Chain.Worst())
	if c.Chain.Typical() < 0 {
		n = min(n, Product(m.Typical(c), unseen))
	}
	return n
}

// Resident returns the number of bytes of memory that a stream takes during its whole life: the
// bytes that are not yet in a part, the index, and part 0 if part 0 is sent last.
func (m Memory) Resident(c *pipeline.Chunk, l Limits) int64 {
	n := Sum(m.Buffers(min(l.Part, l.Most)), Sum(l.Index, int64(c.Shards.Len())*16))
	if _, atStart := c.Shards.IndexSize(); atStart && l.Most > l.Part {
		n = Sum(n, m.Buffers(l.Part))
	}
	return n
}

// Flight returns the number of parts that a Task has in flight, and the total number of bytes that
// the Task takes. beside is the number of bytes that the Task takes for other purposes.
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
func (m Memory) Stream(o *Object, l Limits, reading int64) (s Stream) {
	beside := Sum(m.Resident(o.Chunk, l), reading)
	s.Limits = l
	s.AtOnce = m.Encoding(o, Sum(beside, Product(m.Buffers(l.Part), 2)))
	s.Flight, s.Total = m.Flight(l, Sum(beside, s.Room))
	return s
}

// Packing is the memory use of a shard that is encoded in memory, and the limits of its parts if it
// is streamed instead. It is zero for a chunk that is not a shard, and for the zero Memory.
type Packing struct {
	AtOnce        // division of the encoding of inner chunks
	Length  int64 // a length that the shard rarely exceeds
	Total   int64 // bytes of the Task, without the old form
	Streams bool  // the shard is streamed
	Limits  Limits
}

// Packing returns the memory use of a Task that writes the object. If read is true, the old form of
// the shard is read.
//
// A shard is streamed if the store would send the value in parts anyway, or if the shard, encoded
// in memory, would take more than the share of one Task of the budget. A shard shorter than two
// parts is never streamed.
func (m Memory) Packing(o *Object, read bool) (p Packing) {
	if o.Chunk.Shards == nil || m.Need == nil {
		return p
	}
	p.Length = m.Typical(o.Chunk)
	took := m.Buffers(p.Length)
	p.AtOnce = m.Encoding(o, p.Length)
	p.Total = Sum(took, p.Room)
	total := p.Total
	if read {
		total = Sum(total, took) // with the old form
	}
	p.Limits = m.Limits(o.Chunk)
	p.Streams = m.Budget > 0 && p.Length >= 2*p.Limits.Part && (m.PartAbove > 0 && p.Length >= m.PartAbove || total > m.Share())
	return p
}

// ReadsAhead is the number of concurrent reads of a stored shard while its new form is streamed.
const ReadsAhead = 4

// Carrying returns the Cost for reads of a stored shard while its new form is streamed. It limits
// the length of each read, so that [ReadsAhead] reads are together no longer than two parts of a
// small budget.
func (m Memory) Carrying(c Cost) Cost {
	c.Max = min(c.Max, max(m.Share()/4/ReadsAhead, leastLocal/ReadsAhead))
	return c
}
