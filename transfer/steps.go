package transfer

import (
	"math"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

const (
	// taskObjects and taskBytes bound what a task does where nothing is gained by more, and so what an interruption repeats: 48 objects, or
	// 64 MiB of elements, take some seconds.
	taskObjects = 48
	taskBytes   = 64 << 20
)

// steps adds what writes an array to the stages.
func (m *maker) steps(s *Step, from, to *zarr.Array) error {
	if sameObjects(&Step{Start: s.Start}, from, to) {
		s.Kind = Encoded
		s.Block = gathered(ones(len(s.Grid)), to, taskBytes)
		m.add(0, s)
		return nil
	}
	s.Kind, s.Block = Blocks, ones(len(s.Grid))
	n := needOf(s, from, to)
	room := blocksShare(m.o.Memory, n.work)
	if n.block > room {
		return fault.Newf(fault.Limit, "the copy of %q takes %d bytes of memory at least, and %d are allowed", from.Path(), n.memory(), m.o.Memory)
	}
	if n.block <= room/2 {
		room /= 2 // so that one task reads while another one writes
	}
	s.Block = gathered(wider(s, from, to, room), to, min(room, taskBytes))
	m.add(0, s)
	return nil
}

func (m *maker) add(stage int, s *Step) {
	for len(m.stages) <= stage {
		m.stages = append(m.stages, Stage{})
	}
	m.stages[stage].Steps = append(m.stages[stage].Steps, *s)
}

// wider is the block, in objects along each dimension, that reads the fewest chunks within an amount of memory. Chunks of the source that lie in
// several blocks are read for each of them, so a block grows where that saves most.
func wider(s *Step, from, to *zarr.Array, room int64) []int {
	block, units, objects := ones(len(s.Grid)), unitShape(from), objectShape(to)
	reads := make([]int64, len(block))
	for d := range block {
		reads[d] = s.reads(d, block[d], units[d], objects[d], to.Shape()[d])
	}
	for {
		best, length, fewest := -1, 0, int64(math.MaxInt64)
		for d := range block {
			for _, n := range []int{2 * block[d], lcm(units[d], objects[d]) / objects[d], s.Grid[d]} {
				if n = min(n, s.Grid[d]); n <= block[d] {
					continue
				}
				was := block[d]
				block[d] = n
				bytes := blockBytes(to, block)
				block[d] = was
				if bytes > room {
					continue
				}
				total := s.reads(d, n, units[d], objects[d], to.Shape()[d])
				for k := range reads {
					if k != d {
						total = product(total, int(min(reads[k], math.MaxInt32)))
					}
				}
				if total < fewest {
					best, length, fewest = d, n, total
				}
			}
		}
		now := int64(1)
		for _, r := range reads {
			now = product(now, int(min(r, math.MaxInt32)))
		}
		if best < 0 || fewest >= now {
			return block
		}
		block[best] = length
		reads[best] = s.reads(best, length, units[best], objects[best], to.Shape()[best])
	}
}

// counted is how many blocks along a dimension are looked at one by one. 2^20: some milliseconds.
const counted = 1 << 20

// reads is how many times chunks of the source are read along a dimension by blocks of so many objects; of very many blocks at most.
func (s *Step) reads(d, block, unit, object, shape int) int64 {
	each, start := int(min(product(int64(object), block), int64(shape))), s.start(d)
	blocks := ceil(shape, each)
	if blocks > counted {
		return product(int64(blocks), ceil(each, unit)+1)
	}
	total := int64(0)
	for i := range blocks {
		lo, hi := start+i*each, start+min(shape-i*each, each)+i*each
		total += int64((hi-1)/unit - lo/unit + 1)
	}
	return total
}

// gathered lets a block grow along the last dimensions first, as long as it has few objects of few bytes.
func gathered(block []int, to *zarr.Array, bytes int64) []int {
	grid := to.GridShape()
	fits := func() bool {
		return product(1, block...) <= taskObjects && blockBytes(to, block) <= bytes
	}
	for d := len(block) - 1; d >= 0; d-- {
		was := block[d]
		for n := grid[d]; n > was; n = (n + 1) / 2 { // the whole dimension, or even parts of it
			if block[d] = n; fits() {
				break
			}
			block[d] = was
		}
		if block[d] < grid[d] {
			break
		}
	}
	return block
}

func ones(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = 1
	}
	return s
}

// lcm is the least common multiple; math.MaxInt where that is more.
func lcm(a, b int) int {
	x, y := a, b
	for y > 0 {
		x, y = y, x%y
	}
	return int(min(product(int64(a/x), b), math.MaxInt))
}
