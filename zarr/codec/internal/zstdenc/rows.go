package zstdenc

import "math/bits"

// Positions with the same hash share a row of 16 to 64 entries. A new entry replaces the oldest.
// Each entry has a tag: 8 additional bits of the hash. Tags are compared eight at a time, and
// positions whose tag differs are not tried.

// rowLog returns the base-2 logarithm of the number of entries of a row.
func (e *Encoder) rowLog() uint8 { return min(max(e.p.search, 4), 6) }

// These constants limit the work of the method fill. If there are more than fillMost positions to
// insert, fill inserts only the first fillStart and the last fillEnd of them.
const (
	fillStart = 96
	fillEnd   = 32
	fillMost  = 384
)

// fill inserts the positions before limit that are not yet in the rows.
func (e *Encoder) fill(limit int) {
	i := e.filled
	limit = min(limit, len(e.src)-8)
	if limit-i > fillMost {
		for end := i + fillStart; i < end; i++ {
			e.insert(i)
		}
		i = limit - fillEnd
	}
	for ; i < limit; i++ {
		e.insert(i)
	}
	e.filled = max(e.filled, limit)
}

// insert inserts position i into its row.
func (e *Encoder) insert(i int) {
	log := e.rowLog()
	h := hashOf(load64(e.src, i), e.p.min, e.p.hash-log+8)
	row := h >> 8
	head := (e.heads[row] - 1) & (1<<log - 1)
	e.heads[row] = head
	at := row<<log | uint32(head)
	e.tags[at] = uint8(h)
	e.first[at] = e.base + uint32(i)
}

// longest returns the length and the offset of the longest match at position i, or zeros if no
// match is longer than n. It inserts the position into its row.
func (e *Encoder) longest(i, n, to int) (int, uint32) {
	if e.filled < i {
		e.fill(i)
	}
	src := e.src
	log := e.rowLog()
	h := hashOf(load64(src, i), e.p.min, e.p.hash-log+8)
	row, tag := h>>8, uint64(h&255)*ones
	from := row << log
	tags, numbers := e.tags[from:from+1<<log], e.first[from:from+1<<log]
	mask := equal(load64(tags, 8)^tag)<<8 | equal(load64(tags, 0)^tag)
	for k := 16; k+8 <= len(tags); k += 8 {
		mask |= equal(load64(tags, k)^tag) << k
	}
	head := e.heads[row] & uint8(len(tags)-1)
	number := e.base + uint32(i)
	offset := uint32(0)
	if mask != 0 {
		// Rotate the mask so that the latest entry comes first. A shift by 64 yields 0.
		mask = (mask>>(head&63) | mask<<(uint8(len(tags))-head)) & (1<<len(tags) - 1)
		window := min(uint32(1)<<e.p.window, uint32(i))
		end := load32(src, i+n-3) // a longer match has the same bytes here
		for tries := 1 << e.p.search; tries > 0; tries-- {
			at := (uint32(bits.TrailingZeros64(mask)) + uint32(head)) & uint32(len(numbers)-1)
			d := number - numbers[at]
			if d-1 >= window {
				break // the remaining entries are older
			}
			c := i - int(d)
			if load32(src, c+n-3) == end {
				if k := same(src, c, i, to); k > n {
					n, offset = k, d
					if i+n >= to {
						break
					}
					end = load32(src, i+n-3)
				}
			}
			if mask &= mask - 1; mask == 0 {
				break
			}
		}
	}
	if e.filled == i {
		head = (head - 1) & uint8(len(tags)-1)
		e.heads[row] = head
		tags[head] = uint8(h)
		numbers[head] = number
		e.filled = i + 1
	}
	if offset == 0 {
		return 0, 0
	}
	return n, offset
}

// ones has a 1 in each byte.
const ones = 0x0101010101010101

// equal returns 8 bits, one for each byte of x. A bit is set if the byte is zero. The bit of the
// byte after a zero byte may also be set.
func equal(x uint64) uint64 {
	return (x - ones) &^ x & (ones << 7) >> 7 * 0x0102040810204080 >> 56
}
