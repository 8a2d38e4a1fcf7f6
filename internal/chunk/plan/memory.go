package plan

import (
	"math"

	"github.com/zargo-io/zargo/internal/chunk/pipeline"
)

// Memory decides how much of an object is in memory at a time, and therefore whether a shard is
// written in one request or streamed in parts.
type Memory struct {
	Budget    int64           // bytes that all calls of the budget share
	Limit     int64           // maximum bytes of a shard with unused space
	PartAbove int64           // the store's Tuning.PartAbove
	CPUs      int             // number of CPU slots
	Used      bool            // pipeline.Memory.Use receives the elements
	Seen      int64           // bytes of the longest stored object so far, 0 before the first
	Need      func(int) int64 // returns the bytes to reserve for a buffer
}

const (
	// unseen is the divisor of the budget for the first object of unbounded length, which takes a
	// sixteenth of the budget. If elements vary in length, the length of an object is unbounded.
	unseen = 16
	// varied is the minimum number of bytes to reserve for an object of unbounded length. If less
	// were reserved, a longer object would need a second request, which costs more than the memory.
	varied = 1 << 20
	// minWork is the minimum number of decoded bytes that justifies a separate goroutine. Decoding
	// them takes some tens of microseconds.
	minWork = 256 << 10
)

// Typical returns a number of bytes that the stored form of a chunk or a shard rarely exceeds.
// Callers reserve this number of bytes before they know the length.
func (m Memory) Typical(c *pipeline.Chunk) int64 {
	worst := c.Chain.Worst()
	n := c.Chain.Typical()
	if n < 0 {
		n = m.Budget / unseen
		if m.Seen > 0 {
			n = max(min(n, varied), 2*m.Seen)
		}
	}
	return min(n, worst)
}

// Longest returns the maximum length of a shard that is read with one request because it cannot be
// read in parts. A shard may have unused space, so the maximum is the larger of m.Limit and the
// longest output of the codecs.
func (m Memory) Longest(c *pipeline.Chunk) int64 { return max(c.Chain.Worst(), m.Limit) }

// Share returns the maximum number of bytes of the budget that one Task may take. The limit leaves
// memory for other Tasks.
func (m Memory) Share() int64 { return m.Budget / 8 * 3 }

// AtOnce describes how the inner chunks of a shard are decoded or encoded concurrently. Slots
// goroutines run concurrently, and together take Room bytes. Each goroutine processes Some inner
// chunks in sequence.
type AtOnce struct {
	Some, Slots int
	Room        int64
}

// Decoding returns the concurrency for decoding the pieces of a read of n bytes.
func (m Memory) Decoding(rd Read, n int64) AtOnce {
	c, pieces := rd.Pieces[0].Chunk(), len(rd.Pieces)
	var index int64
	if rd.Role == Shard {
		pieces = rd.Pieces[0].Touched()
		index = int64(c.Shards.Len()) * (16 + PieceBytes)
	}
	c = deepest(c)
	each, _ := c.MostRoom()
	if m.Used { // a box is decoded to memory of its own
		each = Sum(each, int64(c.Bytes))
	}
	at := m.divide(c, pieces, Sum(n, index), func(int) int64 { return Room(each) })
	at.Room = Sum(index, at.Room)
	return at
}

// Encoding returns the concurrency for encoding the selected inner chunks of a shard in a Task that
// also takes n other bytes.
func (m Memory) Encoding(o *Object, n int64) AtOnce {
	decode, encode := o.Chunk.Inner.MostRoom()
	touched := o.TouchedInner()
	at := m.divide(o.Chunk.Inner, touched, n, func(some int) int64 {
		return Sum(Room(Sum(decode, encode)), m.Buffers(m.Inner(o, min(some, touched))))
	})
	at.Room = Sum(at.Room, int64(o.Chunk.Shards.Len())*(16+PieceBytes))
	return at
}

// divide divides the given number of pieces of c into groups, one for each goroutine. A group of k
// pieces takes room(k) bytes, and the Task takes n other bytes. All CPU slots are used, unless the
// Task would then leave no memory for other Tasks.
func (m Memory) divide(c *pipeline.Chunk, pieces int, n int64, room func(k int) int64) AtOnce {
	at := AtOnce{Some: max(minWork/max(c.Bytes, 1), 1)}
	each := room(at.Some)
	left := (m.Share() - n) / max(each, 1)
	at.Slots = int(max(min(int64(m.CPUs), int64((pieces-1)/at.Some+1), left), 1))
	at.Room = Product(each, int64(at.Slots))
	return at
}

// Inner returns a number of bytes that the given number of stored inner chunks of a shard rarely
// exceeds.
func (m Memory) Inner(o *Object, touched int) int64 {
	if n := o.Chunk.Inner.Chain.Typical(); n >= 0 {
		return min(Product(n, int64(touched)), m.Typical(o.Chunk))
	}
	return m.Typical(o.Chunk)
}

// Indexed returns the number of bytes that the index of a stored shard and the pieces planned from
// the index take in memory. For nested shards, at most the given number of bytes is counted,
// because their indexes are processed in slices of that size.
func Indexed(o *Object, most int64) int64 {
	n := 16*int64(o.Chunk.Shards.Len()) + PieceBytes*int64(o.Touched())
	if o.Chunk.Inner.Shards != nil {
		return Sum(16*int64(o.Chunk.Shards.Len()), min(Sum(n, n), most))
	}
	return n
}

// Buffers returns the number of bytes to reserve for buffers of the given lengths.
func (m Memory) Buffers(buffers ...int64) (n int64) {
	for _, b := range buffers {
		n = Sum(n, m.Need(int(min(b, math.MaxInt/4))))
	}
	return n
}

// Room returns the number of bytes to reserve for n bytes that are divided into several buffers.
func Room(n int64) int64 { return Sum(min(n, most), min(n, most)/8) }

// most is the maximum of the results of [Sum] and [Product]. It exceeds any budget, and four times
// most does not overflow an int64.
const most = math.MaxInt64 / 4

// Sum returns a + b. If the sum exceeds the constant most, it returns most.
func Sum(a, b int64) int64 {
	if a > most-b {
		return most
	}
	return a + b
}

// Product returns a * b. If the product exceeds the constant most, it returns most.
func Product(a, b int64) int64 {
	if a > 0 && b > most/a {
		return most
	}
	return a * b
}

// First returns the maximum number of bytes of the first attempt of a request.
func (m Memory) First(rd Read) int64 {
	if rd.Exact || rd.Role != Chunk && rd.Role != Shard {
		return rd.Bound
	}
	return min(m.Typical(rd.Pieces[0].Chunk()), rd.Bound)
}

// short is the length of the buffer for an object of unknown length.
const short = 64 << 10

// Expected returns the length of the buffer for the response to a request for at most n bytes. If
// elements vary in length, n is usually far too large, so Expected returns a short length. For a
// longer value, the store allocates memory, which is used instead of the buffer.
func (m Memory) Expected(rd Read, n int64) int64 {
	if rd.Role != Chunk && rd.Role != Shard || rd.Pieces[0].Chunk().Chain.Typical() >= 0 {
		return n
	}
	return min(n, max(2*m.Seen, short))
}
