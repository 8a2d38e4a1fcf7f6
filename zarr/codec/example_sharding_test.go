package codec_test

import (
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// This example stores inner chunks of 2 × 2 elements in a shard of 4 × 4. The shard's index has the
// byte range of each inner chunk.
func ExampleSharding() {
	in := codec.Repr{Shape: []int{4, 4}, Type: dtype.Uint8, Fill: []byte{0}}
	chain, err := codec.Builtin().Chain([]codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{2, 2}})}, in)
	if err != nil {
		log.Fatal(err)
	}
	stored, err := chain.Encode(nil, codec.Block{Bytes: []byte{0, 0, 3, 4, 0, 0, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	s := chain.Shards()
	n, _ := s.IndexSize()
	index, err := s.Index(stored[len(stored)-int(n):], int64(len(stored)))
	if err != nil {
		log.Fatal(err)
	}
	for _, coord := range [][]int{{0, 0}, {0, 1}} {
		off, n, ok, err := index.At(s.Position(coord))
		fmt.Println(coord, off, n, ok, err)
	}
	// Output:
	// [0 0] 0 0 false <nil>
	// [0 1] 0 4 true <nil>
}
