package zarr_test

import (
	"errors"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// accesses are the cases of TestAccess.
var accesses = []struct {
	name string
	do   func(*scene)
}{
	{"chunks", func(s *scene) { selections(s, numbersOf(7, 10, []int{3, 4}, nil)) }},
	{"rectilinear chunks", func(s *scene) {
		spec := numbersOf(7, 10, nil, nil)
		spec.ChunkEdges = [][]int{{1, 4, 2}, {6, 1, 3}}
		selections(s, spec)
	}},
	{"shards", func(s *scene) { selections(s, numbersOf(7, 10, []int{1, 2}, []int{4, 6})) }},
	{"shards in parts", func(s *scene) { inParts(s); selections(s, numbersOf(7, 10, []int{1, 2}, []int{4, 6})) }},
	{"rectilinear shards in parts", func(s *scene) {
		inParts(s)
		spec := numbersOf(7, 10, []int{1, 2}, nil)
		spec.ShardEdges = [][]int{{1, 4, 2}, {4, 2, 4}}
		selections(s, spec)
	}},
	{"what is absent", absent},
	{"fill values", func(s *scene) { fills(s, numbersOf(4, 4, []int{2, 4}, nil)) }},
	{"fill values in shards", func(s *scene) { fills(s, numbersOf(4, 4, []int{1, 2}, []int{2, 4})) }},
	{"StoreFill", func(s *scene) { s.opts = []zarr.Option{zarr.StoreFill()}; fills(s, numbersOf(4, 4, []int{2, 4}, nil)) }},
	{"SingleWriter", func(s *scene) { s.opts = []zarr.Option{zarr.SingleWriter()}; absent(s) }},
	{"NoFill", noFill},
	{"fields", fields},
	{"fields in shards", shardedFields},
	{"strings", func(s *scene) { texts(s, zarr.Spec{Chunks: []int{4}}) }},
	{"strings of v2", func(s *scene) { texts(s, zarr.Spec{Chunks: []int{4}, Format: 2, Separator: "/"}) }},
	{"strings in shards", func(s *scene) { inParts(s); texts(s, zarr.Spec{Chunks: []int{2}, Shards: []int{6}}) }},
	{"strings in rectilinear chunks", func(s *scene) { texts(s, zarr.Spec{ChunkEdges: [][]int{{1, 4, 2, 8}}}) }},
	{"bytes", func(s *scene) { inParts(s); items(s, zarr.Spec{Chunks: []int{2}, Shards: []int{6}}) }},
	{"large shards", func(s *scene) { large(s, false) }},
	{"large shards, index at start", func(s *scene) { large(s, true) }},
	{"a shard beyond the longest read", longest},
	{"shards in shards", nestedShards},
	{"codecs after shards", afterShards},
	{"unused space", func(s *scene) { unused(s, false) }},
	{"unused space, shards in shards", func(s *scene) { unused(s, true) }},
	{"no versions", func(s *scene) { s.st.noVersions = true; bareStore(s) }},
	{"no tails", func(s *scene) { s.st.noTails = true; bareStore(s) }},
	{"no conditions", func(s *scene) { s.st.noCondition = true; bareStore(s) }},
	{"conflicts", conflicts},
	{"stale indexes", staleIndexes},
	{"MaxRequests", bounded},
	{"Check", checks},
}

// numbersOf returns the spec of a matrix of uint16 without a compressor.
func numbersOf(rows, cols int, chunks, shards []int) zarr.Spec {
	return zarr.Spec{Shape: []int{rows, cols}, Chunks: chunks, Shards: shards, DType: dtype.Uint16, Codecs: []codec.Spec{}}
}

// ones returns n elements that differ from the fill value.
func ones[T uint8 | uint16](n int) []T { return slices.Repeat([]T{1}, n) }

// write and read are steps that write and read elements of a numeric type.
func write[T uint8 | uint16](s *scene, name string, a *zarr.Array, sel ...zarr.Selection) {
	s.Helper()
	s.step("write "+name, func() error { return writeOnes[T](s, a, sel...) })
}

func writeOnes[T uint8 | uint16](s *scene, a *zarr.Array, sel ...zarr.Selection) error {
	shape, err := a.Selected(sel...)
	if err != nil {
		return err
	}
	n := 1
	for _, d := range shape {
		n *= d
	}
	return zarr.Write(s.Context(), a, ones[T](n), sel...)
}

func read[T uint8 | uint16](s *scene, name string, a *zarr.Array, sel ...zarr.Selection) {
	s.Helper()
	s.step("read "+name, func() error { _, err := zarr.Read[T](s.Context(), a, sel...); return err })
}

// inParts makes the store read shards in parts, even small ones.
func inParts(s *scene) { s.st.tuning.RangeGap, s.st.tuning.RangeMax = 0, 64 }

// selections writes the whole array, then reads and writes it with each kind of selection.
func selections(s *scene, spec zarr.Spec) {
	a := s.create(spec)
	write[uint16](s, "all", a)
	s.step("read all, opened anew", func() error { _, err := zarr.Read[uint16](s.Context(), s.open()); return err })
	b := s.open(zarr.Limit(zarr.Limits{InFlight: 1})) // its reads use the indexes that earlier reads cached
	for _, w := range []struct {
		name string
		sel  []zarr.Selection
	}{
		{"rows 2 to 4, every third column", []zarr.Selection{zarr.Range(2, 5), zarr.Range(3, 10).By(3)}},
		{"every second row and every fourth column backwards", []zarr.Selection{zarr.Range(0, 7).By(-2), zarr.Range(0, 10).By(-4)}},
		{"a list of rows, one of them twice", []zarr.Selection{zarr.Index(6, 0, 6), zarr.At(9)}},
		{"a mask of columns", []zarr.Selection{zarr.At(0), zarr.Mask([]bool{9: true, 1: true})}},
		{"points", []zarr.Selection{zarr.Points([]int{6, 0, 3, 0}, []int{9, 0, 3, 1})}},
		{"where a mask is set", []zarr.Selection{zarr.Mask(slices.Concat(make([]bool, 34), []bool{true}, make([]bool, 35)))}},
		{"blocks", []zarr.Selection{zarr.Chunks(1, 2), zarr.Chunks(0, 1)}},
		{"nothing", []zarr.Selection{zarr.Range(3, 3)}},
	} {
		read[uint16](s, w.name, b, w.sel...)
		write[uint16](s, w.name, a, w.sel...)
	}
}

// absent covers chunks that are not stored.
func absent(s *scene) {
	a := s.create(numbersOf(4, 4, []int{2, 2}, nil))
	read[uint16](s, "an empty array", a)
	write[uint16](s, "part of a chunk that is absent", a, zarr.At(0), zarr.At(0))
	write[uint16](s, "the rest of it", a, zarr.Range(0, 2), zarr.Range(0, 2))
	write[uint16](s, "part of it", a, zarr.At(1), zarr.At(1))
	read[uint16](s, "over its edge", a, zarr.Range(1, 3), zarr.Range(1, 3))
}

// fills covers writes of the fill value, which need not be stored.
func fills(s *scene, spec zarr.Spec) {
	a := s.create(spec)
	none := func(name string, n int, sel ...zarr.Selection) {
		s.Helper()
		s.step(name, func() error { return zarr.Write(s.Context(), a, make([]uint16, n), sel...) })
	}
	none("fill a part of an object that is absent", 1, zarr.At(0), zarr.At(0))
	none("fill an object that is absent", 8, zarr.Range(0, 2))
	write[uint16](s, "one element", a, zarr.At(0), zarr.At(0))
	none("fill another one", 1, zarr.At(1), zarr.At(0))
	none("fill the only one", 1, zarr.At(0), zarr.At(0))
	write[uint16](s, "an object", a, zarr.Range(0, 2))
	none("fill a row of it", 4, zarr.At(0))
	none("fill it", 8, zarr.Range(0, 2))
	none("fill all", 16)
}

func noFill(s *scene) {
	spec := numbersOf(4, 4, []int{2, 2}, nil)
	spec.Format, spec.Fill, spec.Separator = 2, zarr.NoFill, "/"
	a := s.create(spec)
	s.step("write zeros", func() error {
		return zarr.Write(s.Context(), a, make([]uint16, 9), zarr.Range(0, 3), zarr.Range(0, 3))
	})
	read[uint16](s, "all", a)
}

// fields reads and writes fields of structures in chunks.
func fields(s *scene) {
	spec := fieldSpecs(s.T)["little"]
	spec.Separator = "/"
	fieldSteps(s, s.create(spec), []string{"id"}, func(a *zarr.Array, n int, sel ...zarr.Selection) error {
		return zarr.Write(s.Context(), a, slices.Repeat([]int16{5}, n), sel...)
	})
	a := s.open()
	m, y := field(s.T, a, "m"), field(s.T, a, "at", "y")
	s.step("read a part of a field of 2 by 3", func() error {
		_, err := zarr.Read[int32](s.Context(), m, zarr.Range(1, 3), zarr.At(2), zarr.At(1), zarr.Range(0, 3).By(-2))
		return err
	})
	s.step("write a part of it", func() error {
		return zarr.Write(s.Context(), m, []int32{1, 2, 3, 4}, zarr.Range(1, 3), zarr.At(2), zarr.At(1), zarr.Range(0, 3).By(-2))
	})
	s.step("read points of a field in a field", func() error {
		_, err := zarr.Read[int16](s.Context(), y, zarr.Points([]int{4, 0}, []int{6, 6}, []int{1, 0}, []int{0, 1}))
		return err
	})
	s.step("write points of it", func() error {
		return zarr.Write(s.Context(), y, []int16{1, 2}, zarr.Points([]int{4, 0}, []int{6, 6}, []int{1, 0}, []int{0, 1}))
	})
}

// shardedFields reads and writes fields of structures in shards.
func shardedFields(s *scene) {
	typ, err := dtype.Of[pairs]()
	if err != nil {
		s.Fatal(err)
	}
	inParts(s)
	spec := zarr.Spec{Shape: []int{5, 7}, Chunks: []int{1, 3}, Shards: []int{2, 6}, DType: typ, Codecs: []codec.Spec{}}
	fieldSteps(s, s.create(spec), []string{"b", "c"}, func(a *zarr.Array, n int, sel ...zarr.Selection) error {
		return zarr.Write(s.Context(), a, slices.Repeat([]float32{5}, n), sel...)
	})
}

func fieldSteps(s *scene, a *zarr.Array, path []string, write func(a *zarr.Array, n int, sel ...zarr.Selection) error) {
	f := field(s.T, a, path...)
	check := func(name string, sel ...zarr.Selection) {
		s.Helper()
		s.step(name, func() error { return f.Check(s.Context(), sel...) })
	}
	check("read a field of what is absent")
	s.step("write a field of what is absent", func() error { return write(f, 2, zarr.Range(0, 2), zarr.At(0)) })
	s.step("write a field of everything", func() error { return write(f, 35) })
	check("read it")
	check("read a part of it", zarr.At(4), zarr.Range(2, 4))
	s.step("write a part of it", func() error { return write(f, 2, zarr.At(4), zarr.Range(2, 4)) })
	s.step("write a part through a new view", func() error { return write(field(s.T, s.open(), path...), 1, zarr.At(0), zarr.At(0)) })
}

// texts and items write and read 13 elements of varying length.
func texts(s *scene, spec zarr.Spec) {
	spec.Shape, spec.DType, spec.Codecs = []int{13}, dtype.String, []codec.Spec{}
	a := s.create(spec)
	put := func(name string, n int, sel ...zarr.Selection) {
		s.Helper()
		values := make([]string, n)
		for i := range values {
			values[i] = strings.Repeat("é", i+1)
		}
		s.step(name, func() error { return zarr.Write(s.Context(), a, values, sel...) })
	}
	get := func(name string, a *zarr.Array, sel ...zarr.Selection) {
		s.Helper()
		s.step(name, func() error { _, err := zarr.Read[string](s.Context(), a, sel...); return err })
	}
	get("read what is absent", a)
	put("write a part of what is absent", 2, zarr.Range(1, 3))
	put("write all", 13)
	get("read all", s.open())
	get("read every fifth, backwards", s.open(), zarr.Range(0, 13).By(-5))
	put("write every fifth, backwards", 3, zarr.Range(0, 13).By(-5))
	get("read points", a, zarr.Points([]int{12, 0, 12}))
	put("write a point", 1, zarr.Points([]int{12}))
	s.step("write empty strings", func() error { return zarr.Write(s.Context(), a, make([]string, 13)) })
}

func items(s *scene, spec zarr.Spec) {
	spec.Shape, spec.DType, spec.Codecs = []int{13}, dtype.Bytes, []codec.Spec{}
	a := s.create(spec)
	put := func(name string, items [][]byte, sel ...zarr.Selection) {
		s.Helper()
		s.step(name, func() error { return a.WriteItems(s.Context(), items, sel...) })
	}
	put("write all", [][]byte{{1}, {1, 2}, {1, 2, 3}, {4}, {}, {}, {}, {8}, {9}, {10}, {}, {}, {13}})
	s.step("read all", func() error { _, err := s.open().ReadItems(s.Context()); return err })
	s.step("read packed", func() error { _, err := a.ReadPacked(s.Context(), zarr.Index(0, 12)); return err })
	put("write one", [][]byte{{7, 7}}, zarr.At(2))
	put("empty a chunk", [][]byte{{}, {}}, zarr.Range(2, 4))
}

// large reads a shard of 6 MiB in 96 chunks, and an absent shard.
func large(s *scene, atStart bool) {
	const chunk, n = 64 << 10, 96
	a := s.create(zarr.Spec{Shape: []int{2 * n * chunk}, Chunks: []int{n * chunk}, DType: dtype.Uint8,
		Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{chunk}, AtStart: atStart})}})
	write[uint8](s, "all chunks but ten", a, zarr.Range(0, 86*chunk))
	a = s.open()
	read[uint8](s, "one element", a, zarr.At(70*chunk))
	read[uint8](s, "two chunks, 5 apart", a, zarr.Index(3*chunk, 8*chunk))
	read[uint8](s, "two chunks, 40 apart", a, zarr.Index(3*chunk, 43*chunk))
	read[uint8](s, "every 20th chunk backwards", a, zarr.Range(0, n*chunk).By(-20*chunk))
	read[uint8](s, "chunks that are missing", a, zarr.Range(86*chunk, 88*chunk))
	read[uint8](s, "chunks of which some are missing", a, zarr.Range(84*chunk, 88*chunk))
	read[uint8](s, "all of it", a, zarr.Range(0, n*chunk))
	read[uint8](s, "most of it, opened anew", s.open(), zarr.Range(n*chunk/2, n*chunk))
	read[uint8](s, "nearly all of it, opened anew", s.open(), zarr.Range(2*chunk, n*chunk))
	read[uint8](s, "a part of an absent one", a, zarr.At(n*chunk))
	read[uint8](s, "both, opened anew", s.open())
	write[uint8](s, "one element", a, zarr.At(90*chunk))
	read[uint8](s, "it", a, zarr.At(90*chunk))
	write[uint8](s, "one element of an absent one", a, zarr.At(n*chunk))
}

