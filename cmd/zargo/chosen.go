package main

import (
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr"
)

// chosen parses one layout from the values of three flags. The names of the flags are used in
// errors.
func chosen(aspectFlag, aspect, sizeFlag, size, elementsFlag string, elements int) (l zarr.Layout, err error) {
	if aspect != "" {
		for part := range strings.SplitSeq(aspect, ",") {
			r, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
			if err != nil || !(r > 0) {
				return l, usagef("%s must be a list of numbers above 0, has %q", aspectFlag, part)
			}
			l.AspectRatio = append(l.AspectRatio, r)
		}
	}
	if elements < 0 {
		return l, usagef("%s must be above 0, is %d", elementsFlag, elements)
	}
	l.Elements = elements
	if size == "" {
		return l, nil
	}
	if elements > 0 {
		return l, usagef("%s and %s cannot be combined", sizeFlag, elementsFlag)
	}
	l.Bytes, err = parseSize(sizeFlag, size)
	return l, err
}

// chooses reports whether a flag determines how the shape of chunks or shards is chosen.
func (f *specFlags) chooses() bool { return f.choosesChunks() || f.choosesShards() }

func (f *specFlags) choosesChunks() bool {
	return f.Aspect != "" || f.ChunkSize != "" || f.ChunkElements != 0
}
func (f *specFlags) choosesShards() bool {
	return f.ShardAspect != "" || f.ShardSize != "" || f.ShardElements != 0
}

// layouts determines how the shapes of chunks and shards are chosen if --chunks and --shards do not
// specify the shapes.
func (f *specFlags) layouts(spec *zarr.Spec) (err error) {
	if (f.Chunks != "" || f.ChunkEdges != "") && f.choosesChunks() {
		return usagef("--chunks and --chunk-edges cannot be combined with --aspect, --chunk-size or --chunk-elements")
	}
	if (f.Shards != "" || f.ShardEdges != "") && f.choosesShards() {
		return usagef("--shards and --shard-edges cannot be combined with --shard-aspect, --shard-size or --shard-elements")
	}
	if spec.Layout, err = chosen("--aspect", f.Aspect, "--chunk-size", f.ChunkSize, "--chunk-elements", f.ChunkElements); err != nil {
		return err
	}
	if f.choosesShards() {
		l, err := chosen("--shard-aspect", f.ShardAspect, "--shard-size", f.ShardSize, "--shard-elements", f.ShardElements)
		spec.ShardLayout = &l
		return err
	}
	return nil
}
