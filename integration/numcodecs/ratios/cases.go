package ratios

import (
	"encoding/json"
	"strings"

	"github.com/zargo-io/zargo/integration/numcodecs"
	"github.com/zargo-io/zargo/internal/test/lengths"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// Cases returns one case for each combination of a codec, a level and a set, and for blosc also of
// a shuffle.
func Cases(sets []Set) (all []lengths.Case) {
	for _, m := range methods() {
		shuffles := 1
		if strings.HasPrefix(m.codec, "blosc") {
			shuffles = 3
		}
		for _, level := range m.levels {
			for _, s := range sets {
				for shuffle := range shuffles {
					all = append(all, lengths.Case{Codec: m.codec, Level: level, Set: s.Name, Shuffle: shuffle})
				}
			}
		}
	}
	return all
}

// methods returns all codecs, with one or more levels for each compression method of the codec.
func methods() []struct {
	codec  string
	levels []int
} {
	return []struct {
		codec  string
		levels []int
	}{
		{"gzip", []int{1, 3, 5, 6, 9}},
		{"zlib", []int{1, 3, 5, 6, 9}},
		{"zstd", []int{-5, -1, 1, 2, 3, 4, 5, 7, 9, 12, 15, 17, 19, 22}},
		{"lz4", []int{1}},
		{"bz2", []int{1, 9}},
		{"lzma", []int{0, 1, 6, 9}},
		{"blosc blosclz", []int{1, 3, 5, 9}},
		{"blosc lz4", []int{1, 3, 5, 9}},
		{"blosc lz4hc", []int{1, 3, 5, 9}},
		{"blosc zlib", []int{1, 3, 5, 9}},
		{"blosc zstd", []int{1, 3, 5, 7, 9}},
	}
}

// Config returns numcodecs' id and configuration of a case.
func Config(c lengths.Case) (id string, config json.RawMessage) {
	id, cname, _ := strings.Cut(c.Codec, " ")
	options := numcodecs.Config{}
	switch id {
	case "blosc":
		options["cname"], options["clevel"], options["shuffle"] = cname, c.Level, c.Shuffle
	case "lz4":
		options["acceleration"] = c.Level
	case "lzma":
		options["preset"] = c.Level
	default:
		options["level"] = c.Level
	}
	return id, options.JSON(id)
}

// Pieces returns the byte slices of a set that are encoded separately. For zstd it returns the
// whole set, and for lz4 all pieces of 1 MiB. For other codecs it returns the first two pieces. The
// codecs bz2 and lzma are slow: bz2 encodes one piece, and lzma a quarter of a piece.
func Pieces(c lengths.Case, s Set) (pieces [][]byte) {
	size, most := piece, 2
	switch c.Codec {
	case "zstd":
		size, most = len(s.Bytes), 1
	case "lz4":
		most = len(s.Bytes)
	case "bz2":
		most = 1
	case "lzma":
		size, most = piece/4, 1
	}
	for at := 0; at < len(s.Bytes) && len(pieces) < most; at += size {
		pieces = append(pieces, s.Bytes[at:min(at+size, len(s.Bytes))])
	}
	return pieces
}

// Encode returns zargo's encoding of a piece.
func Encode(c lengths.Case, s Set, piece []byte) ([]byte, error) {
	name, err := json.Marshal(s.DType)
	if err != nil {
		return nil, err
	}
	typ, _, err := dtype.ParseV2(name)
	if err != nil {
		return nil, err
	}
	in := codec.Repr{Shape: []int{len(piece) / typ.Size()}, Type: typ}
	chain, err := codec.Builtin().Chain([]codec.Spec{codec.Bytes(dtype.Little), codec.FromNumcodecs(Config(c))}, in)
	if err != nil {
		return nil, err
	}
	return chain.Encode(nil, codec.Block{Bytes: piece}, nil)
}