// longest reads a shard of 24 MiB, which is more than one request may read.
func longest(s *scene) {
	const chunk, n = 512 << 10, 48
	a := s.create(zarr.Spec{Shape: []int{n * chunk}, Chunks: []int{chunk}, Shards: []int{n * chunk}, DType: dtype.Uint8, Codecs: []codec.Spec{}})
	write[uint8](s, "all", a)
	s.step("read all", func() error { return s.open().Check(s.Context()) })
	s.step("read half of it", func() error { return s.open().Check(s.Context(), zarr.Range(0, n*chunk/2)) })
}

// nestedShards covers a shard that contains 4 shards of 16 chunks each.
func nestedShards(s *scene) {
	const chunk = 32 << 10
	inner := codec.Sharding(codec.ShardingOptions{Chunk: []int{chunk}, AtStart: true})
	a := s.create(zarr.Spec{Shape: []int{64 * chunk}, Chunks: []int{64 * chunk}, DType: dtype.Uint8,
		Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{16 * chunk}, Codecs: []codec.Spec{inner}})}})
	write[uint8](s, "three quarters, and a chunk", a, zarr.Range(0, 49*chunk))
	a = s.open()
	read[uint8](s, "one element", a, zarr.At(20*chunk))
	read[uint8](s, "one in each inner shard", a, zarr.Range(0, 64*chunk).By(16*chunk))
	read[uint8](s, "chunks that are missing in an inner shard", a, zarr.Range(50*chunk, 52*chunk))
	read[uint8](s, "the second half", s.open(), zarr.Range(32*chunk, 64*chunk))
	read[uint8](s, "all", s.open())
	write[uint8](s, "one element", a, zarr.At(63*chunk))
	s.step("fill an inner shard", func() error { return zarr.Write(s.Context(), a, make([]uint8, 16*chunk), zarr.Range(0, 16*chunk)) })
	read[uint8](s, "it", a, zarr.Range(0, 16*chunk))
}

