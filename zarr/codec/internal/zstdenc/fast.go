package zstdenc

// hashOf returns a hash of log bits of the first min bytes of x.
func hashOf(x uint64, min, log uint8) uint32 {
	return uint32(x << (64 - 8*min&63) * 0x9e3779b185ebca87 >> (64 - log&63))
}

// after determines how fast findFast and findDouble skip incompressible data. Their step grows by 1
// for every 1<<after bytes without a match.
const after = 8

// findFast is the match finder of the kind "fast". At each searched position it tries the latest
// repeat offset and the latest position with the same hash.
func (e *Encoder) findFast(from, to int) {
	src, table := e.src, e.first
	limit := to - 8
	window := uint32(1) << e.p.window
	step := max(e.p.nice, 1)
	least, log := e.p.min, e.p.hash
	shift, down := 64-8*least&63, 64-log&63
	table = table[:1<<log]
	mask := uint32(len(table) - 1)
	offset := e.reps[0]
	start := from // start of the literals
	i := max(from, 1)
	for i < limit {
		x := load64(src, i)
		h := uint32(x<<shift*0x9e3779b185ebca87>>down) & mask
		number := e.base + uint32(i)
		d := number - table[h]
		table[h] = number
		var at, n int
		switch {
		case offset <= uint32(i+1) && offset > 0 && load32(src, i+2-int(offset)) == uint32(x>>16):
			at = i + 2
			n = 4 + same(src, at+4-int(offset), at+4, to)
			if src[at-1] == src[at-1-int(offset)] {
				at--
				n++
			}
		case d <= uint32(i) && d <= window && load32(src, i-int(d)) == uint32(x):
			at, offset = i, d
			n = 4 + same(src, i+4-int(d), i+4, to)
			for at > start && at > int(d) && src[at-1] == src[at-1-int(d)] {
				at--
				n++
			}
		default:
			i += step + (i-start)>>after
			continue
		}
		e.emit(start, at, n, offset)
		next := at + n
		if i+2 < limit {
			table[hashOf(load64(src, i+2), least, log)] = e.base + uint32(i+2)
		}
		i, start = next, next
		if i < limit {
			table[hashOf(load64(src, i-2), least, log)] = e.base + uint32(i-2)
			for i < limit { // try the second repeat offset, without literals
				b := e.reps[1]
				if b > uint32(i) || load32(src, i) != load32(src, i-int(b)) {
					break
				}
				n := 4 + same(src, i+4-int(b), i+4, to)
				table[hashOf(load64(src, i), least, log)] = e.base + uint32(i)
				e.emit(i, i, n, b)
				i += n
				start = i
			}
		}
		offset = e.reps[0]
	}
}

// findDouble is the match finder of the kind "double". It tries the latest position with the same
// eight bytes, and then the latest position with the same few bytes. If only the few bytes match,
// it also tries the eight bytes at the next position.
func (e *Encoder) findDouble(from, to int) {
	src, long, short := e.src, e.first, e.second
	limit := to - 9
	window := uint32(1) << e.p.window
	least, longLog, shortLog := e.p.min, e.p.hash, e.p.chain
	shift, down, downLong := 64-8*least&63, 64-shortLog&63, 64-longLog&63
	long, short = long[:1<<longLog], short[:1<<shortLog]
	longMask, shortMask := uint32(len(long)-1), uint32(len(short)-1)
	const prime = 0x9e3779b185ebca87
	offset := e.reps[0]
	start := from
	i := max(from, 1)
	for i < limit {
		x := load64(src, i)
		hl, hs := uint32(x*prime>>downLong)&longMask, uint32(x<<shift*prime>>down)&shortMask
		number := e.base + uint32(i)
		dl, ds := number-long[hl], number-short[hs]
		long[hl], short[hs] = number, number
		at, n := i, 0
		switch {
		case offset <= uint32(i+1) && offset > 0 && load32(src, i+1-int(offset)) == uint32(x>>8):
			at = i + 1
			n = 4 + same(src, at+4-int(offset), at+4, to)
			e.emit(start, at, n, offset)
		case dl <= uint32(i) && dl <= window && load64(src, i-int(dl)) == x:
			offset = dl
			n = 8 + same(src, i+8-int(dl), i+8, to)
			at, n = e.before(start, at, n, offset)
			e.emit(start, at, n, offset)
		case ds <= uint32(i) && ds <= window && load32(src, i-int(ds)) == uint32(x):
			offset = ds
			n = 4 + same(src, i+4-int(ds), i+4, to)
			y := load64(src, i+1)
			h := uint32(y*prime>>downLong) & longMask
			d := number + 1 - long[h]
			long[h] = number + 1
			if d <= uint32(i+1) && d <= window && load64(src, i+1-int(d)) == y {
				if m := 8 + same(src, i+9-int(d), i+9, to); m > n {
					at, n, offset = i+1, m, d
				}
			}
			at, n = e.before(start, at, n, offset)
			e.emit(start, at, n, offset)
		default:
			i += 1 + (i-start)>>after
			continue
		}
		next := at + n
		if k := i + 2; k < limit {
			x := load64(src, k)
			long[uint32(x*prime>>downLong)&longMask] = e.base + uint32(k)
			short[uint32(x<<shift*prime>>down)&shortMask] = e.base + uint32(k)
		}
		i, start = next, next
		if i < limit {
			x := load64(src, i-2)
			long[uint32(x*prime>>downLong)&longMask] = e.base + uint32(i-2)
			x = load64(src, i-1)
			short[uint32(x<<shift*prime>>down)&shortMask] = e.base + uint32(i-1)
			for i < limit {
				b := e.reps[1]
				if b > uint32(i) || load32(src, i) != load32(src, i-int(b)) {
					break
				}
				n := 4 + same(src, i+4-int(b), i+4, to)
				x := load64(src, i)
				long[uint32(x*prime>>downLong)&longMask] = e.base + uint32(i)
				short[uint32(x<<shift*prime>>down)&shortMask] = e.base + uint32(i)
				e.emit(i, i, n, b)
				i += n
				start = i
			}
		}
		offset = e.reps[0]
	}
}

// before extends a match backwards into the literals that begin at start. It returns the new
// position and the new length of the match.
func (e *Encoder) before(start, at, n int, offset uint32) (int, int) {
	for at > start && at > int(offset) && e.src[at-1] == e.src[at-1-int(offset)] {
		at--
		n++
	}
	return at, n
}
