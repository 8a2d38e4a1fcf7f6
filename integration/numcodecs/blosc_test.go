package numcodecs_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/integration/numcodecs"
	"github.com/zargo-io/zargo/zarr/codec/blosc"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// The axes of TestBlosc that stand by themselves.
var (
	bloscNames    = []string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"}
	bloscShuffles = []int{-1, 0, 1, 2}
	// bloscSizes are elements of every kind: even and odd, the largest that is split and one more,
	// the largest of all.
	bloscSizes = []int{1, 2, 3, 4, 7, 8, 12, 15, 16, 17, 32, 255}
)

// bloscSplits are ways to split blocks. Of elements that are too large to be split, c-blosc does
// not read what it makes with ALWAYS.
func bloscSplits(size int) []string {
	if size > 16 {
		return []string{"NEVER"}
	}
	return []string{"NEVER", "ALWAYS"}
}

// bloscBlocks are sizes of blocks for elements of a size: one of the encoder's choice, the shortest
// that is split and one that is too short for it by a byte, and an odd one.
func bloscBlocks(size int) []int { return []int{0, 128 * size, 128*size - 1, 5003} }

// bloscLengths are bytes of an array: one, too few to compress, whole elements and blocks, a few
// more than a block, a few less, and some with a rest that is large enough for a block. All but the
// third end within an element where it has several bytes.
func bloscLengths(size, block int, split string) []int {
	if block == 0 {
		block = 32 << 10 // it goes by the level, from 8 KiB on
	}
	if split == "ALWAYS" {
		block = min(max(block*size, 1<<16), 1<<20) // as the encoder has it then, whatever it was told
	}
	block -= block % size
	return []int{1, 127, 2 * block, block + 2*size/3, block - 1, 2*block + 130*size + size/2}
}

// bloscCase is one array of TestBlosc.
type bloscCase struct {
	shuffle, size, block, length int
	split                        string
}

// slow tells of an array of many blocks or bytes: with -race, where pools forget, zstd may make an
// encoder of many MiB for each block.
func (c bloscCase) slow() bool { return c.length > 100_000 || c.block > 0 && c.length > 16*c.block }

// bloscCases are all of a compressor.
func bloscCases() (all []bloscCase) {
	for _, shuffle := range bloscShuffles {
		for _, size := range bloscSizes {
			for _, block := range bloscBlocks(size) {
				for _, split := range bloscSplits(size) {
					for _, length := range bloscLengths(size, block, split) {
						all = append(all, bloscCase{shuffle, size, block, length, split})
					}
				}
			}
		}
	}
	return all
}

// TestBlosc tries every compressor of blosc with every shuffle, size of elements, size of blocks,
// way to split them and kind of length, each with all the others: 2,016 arrays of each compressor;
// levels and contents are drawn. Blosc's elements are not the array's, which are bytes: so an array
// can end within one. TensorStore judges snappy, and splits blocks as it likes. Frames are alike
// but for the bytes of the streams.
func TestBlosc(t *testing.T) {
	each(t, tryBloscs)
}

func tryBloscs(t *testing.T, j *numcodecs.Judge, tensorstore bool) {
	for _, cname := range bloscNames {
		if cname == "snappy" && !tensorstore {
			continue
		}
		t.Run(cname, func(t *testing.T) {
			h := fnv.New64a()
			h.Write([]byte(cname))
			r := rand.New(rand.NewPCG(2, h.Sum64()))
			cases := bloscCases()
			r.Shuffle(len(cases), func(i, k int) { cases[i], cases[k] = cases[k], cases[i] })
			if !*full {
				cases = slices.DeleteFunc(cases, bloscCase.slow)[:8]
			}
			seen := map[string]int{}
			for i, c := range cases {
				tryBlosc(t, j, cname, c, r, seen)
				if t.Failed() {
					t.Fatalf("case %d of %d: %+v", i, len(cases), c)
				}
			}
			t.Logf("%d arrays: %v", len(cases), seen)
			if *full {
				holdForms(t, cname, seen)
			}
		})
	}
}

func tryBlosc(t *testing.T, j *numcodecs.Judge, cname string, c bloscCase, r *rand.Rand, seen map[string]int) {
	t.Helper()
	id := numcodecs.ID{ID: "blosc"}
	config := numcodecs.Config{"cname": cname, "clevel": r.IntN(10), "shuffle": c.shuffle, "typesize": c.size, "blocksize": c.block}
	q := numcodecs.Question{Config: config.JSON(id.ID), DType: "|u1", Split: c.split}
	if cname == "snappy" {
		q.Library, q.Split = numcodecs.TensorStore, ""
	}
	array := make([]byte, c.length)
	id.Fill(r, dtype.Uint8, array)
	a, b := tryArray(t, j, id, q, array)
	if t.Failed() {
		return
	}
	theirs, ours := header(t, a), header(t, b)
	seen["judge: "+form(theirs)]++
	seen["zargo: "+form(ours)]++
	if theirs.Split != ours.Split { // then the encoder has other blocks
		theirs.Split, theirs.BlockSize = ours.Split, ours.BlockSize
	}
	theirs.Encoded, theirs.Stored = ours.Encoded, ours.Stored // which goes by the streams
	if theirs != ours {
		t.Errorf("%s %s: the judge's frame is %+v, zargo's %+v", q.Config, q.Split, theirs, ours)
	}
}

func header(t *testing.T, frame []byte) blosc.Header {
	t.Helper()
	h, err := blosc.ParseHeader(frame)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// form is what is to be seen of a frame.
func form(h blosc.Header) string {
	switch {
	case h.Stored:
		return fmt.Sprint(h.Shuffle, " stored")
	case h.Split:
		return fmt.Sprint(h.Shuffle, " split")
	}
	return fmt.Sprint(h.Shuffle, " whole")
}

// holdForms finds all forms among what was made, but for blocks of zstd that zargo splits: it never
// does.
func holdForms(t *testing.T, cname string, seen map[string]int) {
	t.Helper()
	for _, who := range []string{"judge", "zargo"} {
		for _, shuffle := range []blosc.Shuffle{blosc.NoShuffle, blosc.ByteShuffle, blosc.BitShuffle} {
			for _, h := range []blosc.Header{{Stored: true}, {Split: true}, {}} {
				h.Shuffle = shuffle
				never := who == "zargo" && cname == "zstd" && h.Split
				if n := seen[who+": "+form(h)]; (n == 0) != never {
					t.Errorf("%d frames are %q", n, who+": "+form(h))
				}
			}
		}
	}
}