// afterShards covers shards that a further codec encodes, so that they cannot be read in parts.
func afterShards(s *scene) {
	a := s.create(shardSpecs()["checksum after"])
	s.step("write all", func() error { return zarr.Write(s.Context(), a, count(143)) })
	s.step("read one element", func() error { _, err := zarr.Read[float32](s.Context(), s.open(), zarr.At(3), zarr.At(3)); return err })
	s.step("write one element", func() error { return zarr.Write(s.Context(), a, count(1), zarr.At(3), zarr.At(3)) })
}

// unused covers shards that contain unused bytes.
func unused(s *scene, nested bool) {
	gaps(s.T, s.backing, nested)
	a := s.open()
	read[uint8](s, "all", a)
	read[uint8](s, "one element", s.open(), zarr.At(20))
	read[uint8](s, "what is missing", s.open(), zarr.At(40))
	write[uint8](s, "one element", a, zarr.At(3))
	read[uint8](s, "all again", a)
}

// bareStore covers stores without the features that partial writes and reads of parts of shards
// need.
func bareStore(s *scene) {
	inParts(s)
	s.inOrder = true
	s.opts = []zarr.Option{zarr.Limit(zarr.Limits{InFlight: 1})}
	a := s.create(numbersOf(4, 4, []int{1, 2}, []int{2, 4}))
	partial := func(name string, can bool) {
		s.Helper()
		do := func() error { return writeOnes[uint16](s, a, zarr.At(1), zarr.At(1)) }
		if can {
			s.step(name, do)
		} else {
			s.fails(name, errors.ErrUnsupported, do)
		}
	}
	partial("write a part of what is absent", !s.st.noCondition)
	write[uint16](s, "all", a)
	read[uint16](s, "a part of a shard", a, zarr.At(1), zarr.At(1))
	read[uint16](s, "another one", a, zarr.At(1), zarr.At(3))
	read[uint16](s, "a part of two shards", a, zarr.Range(1, 3), zarr.At(1))
	read[uint16](s, "a part of two shards, opened anew", s.open(), zarr.Range(1, 3), zarr.At(1))
	partial("write a part of a shard", s.st.noTails)
	alone := s.open(zarr.SingleWriter())
	write[uint16](s, "a part of a shard, as the only writer", alone, zarr.At(1), zarr.At(1))
	s.step("fill it, as the only writer", func() error { return zarr.Write(s.Context(), alone, make([]uint16, 8), zarr.Range(0, 2)) })
	write[uint16](s, "a part of what is absent, as the only writer", alone, zarr.At(1), zarr.At(1))
	s.step("fill that part, as the only writer", func() error {
		return zarr.Write(s.Context(), alone, []uint16{0}, zarr.At(1), zarr.At(1))
	})
}

