package copyspec

import (
	"encoding/json"
	"slices"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// flat returns the codecs of the innermost chunks of codecs that contain the sharding codec, at any
// depth, and the shape of these chunks. Codecs before a sharding codec come first in the result,
// and codecs after it last, so that each element passes the same codecs as before. rank is the
// number of dimensions.
func flat(codecs []codec.Spec, rank int) (all []codec.Spec, chunk []int, err error) {
	var before, after []codec.Spec
	var orders [][]int // of the transpose codecs before the innermost chunks
	for {
		i := slices.IndexFunc(codecs, func(c codec.Spec) bool { return c.Name == shardingName })
		if i < 0 {
			break
		}
		var config struct {
			Chunk  []int             `json:"chunk_shape"`
			Codecs []json.RawMessage `json:"codecs"`
		}
		if err := json.Unmarshal(codecs[i].Config, &config); err != nil || len(config.Chunk) != rank {
			return nil, nil, fault.Newf(fault.Metadata, "codec %s has no chunk_shape of %d dimensions", shardingName, rank)
		}
		for _, c := range codecs[:i] {
			if c.Name != "transpose" {
				continue
			}
			var t struct {
				Order []int `json:"order"`
			}
			if err := json.Unmarshal(c.Config, &t); err != nil || len(t.Order) != rank {
				return nil, nil, fault.Newf(fault.Metadata, "codec transpose has no order of %d dimensions", rank)
			}
			orders = append(orders, t.Order)
		}
		before = append(before, codecs[:i]...)
		after = slices.Concat(codecs[i+1:], after)
		chunk, codecs = config.Chunk, make([]codec.Spec, len(config.Codecs))
		for k, raw := range config.Codecs {
			var c struct {
				Name   string          `json:"name"`
				Config json.RawMessage `json:"configuration"`
			}
			if json.Unmarshal(raw, &c.Name) != nil && json.Unmarshal(raw, &c) != nil {
				return nil, nil, fault.Newf(fault.Metadata, "codec %s contains a malformed codec", shardingName)
			}
			codecs[k] = codec.Spec{Name: c.Name, Config: c.Config}
		}
	}
	// Axis i of a transposed array is axis order[i] of the array.
	for _, order := range slices.Backward(orders) {
		of := make([]int, rank)
		for i, axis := range order {
			if axis < 0 || axis >= rank {
				return nil, nil, fault.Newf(fault.Metadata, "codec transpose has the order %v", order)
			}
			of[axis] = chunk[i]
		}
		chunk = of
	}
	return slices.Concat(before, codecs, after), chunk, nil
}

const shardingName = "sharding_indexed"

// flatten replaces the sharding codec in spec.Codecs by the codecs of the innermost chunks. The
// shape of a shard, if shards are kept, is the shape of the stored objects.
func flatten(spec *zarr.Spec, keep bool) error {
	if spec.ChunkEdges != nil || spec.Grid.Edges != nil || spec.ShardEdges != nil && spec.Chunks == nil {
		return fault.Newf(fault.Selection, "changing the chunks of shards of different shapes also needs new codecs")
	}
	codecs, chunk, err := flat(spec.Codecs, len(spec.Shape))
	if err != nil {
		return err
	}
	if keep && spec.Shards == nil && spec.ShardEdges == nil {
		spec.Shards = spec.Chunks
	}
	spec.Codecs, spec.Chunks = codecs, chunk
	return nil
}

// untransposed removes the transpose codecs that v2 cannot express: all but one that reverses the
// axes. They only determine the order of stored elements.
func untransposed(codecs []codec.Spec) []codec.Spec {
	var orders [][]int
	var others []codec.Spec
	for _, c := range codecs {
		var t struct {
			Order []int `json:"order"`
		}
		if c.Name != "transpose" {
			others = append(others, c)
		} else if json.Unmarshal(c.Config, &t) == nil {
			orders = append(orders, t.Order)
		}
	}
	if len(orders) == 1 {
		reversed := slices.Clone(orders[0])
		slices.Reverse(reversed)
		if slices.IsSorted(reversed) {
			return codecs
		}
	}
	if len(orders) == 0 {
		return codecs
	}
	return append([]codec.Spec{}, others...)
}

// hasSharding reports whether a list of codecs contains the sharding codec.
func hasSharding(codecs []codec.Spec) bool {
	return slices.ContainsFunc(codecs, func(c codec.Spec) bool { return c.Name == shardingName })
}
