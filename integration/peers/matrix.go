package peers

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// Matrix returns 378 rows: every data type with every codec in both formats. The other properties
// are chosen with a fixed seed.
func Matrix() []Row {
	r := rand.New(rand.NewPCG(3, 14))
	var rows []Row
	var deck []layout
	for _, format := range []int{2, 3} {
		both, read := pipelines(format)
		for _, t := range typeList() {
			for i, codecs := range slices.Concat(both, read) {
				// Every layout is chosen once before any layout is chosen again.
				if len(deck) == 0 {
					deck = layouts()
					r.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
				}
				l := deck[len(deck)-1]
				deck = deck[:len(deck)-1]
				row := Row{
					Format: format, DType: t.String(), Order: pick(r, "little", "big"), Shape: l.shape, Chunks: l.chunks,
					Keys: "default", Separator: pick(r, "/", "."), Codecs: codecs, Missing: r.IntN(3) == 0, Seed: uint64(r.IntN(1000)),
					ReadOnly: i >= len(both),
				}
				if f := pick(r, fills(t)...); true {
					row.Fill = &f
				}
				draw(r, &row)
				name := "raw"
				for j, c := range codecs {
					if j > 0 {
						name += "+" + c.String()
					} else {
						name = c.String()
					}
				}
				row.Name = fmt.Sprintf("v%d/%s/%s", format, row.DType, name)
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// fills returns fill values in memory form. The first is zero.
func fills(t dtype.Type) []string {
	zero := make([]byte, t.Size())
	ones := slices.Repeat([]byte{0xff}, t.Size()) // -1, or the largest unsigned number
	top := slices.Clone(zero)                     // the smallest signed number, or a large unsigned number
	top[len(top)-1] = 0x80
	hexes := func(bs ...[]byte) (out []string) {
		for _, b := range bs {
			out = append(out, hex.EncodeToString(b))
		}
		return out
	}
	switch t {
	case dtype.Bool:
		return []string{"00", "01"}
	case dtype.Float16: // NaN, infinities, -0, 1.5
		return []string{"0000", "007e", "007c", "00fc", "0080", "003e"}
	case dtype.Float32:
		return []string{"00000000", "0000c07f", "0000807f", "000080ff", "00000080", "0000c03f"}
	case dtype.Float64:
		return []string{"0000000000000000", "000000000000f87f", "000000000000f07f", "000000000000f0ff", "0000000000000080", "9a9999999999b93f"}
	case dtype.Complex64: // 0, (1.5, -inf), (NaN, -0)
		return []string{"0000000000000000", "0000c03f000080ff", "0000c07f00000080"}
	case dtype.Complex128:
		return []string{"00000000000000000000000000000000", "000000000000f83f000000000000f0ff", "000000000000f87f0000000000000080"}
	}
	odd := slices.Clone(zero) // 2^53+1 for eight bytes, which float64 cannot represent
	odd[0] = 1
	if t.Size() == 8 {
		odd[6] = 0x20
	}
	return hexes(zero, ones, top, odd)
}

func layouts() []layout {
	return []layout{
		{[]int{17, 13}, []int{5, 4}},                 // chunks extend beyond the array along both axes
		{[]int{200}, []int{33}},                      // chunks extend beyond the array
		{[]int{}, []int{}},                           // a scalar
		{[]int{3, 0, 4}, []int{2, 1, 3}},             // empty
		{[]int{5, 6}, []int{16, 8}},                  // a chunk larger than the array
		{[]int{9, 7, 8}, []int{4, 3, 5}},             // three axes
		{[]int{128, 64}, []int{64, 64}},              // chunks divide the array
		{[]int{1, 1}, []int{1, 1}},                   // one element
		{[]int{4, 3, 5, 2, 3}, []int{2, 2, 2, 1, 3}}, // five axes
		{[]int{2, 3000}, []int{1, 2048}},             // long rows
	}
}

// layout is a shape and its chunks.
type layout struct{ shape, chunks []int }

// pipelines returns the codecs of the matrix: those that zargo writes and reads, and those that it
// only reads.
func pipelines(format int) (both, read [][]Codec) {
	n := func(i int) *int { return &i }
	yes, no := true, false
	gzip := Codec{Name: "gzip", Level: n(5)}
	zlib := Codec{Name: "zlib", Level: n(1)}
	zstd := Codec{Name: "zstd", Level: n(3)}
	if format == 3 {
		zstd.Checksum = &no
	}
	blosc := func(cname, shuffle string) []Codec {
		return []Codec{{Name: "blosc", Cname: cname, Clevel: n(5), Shuffle: shuffle}}
	}
	both = [][]Codec{
		{}, {gzip}, {zlib}, {zstd},
		blosc("lz4", "noshuffle"), blosc("lz4", "shuffle"), blosc("zstd", "noshuffle"), blosc("zstd", "shuffle"),
	}
	read = [][]Codec{blosc("lz4", "bitshuffle"), blosc("zstd", "bitshuffle"), blosc("zlib", "shuffle"), blosc("lz4hc", "shuffle")}
	if format == 3 {
		crc := Codec{Name: "crc32c"}
		both = append(both, []Codec{crc}, []Codec{zstd, crc})
		read = append(read, []Codec{{Name: "zstd", Level: n(1), Checksum: &yes}})
	}
	return both, read
}

func typeList() []dtype.Type {
	return []dtype.Type{
		dtype.Bool, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64,
		dtype.Float16, dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128,
	}
}

// draw chooses the properties of a row that depend on its other properties.
func draw(r *rand.Rand, row *Row) {
	rank := len(row.Shape)
	if rank > 1 && r.IntN(3) == 0 {
		row.Transpose = make([]int, rank)
		for i := range rank {
			row.Transpose[i] = rank - 1 - i
		}
		if row.Format == 3 {
			r.Shuffle(rank, func(i, j int) { row.Transpose[i], row.Transpose[j] = row.Transpose[j], row.Transpose[i] })
		}
	}
	if r.IntN(4) == 0 {
		row.Attrs = map[string]any{"units": "K", "é": []any{"漢", true, nil, 1.5}, "n": 3}
	}
	if row.Format == 2 {
		row.Keys = "v2"
		if !row.Missing && r.IntN(5) == 0 {
			row.Fill = nil
		}
		return
	}
	if row.ReadOnly && r.IntN(3) == 0 {
		row.Keys = "v2"
	}
	if r.IntN(3) == 0 {
		for i := range rank {
			row.Dims = append(row.Dims, fmt.Sprintf("d%d", i))
		}
	}
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// types returns the data types of the matrix by name.
func types() map[string]dtype.Type {
	m := map[string]dtype.Type{}
	for _, t := range typeList() {
		m[t.String()] = t
	}
	return m
}
