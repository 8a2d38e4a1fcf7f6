package lzma

import (
	"encoding/binary"
	"math/bits"
)

// match is a match of n bytes. dist is its distance minus one.
type match struct{ n, dist int32 }

// finder finds matches in the earlier input. It has a binary tree for each hash of four bytes. The
// tree sorts strings, and the latest string is the root. Two more tables hold the latest position
// of each hash of two bytes and of three bytes. The caller must pass every position once, in order,
// to either of the methods "at" and "skip".
type finder struct {
	src   []byte
	far   int // maximum distance
	nice  int
	depth int

	two, three, four []int32 // latest position with the hash, plus one
	shift            int
	sons             []int32 // for each position, the roots of less and greater strings, plus one
	found            []match
}

func (f *finder) reset(src []byte, c Coder) {
	f.src, f.far = src, min(c.DictSize, max(len(src), 1))
	f.nice, f.depth = min(max(c.Nice, minMatch+3), maxMatch), max(c.Depth, 1)
	hash := min(max(bits.Len(uint(len(src))), 10), 20)
	f.shift = 32 - hash
	f.two = cleared(f.two, 1<<16)
	f.three = cleared(f.three, 1<<min(hash, 16))
	f.four = cleared(f.four, 1<<hash)
	if n := 2 * (f.far + 1); cap(f.sons) >= n {
		f.sons = f.sons[:n]
	} else {
		f.sons = make([]int32, n)
	}
}

func cleared(b []int32, n int) []int32 {
	if cap(b) < n {
		return make([]int32, n)
	}
	b = b[:n]
	clear(b)
	return b
}

// node returns the index in sons of the two sons of a position.
func (f *finder) node(at int) int {
	if at > f.far {
		at %= f.far + 1
	}
	return 2 * at
}

// at returns the matches of a position. Each match is longer than the previous one and has the
// smallest distance for its length. The slice is valid until the next call.
func (f *finder) at(pos int) []match {
	f.found = f.found[:0]
	limit := min(len(f.src)-pos, f.nice)
	if limit < 4 {
		f.small(pos, limit)
		return f.found
	}
	s := f.src
	v := binary.LittleEndian.Uint32(s[pos:])
	h2, h3, h4 := v&0xffff, v<<8*0x9e3779b1>>(32-bits.Len(uint(len(f.three)-1))), v*0x9e3779b1>>f.shift
	best := 1
	for k, last := range [2]int{int(f.two[h2]) - 1, int(f.three[h3]) - 1} {
		n := k + 2
		if last < 0 || pos-last > f.far || n <= best || string(s[last:last+n]) != string(s[pos:pos+n]) {
			continue
		}
		for n < limit && s[last+n] == s[pos+n] {
			n++
		}
		best = n
		f.found = append(f.found, match{int32(n), int32(pos - last - 1)})
	}
	root := int(f.four[h4]) - 1
	f.two[h2], f.three[h3], f.four[h4] = int32(pos+1), int32(pos+1), int32(pos+1)
	f.insert(pos, root, limit, max(best, 3), true)
	return f.found
}

// skip inserts a position without searching for matches.
func (f *finder) skip(pos int) {
	limit := min(len(f.src)-pos, f.nice)
	if limit < 4 {
		return
	}
	v := binary.LittleEndian.Uint32(f.src[pos:])
	h2, h3, h4 := v&0xffff, v<<8*0x9e3779b1>>(32-bits.Len(uint(len(f.three)-1))), v*0x9e3779b1>>f.shift
	root := int(f.four[h4]) - 1
	f.two[h2], f.three[h3], f.four[h4] = int32(pos+1), int32(pos+1), int32(pos+1)
	f.insert(pos, root, limit, maxMatch, false)
}

// small finds the matches of a position near the end of the input, which has too few bytes for the
// trees.
func (f *finder) small(pos, limit int) {
	if limit < 2 {
		return
	}
	s := f.src
	h2 := binary.LittleEndian.Uint16(s[pos:])
	last := int(f.two[h2]) - 1
	f.two[h2] = int32(pos + 1)
	if last < 0 || pos-last > f.far {
		return
	}
	n := 2
	for n < limit && s[last+n] == s[pos+n] {
		n++
	}
	f.found = append(f.found, match{int32(n), int32(pos - last - 1)})
}

// insert makes pos the root of its tree. It walks down the old tree and splits it: strings less
// than the string at pos go to the left subtree, greater strings to the right subtree. The
// variables "less" and "greater" are the slots for the next string of each subtree.
func (f *finder) insert(pos, root, limit, best int, report bool) {
	s, sons := f.src, f.sons
	me := f.node(pos)
	less, greater := me, me+1
	nLess, nGreater := 0, 0 // lengths of their known common prefixes with the string at pos
	for left := f.depth; ; left-- {
		if root < 0 || pos-root > f.far || left == 0 {
			sons[less], sons[greater] = 0, 0
			return
		}
		pair := f.node(root)
		n := min(nLess, nGreater)
		for n < limit && s[root+n] == s[pos+n] {
			n++
		}
		if n > best {
			best = n
			if report {
				f.found = append(f.found, match{int32(n), int32(pos - root - 1)})
			}
		}
		if n == limit {
			sons[less], sons[greater] = sons[pair], sons[pair+1]
			return
		}
		if s[root+n] < s[pos+n] {
			sons[less] = int32(root + 1)
			less, nLess = pair+1, n
			root = int(sons[less]) - 1
		} else {
			sons[greater] = int32(root + 1)
			greater, nGreater = pair, n
			root = int(sons[greater]) - 1
		}
	}
}
