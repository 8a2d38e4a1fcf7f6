package codec_test

import (
	"encoding/json"
	"fmt"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

func ExampleTable_Chain() {
	in := codec.Repr{Shape: []int{64, 64}, Type: dtype.Float32}
	chain, err := codec.Builtin().Chain([]codec.Spec{codec.Bytes(dtype.Little), codec.Zstd(3), codec.CRC32C()}, in)
	if err != nil {
		panic(err)
	}
	chunk := make([]byte, 64*64*4)
	var scratch codec.Scratch // one for each goroutine
	stored, err := chain.Encode(nil, codec.Block{Bytes: chunk}, &scratch)
	fmt.Println(len(stored) < 100, err)
	fmt.Println(chain.Decode(codec.Block{Bytes: chunk}, stored, &scratch))
	stored[len(stored)-5] ^= 1
	err = chain.Decode(codec.Block{Bytes: chunk}, stored, &scratch)
	fmt.Println(err.Error()[:40])
	// Output:
	// true <nil>
	// <nil>
	// codec crc32c: corrupt data: checksum of
}

func ExampleTable_Normalize() {
	specs := []codec.Spec{codec.Bytes(dtype.NoOrder), codec.Blosc(codec.BloscOptions{Cname: "lz4"})}
	specs, err := codec.Builtin().Normalize(specs, codec.Repr{Shape: []int{10}, Type: dtype.Int16})
	fmt.Println(string(specs[0].Config), string(specs[1].Config), err)
	// Output: {"endian":"little"} {"typesize":2,"cname":"lz4","clevel":5,"shuffle":"shuffle","blocksize":0} <nil>
}

// xor is a custom codec.
type xor struct{ key byte }

func (xor) EncodedSize(n int64) int64 { return n }
func (xor) Worst(n int64) int64       { return n }

func (x xor) Encode(dst, src []byte) ([]byte, error) {
	for _, b := range src {
		dst = append(dst, b^x.key)
	}
	return dst, nil
}

func (x xor) Decode(dst, src []byte, limit int) ([]byte, error) {
	if len(src) > limit {
		return dst, fault.Newf(fault.Corrupt, "decoded to %d bytes, want at most %d", len(src), limit)
	}
	return x.Encode(dst, src)
}

func ExampleTable_With() {
	table := codec.Builtin().With("example.xor", func(json.RawMessage, codec.Repr) (any, error) { return xor{42}, nil })
	chain, err := table.Chain([]codec.Spec{codec.Bytes(dtype.NoOrder), {Name: "example.xor"}}, codec.Repr{Shape: []int{3}, Type: dtype.Uint8})
	if err != nil {
		panic(err)
	}
	stored, err := chain.Encode(nil, codec.Block{Bytes: []byte{42, 43, 44}}, nil)
	fmt.Printf("%v %v\n", stored, err)
	// Output: [0 1 6] <nil>
}