// conflicts covers writers that change a chunk between the read and the write of another writer.
func conflicts(s *scene) {
	s.inOrder = true
	s.opts = []zarr.Option{zarr.Limit(zarr.Limits{InFlight: 1})}
	a := s.create(numbersOf(1, 8, []int{1, 4}, nil))
	other := s.others()
	replace := func(v uint16) func() error {
		return func() error {
			return zarr.Write(s.Context(), other, slices.Repeat([]uint16{v}, 4), zarr.All, zarr.Range(0, 4))
		}
	}
	s.once("put", "another one writes the chunk", replace(2))
	write[uint16](s, "a part of an absent chunk that another one writes", a, zarr.All, zarr.At(0))
	s.once("put", "another one writes the chunk", replace(3))
	write[uint16](s, "a part of a chunk that another one writes", a, zarr.All, zarr.At(0))
	s.once("put", "another one deletes the chunk", replace(0))
	write[uint16](s, "a part of a chunk that another one deletes", a, zarr.All, zarr.At(0))
	s.once("delete", "another one writes the chunk", replace(3))
	s.step("fill the last element of a chunk that another one writes", func() error { return zarr.Write(s.Context(), a, []uint16{0}, zarr.All, zarr.At(0)) })
	s.once("put", "another one writes the chunk", replace(4))
	write[uint16](s, "a whole chunk that another one writes", a, zarr.All, zarr.Range(0, 4))
	alone := s.open(zarr.SingleWriter())
	s.once("put", "another one writes the chunk", replace(5))
	write[uint16](s, "a part of a chunk that another one writes, against its word", alone, zarr.All, zarr.At(0))
}

