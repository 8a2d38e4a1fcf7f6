package creating

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// SpecFlags holds the flags that describe a new array or group. The command put has these flags
// too.
type SpecFlags struct {
	Chunks        string   `help:"Elements of a chunk along each axis: 5,5. The default is about a million elements with equal sides." placeholder:"N,…"`
	Aspect        string   `help:"Proportions of the sides of chunks if --chunks is not set: 1,2,2." placeholder:"N,…"`
	ChunkSize     string   `help:"Maximum bytes of a chunk if --chunks is not set: 4MiB." placeholder:"BYTES"`
	ChunkElements int      `help:"Maximum elements of a chunk if --chunks is not set." placeholder:"N"`
	ChunkEdges    string   `help:"Lengths of consecutive chunks along each axis, for chunks that differ in length: 31,28,31/180. 5x12 means 5 twelve times; a single length applies to all chunks." placeholder:"N,…/…"`
	Shards        string   `help:"Elements of a shard along each axis, multiples of those of a chunk. A shard is one object with many chunks." placeholder:"N,…"`
	ShardEdges    string   `help:"Lengths of consecutive shards along each axis, in the same form." placeholder:"N,…/…"`
	ShardAspect   string   `help:"Proportions of the sides of shards if --shards is not set: 1,2,2." placeholder:"N,…"`
	ShardSize     string   `help:"Maximum bytes of a shard if --shards is not set: 256MiB." placeholder:"BYTES"`
	ShardElements int      `help:"Maximum elements of a shard if --shards is not set." placeholder:"N"`
	Codec         []string `sep:"none" help:"A codec: zstd:3, gzip:5, blosc:lz4:5:shuffle, shuffle:8, lz4, crc32c, bytes:big, transpose:1,0, NAME{configuration as JSON}, JSON as in metadata, or none. May be repeated, in order. Filters and the compressor of format 2 are codecs too. The default is zstd." placeholder:"CODEC"`
	ZFormat       int      `name:"format" help:"Zarr format, 2 or 3." enum:"2,3" default:"3"`
	Fill          string   `help:"Fill value as JSON, or NaN, Infinity, -Infinity. null means no fill value in v2." placeholder:"JSON"`
	Order         string   `help:"Order of the elements within a chunk: C or F." enum:"C,F" default:"C"`
	Separator     string   `help:"Separator in chunk keys: / or a point. For put without --create: see cat." enum:",/,." default:""`
	Dims          string   `help:"Names of the axes: time,lat,lon." placeholder:"NAME,…"`
	Attrs         string   `help:"Attributes, as a JSON object." placeholder:"JSON"`
	Root          string   `help:"URL of the outermost group to create above the node; see docs/reference/cli.md." placeholder:"URL"`
	ExistOk       bool     `help:"Succeed if an identical node already exists."`
	session.ConsolidateFlag
}

// chosen parses one layout from the values of three flags. The names of the flags are used in
// errors.
func chosen(aspectFlag, aspect, sizeFlag, size, elementsFlag string, elements int) (l zarr.Layout, err error) {
	if aspect != "" {
		for part := range strings.SplitSeq(aspect, ",") {
			r, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
			if err != nil || !(r > 0) {
				return l, exit.Usagef("%s must be a list of numbers above 0, has %q", aspectFlag, part)
			}
			l.AspectRatio = append(l.AspectRatio, r)
		}
	}
	if elements < 0 {
		return l, exit.Usagef("%s must be above 0, is %d", elementsFlag, elements)
	}
	l.Elements = elements
	if size == "" {
		return l, nil
	}
	if elements > 0 {
		return l, exit.Usagef("%s and %s cannot be combined", sizeFlag, elementsFlag)
	}
	l.Bytes, err = argument.Size(sizeFlag, size)
	return l, err
}

// Chooses reports whether a flag determines how the shape of chunks or shards is chosen.
func (f *SpecFlags) Chooses() bool { return f.choosesChunks() || f.choosesShards() }

func (f *SpecFlags) choosesChunks() bool {
	return f.Aspect != "" || f.ChunkSize != "" || f.ChunkElements != 0
}

func (f *SpecFlags) choosesShards() bool {
	return f.ShardAspect != "" || f.ShardSize != "" || f.ShardElements != 0
}

// layouts determines how the shapes of chunks and shards are chosen if --chunks and --shards do not
// specify the shapes.
func (f *SpecFlags) layouts(spec *zarr.Spec) (err error) {
	if (f.Chunks != "" || f.ChunkEdges != "") && f.choosesChunks() {
		return exit.Usagef("--chunks and --chunk-edges cannot be combined with --aspect, --chunk-size or --chunk-elements")
	}
	if (f.Shards != "" || f.ShardEdges != "") && f.choosesShards() {
		return exit.Usagef("--shards and --shard-edges cannot be combined with --shard-aspect, --shard-size or --shard-elements")
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

// checkSpec creates the array in memory, to find errors before anything is stored. It reports
// errors of the specification as errors of the command line.
func checkSpec(ctx context.Context, spec zarr.Spec) error {
	_, err := zarr.Create(ctx, mem.New(), "", spec, zarr.Extensions(argument.KnownCodecs(), argument.KnownTypes()))
	if err == nil {
		return nil
	}
	text := strings.TrimPrefix(err.Error(), `zarr: "" in mem://: `)
	if errors.Is(err, fault.Metadata) || errors.Is(err, fault.Type) {
		return exit.Usagef("%s", text)
	}
	return exit.Reword(text, err)
}

// Spec converts the flags to the specification of an array. If big is true, the stored bytes are in
// big-endian order.
func (f *SpecFlags) Spec(shape []int, t dtype.Type, big bool) (zarr.Spec, error) {
	spec := zarr.Spec{Format: f.ZFormat, Shape: shape, DType: t, Order: f.Order, Separator: f.Separator}
	var err error
	if f.Chunks != "" {
		if spec.Chunks, err = argument.Integers("--chunks", f.Chunks); err != nil {
			return spec, err
		}
	}
	if f.Shards != "" {
		if spec.Shards, err = argument.Integers("--shards", f.Shards); err != nil {
			return spec, err
		}
	}
	if spec.ChunkEdges, err = argument.Edges("--chunk-edges", f.ChunkEdges); err != nil {
		return spec, err
	}
	if spec.ShardEdges, err = argument.Edges("--shard-edges", f.ShardEdges); err != nil {
		return spec, err
	}
	if err := f.layouts(&spec); err != nil {
		return spec, err
	}
	if f.Dims != "" {
		spec.Dims = strings.Split(f.Dims, ",")
	}
	if spec.Attrs, err = argument.Attrs(f.Attrs); err != nil {
		return spec, err
	}
	if spec.Fill, err = f.fill(); err != nil {
		return spec, err
	}
	spec.Codecs, err = argument.Codecs(f.Codec, big)
	return spec, err
}

func (f *SpecFlags) fill() (any, error) {
	switch f.Fill {
	case "":
		return nil, nil
	case "NaN", "Infinity", "-Infinity":
		return json.RawMessage(strconv.Quote(f.Fill)), nil
	case "null":
		if f.ZFormat == 2 {
			return zarr.NoFill, nil
		}
	}
	if !json.Valid([]byte(f.Fill)) {
		return nil, exit.Usagef("--fill %q is not JSON", f.Fill)
	}
	return json.RawMessage(f.Fill), nil
}
