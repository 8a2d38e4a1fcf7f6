package zstdenc

import "math/bits"

// kind is a way of finding matches and of choosing among them.
type kind uint8

const (
	fast     kind = iota // the latest position with a hash, tried at some positions only
	double               // the same with two hashes, of few bytes and of eight
	greedy               // some positions with a hash; uses the longest match
	lazy                 // like greedy, unless the next position has a better match
	lazy2                // like lazy, also with the position after the next
	optimal              // all matches of all positions; the cheapest path at the prices of the previous block
	optimal2             // like optimal, and a second pass at the prices of the block itself
)

// params holds the parameters of a level for a range of input lengths. Sizes are given as base-2
// logarithms.
type params struct {
	kind   kind
	window uint8 // maximum offset of a match
	chain  uint8 // entries of the second table: of short hashes, or two for each node of the tree
	hash   uint8 // entries of the first table
	search uint8 // number of positions tried
	min    uint8 // number of bytes hashed, and minimum match length
	nice   int   // a match of this length is used without trying alternatives; for fast it is the step
}

// scale holds the parameters of levels 0 to 22.
type scale [23]params

// scales has one scale for inputs of more than 256 KiB, and one each for inputs of up to 256 KiB,
// 128 KiB and 16 KiB. The negative levels use the parameters of level 0 with a larger step.
//
// The numbers are libzstd's, with two exceptions. First, libzstd uses lazy matching in a binary
// tree at some levels, such as 13 to 15 of the longest inputs. At these levels this package uses
// the kind "optimal", with up to 15 % shorter output, or for the shortest inputs rows of 64
// positions, with output as short as libzstd's. Second, level 5 for the longest inputs and levels 8
// and 9 for inputs of up to 256 KiB search half as many positions, which makes the output 1 %
// longer.
var scales = [4]scale{
	{
		{fast, 19, 12, 13, 1, 6, 1}, {fast, 19, 13, 14, 1, 7, 1}, {fast, 20, 15, 16, 1, 6, 1},
		{double, 21, 16, 17, 1, 5, 0}, {double, 21, 18, 18, 1, 5, 0},
		{greedy, 21, 18, 19, 3, 5, 2}, {greedy, 21, 19, 20, 5, 5, 4},
		{lazy, 21, 19, 20, 4, 5, 8}, {lazy, 21, 19, 20, 5, 5, 16},
		{lazy2, 21, 20, 21, 4, 5, 16}, {lazy2, 22, 21, 22, 4, 5, 16}, {lazy2, 22, 21, 22, 5, 5, 16}, {lazy2, 22, 21, 22, 6, 5, 32},
		{optimal, 22, 22, 22, 4, 5, 32}, {optimal, 22, 22, 22, 5, 5, 32}, {optimal, 22, 23, 22, 5, 5, 40},
		{optimal, 22, 22, 22, 5, 5, 48}, {optimal, 23, 23, 22, 5, 4, 64}, {optimal2, 23, 23, 22, 6, 3, 64}, {optimal2, 23, 24, 22, 7, 3, 256},
		{optimal2, 25, 25, 23, 7, 3, 256}, {optimal2, 26, 26, 24, 7, 3, 512}, {optimal2, 27, 27, 25, 9, 3, 999},
	},
	{
		{fast, 18, 12, 13, 1, 5, 1}, {fast, 18, 13, 14, 1, 6, 1}, {double, 18, 14, 14, 1, 5, 0},
		{double, 18, 16, 16, 1, 4, 0}, {greedy, 18, 16, 17, 3, 5, 2}, {greedy, 18, 17, 18, 5, 5, 2},
		{lazy, 18, 18, 19, 3, 5, 4}, {lazy, 18, 18, 19, 4, 4, 4},
		{lazy2, 18, 18, 19, 4, 4, 8}, {lazy2, 18, 18, 19, 4, 4, 8}, {lazy2, 18, 18, 19, 6, 4, 8},
		{optimal, 18, 18, 19, 4, 4, 12}, {optimal, 18, 19, 19, 4, 4, 12},
		{optimal, 18, 18, 19, 4, 4, 64}, {optimal, 18, 18, 19, 4, 3, 32}, {optimal, 18, 18, 19, 6, 3, 128},
		{optimal2, 18, 19, 19, 6, 3, 128}, {optimal2, 18, 19, 19, 8, 3, 256}, {optimal2, 18, 19, 19, 6, 3, 128}, {optimal2, 18, 19, 19, 8, 3, 256},
		{optimal2, 18, 19, 19, 10, 3, 512}, {optimal2, 18, 19, 19, 12, 3, 512}, {optimal2, 18, 19, 19, 13, 3, 999},
	},
	{
		{fast, 17, 12, 12, 1, 5, 1}, {fast, 17, 12, 13, 1, 6, 1}, {fast, 17, 13, 15, 1, 5, 1},
		{double, 17, 15, 16, 2, 5, 0}, {double, 17, 17, 17, 2, 4, 0},
		{greedy, 17, 16, 17, 3, 4, 2}, {lazy, 17, 16, 17, 3, 4, 4},
		{lazy2, 17, 16, 17, 3, 4, 8}, {lazy2, 17, 16, 17, 4, 4, 8}, {lazy2, 17, 16, 17, 5, 4, 8}, {lazy2, 17, 16, 17, 6, 4, 8},
		{optimal, 17, 17, 17, 3, 4, 12}, {optimal, 17, 18, 17, 3, 4, 12},
		{optimal, 17, 18, 17, 3, 4, 12}, {optimal, 17, 18, 17, 4, 3, 32}, {optimal, 17, 18, 17, 6, 3, 256},
		{optimal2, 17, 18, 17, 6, 3, 128}, {optimal2, 17, 18, 17, 8, 3, 256}, {optimal2, 17, 18, 17, 10, 3, 512}, {optimal2, 17, 18, 17, 5, 3, 256},
		{optimal2, 17, 18, 17, 7, 3, 512}, {optimal2, 17, 18, 17, 9, 3, 512}, {optimal2, 17, 18, 17, 11, 3, 999},
	},
	{
		{fast, 14, 12, 13, 1, 5, 1}, {fast, 14, 14, 15, 1, 5, 1}, {fast, 14, 14, 15, 1, 4, 1},
		{double, 14, 14, 15, 2, 4, 0}, {greedy, 14, 14, 14, 4, 4, 2}, {lazy, 14, 14, 14, 3, 4, 4},
		{lazy2, 14, 14, 14, 4, 4, 8}, {lazy2, 14, 14, 14, 6, 4, 8}, {lazy2, 14, 14, 14, 6, 4, 8},
		{lazy2, 14, 14, 14, 6, 4, 16}, {lazy2, 14, 14, 14, 6, 4, 16},
		{optimal, 14, 15, 14, 3, 4, 12}, {optimal, 14, 15, 14, 4, 3, 24}, {optimal2, 14, 15, 14, 5, 3, 32}, {optimal2, 14, 15, 15, 6, 3, 64},
		{optimal2, 14, 15, 15, 7, 3, 256}, {optimal2, 14, 15, 15, 5, 3, 48}, {optimal2, 14, 15, 15, 6, 3, 128}, {optimal2, 14, 15, 15, 7, 3, 256},
		{optimal2, 14, 15, 15, 8, 3, 256}, {optimal2, 14, 15, 15, 8, 3, 512}, {optimal2, 14, 15, 15, 9, 3, 512}, {optimal2, 14, 15, 15, 10, 3, 999},
	},
}

// The lowest and the highest level of libzstd.
const (
	minLevel     = -1 << 17
	maxLevel     = 22
	defaultLevel = 3
)

// paramsOf returns the parameters of a level for an input of n bytes and a window of at most
// 1<<window bytes. No table has more entries than the input has positions.
func paramsOf(level, n, window int) params {
	if level == 0 {
		level = defaultLevel
	}
	row := 0
	for _, most := range [...]int{256 << 10, 128 << 10, 16 << 10} {
		if n <= most {
			row++
		}
	}
	p := scales[row][min(max(level, 0), maxLevel)]
	if level < 0 {
		p.nice = min(-level, -minLevel)
	}
	p.window = uint8(min(window, max(bits.Len(uint(max(n, 1)-1)), 10)))
	p.hash = min(p.hash, p.window+1, 22)
	p.chain = min(p.chain, p.window+1)
	return p
}