// staleIndexes covers shards that are replaced after their index was read.
func staleIndexes(s *scene) {
	s.inOrder = true
	s.opts = []zarr.Option{zarr.Limit(zarr.Limits{InFlight: 1})}
	inParts(s)
	a := s.create(numbersOf(1, 64, []int{1, 8}, []int{1, 64}))
	other := s.others()
	replace := func(lo, hi int) func() error {
		return func() error {
			if err := zarr.Write(s.Context(), other, make([]uint16, 64)); err != nil {
				return err
			}
			return zarr.Write(s.Context(), other, ones[uint16](hi-lo), zarr.All, zarr.Range(lo, hi))
		}
	}
	then := func(lo, hi int) {
		s.Helper()
		if err := replace(lo, hi)(); err != nil {
			s.Fatal(err)
		}
	}
	then(0, 64)
	read[uint16](s, "a chunk", a, zarr.All, zarr.At(8))
	then(8, 24)
	read[uint16](s, "another one, from a shard that was replaced", a, zarr.All, zarr.At(16))
	then(32, 64)
	read[uint16](s, "one that is missing now", a, zarr.All, zarr.At(16))
	then(0, 32)
	read[uint16](s, "one that was missing", a, zarr.All, zarr.At(8))
	read[uint16](s, "one that is missing still", a, zarr.All, zarr.At(40))
	then(0, 0)
	read[uint16](s, "a chunk of a shard that was deleted", a, zarr.All, zarr.At(8))
	read[uint16](s, "a chunk of a shard that is absent", a, zarr.All, zarr.At(8))
	then(0, 64)
	count, b := 0, s.open()
	s.st.before = func(op, key string) {
		if count++; count == 2 || count == 4 { // before the first read of a chunk, and before its retry
			s.st.note(nil, "(another one writes the shard)")
			if err := replace(0, 64)(); err != nil {
				s.Error(err)
			}
		}
	}
	read[uint16](s, "two chunks of a shard that is replaced twice", b, zarr.All, zarr.Index(0, 63))
	s.st.before = nil
	b = s.open()
	read[uint16](s, "a chunk", b, zarr.All, zarr.At(8))
	write[uint16](s, "one element", b, zarr.All, zarr.At(3))
	read[uint16](s, "after its own write", b, zarr.All, zarr.At(8))
}

