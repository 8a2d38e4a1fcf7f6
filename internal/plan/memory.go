package plan

import (
	"math"

	"github.com/zargo-io/zargo/internal/pipeline"
)

// Memory is what decides how much of an object is in memory at once, and so whether a shard is
// written as one value or streamed in parts.
type Memory struct {
	Budget    int64           // bytes that all calls of the budget share
	Limit     int64           // bytes of a shard that is longer than encoders make it (ChunkLimit)
	PartAbove int64           // of the store's Tuning
	CPUs      int             // slots
	Seen      int64           // bytes of the longest stored object so far, 0 before the first
	Need      func(int) int64 // bytes of the budget that a buffer of so many bytes takes
}

const (
	// unseen is the part of the budget that the first object takes whose length has no bound, as
	// elements vary in it: a sixteenth.
	unseen = 16
	// varied is what is reserved at least for such an object: asking again costs more than so much
	// memory.
	varied = 1 << 20
	// minWork is how many decoded bytes are worth a goroutine of their own: some tens of
	// microseconds of work.
	minWork = 256 << 10
)

// Typical is how many bytes the stored form of a chunk or a shard rarely exceeds. They are reserved
// before anything is known of it.
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

// Longest is the length in bytes up to which a shard is read with one request that cannot be read
// in parts: unused space is legal, so its bound is not what an encoder makes but what memory may
// hold.
func (m Memory) Longest(c *pipeline.Chunk) int64 { return max(c.Chain.Worst(), m.Limit) }

// Share is how many bytes one Task may take of the budget beside others.
func (m Memory) Share() int64 { return m.Budget / 8 * 3 }

// AtOnce is how the inner chunks of a shard are decoded or encoded: Some in one go, Slots of these
// at once, which takes Room bytes.
type AtOnce struct {
	Some, Slots int
	Room        int64
}

// Decoding is how the pieces of a read of n bytes are decoded.
func (m Memory) Decoding(rd Read, n int64) AtOnce {
	c, pieces := rd.Pieces[0].Chunk(), len(rd.Pieces)
	var index int64
	if rd.Role == Shard {
		pieces = rd.Pieces[0].Touched()
		index = int64(c.Shards.Len()) * (16 + PieceBytes)
	}
	c = deepest(c)
	each, _ := c.MostRoom()
	at := m.divide(c, pieces, Sum(n, index), func(int) int64 { return Room(each) })
	at.Room = Sum(index, at.Room)
	return at
}

// Packing is how the selected inner chunks of a shard are encoded, beside n bytes.
func (m Memory) Packing(o *Object, n int64) AtOnce {
	decode, encode := o.Chunk.Inner.MostRoom()
	touched := o.TouchedInner()
	at := m.divide(o.Chunk.Inner, touched, n, func(some int) int64 {
		return Sum(Room(Sum(decode, encode)), m.Buffers(m.Inner(o, min(some, touched))))
	})
	at.Room = Sum(at.Room, int64(o.Chunk.Shards.Len())*(16+PieceBytes))
	return at
}

// divide divides work on pieces, of which some take each(some) bytes beside the n of all: among as
// many CPU slots as there are, unless that makes a Task that leaves no room for others.
func (m Memory) divide(c *pipeline.Chunk, pieces int, n int64, each func(some int) int64) AtOnce {
	at := AtOnce{Some: max(minWork/max(c.Bytes, 1), 1)}
	room := each(at.Some)
	left := (m.Share() - n) / max(room, 1)
	at.Slots = int(max(min(int64(m.CPUs), int64((pieces-1)/at.Some+1), left), 1))
	at.Room = Product(room, int64(at.Slots))
	return at
}

// Inner is how many bytes so many stored inner chunks of a shard rarely exceed.
func (m Memory) Inner(o *Object, touched int) int64 {
	if n := o.Chunk.Inner.Chain.Typical(); n >= 0 {
		return min(Product(n, int64(touched)), m.Typical(o.Chunk))
	}
	return m.Typical(o.Chunk)
}

// Indexed is how many bytes the index of a stored shard takes, with what it expands to. That of all
// shards within it is worked through in slices of most bytes.
func Indexed(o *Object, most int64) int64 {
	n := 16*int64(o.Chunk.Shards.Len()) + PieceBytes*int64(o.Touched())
	if o.Chunk.Inner.Shards != nil {
		return Sum(16*int64(o.Chunk.Shards.Len()), min(Sum(n, n), most))
	}
	return n
}

// Buffers is how many bytes to reserve for buffers of so many bytes each.
func (m Memory) Buffers(buffers ...int64) (n int64) {
	for _, b := range buffers {
		n = Sum(n, m.Need(int(min(b, math.MaxInt/4))))
	}
	return n
}

// Room is how many bytes to reserve for n bytes in several buffers.
func Room(n int64) int64 { return Sum(min(n, most), min(n, most)/8) }

// most is what sums of lengths end at: no budget has so much, and four of them are a number.
const most = math.MaxInt64 / 4

// Sum is a sum of lengths.
func Sum(a, b int64) int64 {
	if a > most-b {
		return most
	}
	return a + b
}

// Product is a product of lengths.
func Product(a, b int64) int64 {
	if a > 0 && b > most/a {
		return most
	}
	return a * b
}

// First is how many bytes a request may bring when it is sent for the first time.
func (m Memory) First(rd Read) int64 {
	if rd.Exact || rd.Role != Chunk && rd.Role != Shard {
		return rd.Bound
	}
	return min(m.Typical(rd.Pieces[0].Chunk()), rd.Bound)
}

// short is the buffer for an object of unknown length.
const short = 64 << 10

// Expected is the length of the buffer that is made before a request is sent that may bring n
// bytes. Where elements vary in length n is a guess, mostly far too large. The memory that the
// store makes for a longer value is adopted.
func (m Memory) Expected(rd Read, n int64) int64 {
	if rd.Role != Chunk && rd.Role != Shard || rd.Pieces[0].Chunk().Chain.Typical() >= 0 {
		return n
	}
	return min(n, max(2*m.Seen, short))
}
