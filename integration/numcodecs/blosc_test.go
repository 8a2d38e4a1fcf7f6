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

// The independent properties of the cases of TestBlosc.
var (
	bloscNames    = []string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"}
	bloscShuffles = []int{-1, 0, 1, 2}
	// bloscSizes are element sizes: even and odd, the largest size that is split and one more, and
	// the largest possible size.
	bloscSizes = []int{1, 2, 3, 4, 7, 8, 12, 15, 16, 17, 32, 255}
)

// bloscSplits returns the split modes for an element size. c-blosc cannot read its own frames with
// ALWAYS if the elements are too large to be split.
func bloscSplits(size int) []string {
	if size > 16 {
		return []string{"NEVER"}
	}
	return []string{"NEVER", "ALWAYS"}
}

// bloscBlocks returns block sizes for an element size: the encoder's choice, the smallest that is
// split, one byte less, and an odd size.
func bloscBlocks(size int) []int { return []int{0, 128 * size, 128*size - 1, 5003} }

// bloscLengths returns lengths of an array in bytes: one byte, too few bytes to compress, whole
// elements and blocks, slightly more than a block, slightly less, and with a last block that is
// long enough to be split. If elements have several bytes, all but the third end within an element.
func bloscLengths(size, block int, split string) []int {
	if block == 0 {
		block = 32 << 10 // depends on the level, from 8 KiB on
	}
	if split == "ALWAYS" {
		block = min(max(block*size, 1<<16), 1<<20) // the encoder then ignores the requested size
	}
	block -= block % size
	return []int{1, 127, 2 * block, block + 2*size/3, block - 1, 2*block + 130*size + size/2}
}

// bloscCase is one array of TestBlosc.
type bloscCase struct {
	shuffle, size, block, length int
	split                        string
}

// slow reports whether an array has many blocks or bytes. With -race, pools drop entries, and zstd
// may allocate an encoder of many MiB for each block.
func (c bloscCase) slow() bool { return c.length > 100_000 || c.block > 0 && c.length > 16*c.block }

// bloscCases returns the cases of one compressor.
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

// TestBlosc tests every combination of compressor, shuffle, element size, block size, split mode
// and kind of length: 2,016 arrays of each compressor. Levels and contents are random. The arrays
// are bytes, so that they can end within an element of Blosc. TensorStore is the reference for
// snappy, and chooses the split mode itself. The frames must be equal except for the bytes of the
// streams.
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
	if theirs.Split != ours.Split { // the encoders choose different blocks
		theirs.Split, theirs.BlockSize = ours.Split, ours.BlockSize
	}
	theirs.Encoded, theirs.Stored = ours.Encoded, ours.Stored // both depend on the streams
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

// form returns the shuffle of a frame, and whether it is stored, split or whole.
func form(h blosc.Header) string {
	switch {
	case h.Stored:
		return fmt.Sprint(h.Shuffle, " stored")
	case h.Split:
		return fmt.Sprint(h.Shuffle, " split")
	}
	return fmt.Sprint(h.Shuffle, " whole")
}

// holdForms checks that the frames of the reference and of zargo have every form, except that zargo
// never splits blocks of zstd.
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