// bounded covers calls that need more requests than their limit.
func bounded(s *scene) {
	s.inOrder = true
	s.opts = []zarr.Option{zarr.Limit(zarr.Limits{InFlight: 1, Requests: 3})}
	inParts(s)
	a := s.create(numbersOf(1, 256, []int{1, 8}, []int{1, 64}))
	s.fails("write all four shards", zarr.ErrLimit, func() error { return writeOnes[uint16](s, a) })
	write[uint16](s, "three", a, zarr.All, zarr.Range(0, 192))
	s.fails("write parts of two", zarr.ErrLimit, func() error { return writeOnes[uint16](s, a, zarr.All, zarr.Range(62, 66)) })
	write[uint16](s, "one and a part", a, zarr.All, zarr.Range(64, 129))
	s.fails("read parts of two", zarr.ErrLimit, func() error { return a.Check(s.Context(), zarr.All, zarr.Range(62, 66)) })
	s.fails("read four chunks of one", zarr.ErrLimit, func() error { return s.open().Check(s.Context(), zarr.All, zarr.Range(0, 64).By(16)) })
	s.step("read two chunks of one", func() error { return s.open().Check(s.Context(), zarr.All, zarr.Range(0, 64).By(32)) })
}

// checks covers Check, which discards the elements that it reads.
func checks(s *scene) {
	a := s.create(numbersOf(4, 4, []int{1, 2}, []int{2, 4}))
	write[uint16](s, "all", a)
	s.step("check all", func() error { return a.Check(s.Context()) })
	s.step("check a part", func() error { return s.open().Check(s.Context(), zarr.At(0), zarr.At(0)) })
}
