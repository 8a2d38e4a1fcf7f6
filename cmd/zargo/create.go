package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// create creates the array, or opens it if the flags allow an existing one. The caller closes the
// place.
func (s *session) create(ctx context.Context, url string, spec zarr.Spec, f specFlags) (*place, *zarr.Array, error) {
	if err := checkSpec(ctx, spec); err != nil {
		return nil, nil, at(where(url), err)
	}
	p, err := s.locateNew(ctx, url, f.Root)
	if err != nil {
		return nil, nil, err
	}
	make := zarr.Create
	if f.ExistOk {
		make = zarr.OpenOrCreate
	}
	a, err := make(ctx, p.Store, p.path, spec, s.options()...)
	if err != nil {
		p.release()
		return nil, nil, p.fail(err)
	}
	if err := f.after(ctx, s, p, a); err != nil {
		p.release()
		return nil, nil, err
	}
	return p, a, nil
}

// specFlags holds the flags that describe a new array or group. The command put has these flags
// too.
type specFlags struct {
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
	consolidateFlag
}

// checkSpec creates the array in memory, to find errors before anything is stored. It reports
// errors of the specification as errors of the command line.
func checkSpec(ctx context.Context, spec zarr.Spec) error {
	_, err := zarr.Create(ctx, mem.New(), "", spec, zarr.Extensions(codecs(), dataTypes()))
	if err == nil {
		return nil
	}
	text := strings.TrimPrefix(err.Error(), `zarr: "" in mem://: `)
	if errors.Is(err, fault.Metadata) || errors.Is(err, fault.Type) {
		return usagef("%s", text)
	}
	return reword(text, err)
}

func (c *createCmd) group(ctx context.Context, s *session) error {
	if c.Shape != nil || c.DType != "" || c.Chunks != "" || c.Shards != "" || c.ChunkEdges != "" || c.ShardEdges != "" || c.chooses() || c.Codec != nil || c.Fill != "" || c.Dims != "" || s.given["order"] || s.given["separator"] {
		return usagef("--group cannot be combined with a shape, data type, chunks, shards, codecs, fill value, order, separator or dimensions")
	}
	attrs, err := parseAttrs(c.Attrs)
	if err != nil {
		return err
	}
	p, err := s.locateNew(ctx, c.URL, c.Root)
	if err != nil {
		return err
	}
	defer p.release()
	g, err := createGroup(ctx, p.Store, p.path, zarr.Spec{Format: c.ZFormat, Attrs: attrs}, c.ExistOk, s.options()...)
	if err != nil {
		return p.fail(err)
	}
	return c.after(ctx, s, p, g)
}

type createCmd struct {
	URL   string  `arg:"" name:"url" help:"The array or group to create."`
	Shape *string `help:"Elements along each axis: 10,20. Empty for a scalar." placeholder:"N,…"`
	DType string  `name:"dtype" help:"Data type: bool, int8 to int64, uint8 to uint64, float16 to float64, complex64, complex128, string, bytes, bfloat16, float8_e4m3fn and so on; NumPy's <f4, >i2, S5, U4, datetime64[ms]; or JSON as in metadata." placeholder:"TYPE"`
	Group bool    `help:"Create a group."`
	Like  string  `help:"Create the same array or group as at this URL, with all nodes below it, but without values. Or create the dataset that a CDL file describes, such as the output of dump or ncdump -h, or a JSON file with xarray's Dataset.to_dict(data=False); - is standard input." placeholder:"URL|FILE|-"`
	specFlags
}

// Run creates an array or a group.
func (c *createCmd) Run(ctx context.Context, s *session) error {
	if c.Like != "" {
		return c.like(ctx, s)
	}
	if c.Group {
		return c.group(ctx, s)
	}
	if c.Shape == nil || c.DType == "" {
		return usagef("an array requires --shape and --dtype; use --group to create a group")
	}
	shape, err := parseInts("--shape", *c.Shape)
	if err != nil {
		return err
	}
	t, err := parseType("--dtype", c.DType)
	if err != nil {
		return err
	}
	spec, err := c.spec(shape, t, strings.HasPrefix(c.DType, ">"))
	if err != nil {
		return err
	}
	p, _, err := s.create(ctx, c.URL, spec, c.specFlags)
	if err != nil {
		return err
	}
	p.release()
	return nil
}

// spec converts the flags to the specification of an array. If big is true, the stored bytes are in
// big-endian order.
func (f *specFlags) spec(shape []int, t dtype.Type, big bool) (zarr.Spec, error) {
	spec := zarr.Spec{Format: f.ZFormat, Shape: shape, DType: t, Order: f.Order, Separator: f.Separator}
	var err error
	if f.Chunks != "" {
		if spec.Chunks, err = parseInts("--chunks", f.Chunks); err != nil {
			return spec, err
		}
	}
	if f.Shards != "" {
		if spec.Shards, err = parseInts("--shards", f.Shards); err != nil {
			return spec, err
		}
	}
	if spec.ChunkEdges, err = parseEdges("--chunk-edges", f.ChunkEdges); err != nil {
		return spec, err
	}
	if spec.ShardEdges, err = parseEdges("--shard-edges", f.ShardEdges); err != nil {
		return spec, err
	}
	if err := f.layouts(&spec); err != nil {
		return spec, err
	}
	if f.Dims != "" {
		spec.Dims = strings.Split(f.Dims, ",")
	}
	if spec.Attrs, err = parseAttrs(f.Attrs); err != nil {
		return spec, err
	}
	if spec.Fill, err = f.fill(); err != nil {
		return spec, err
	}
	spec.Codecs, err = parseCodecs(f.Codec, big)
	return spec, err
}

func (f *specFlags) fill() (any, error) {
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
		return nil, usagef("--fill %q is not JSON", f.Fill)
	}
	return json.RawMessage(f.Fill), nil
}

// parseInts parses a list such as "10,20". It returns an empty list for "".
func parseInts(flag, text string) ([]int, error) {
	list := []int{}
	if strings.TrimSpace(text) == "" {
		return list, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 {
			return nil, usagef("%s %q: %q is not a number of elements", flag, text, part)
		}
		list = append(list, n)
	}
	return list, nil
}

// maxEdges is the maximum number of chunks along an axis that --chunk-edges and --shard-edges may
// list.
const maxEdges = 1 << 20

// parseEdges parses the lengths of consecutive chunks along each axis, such as "31,28x3,31/180". It
// returns nil for "".
func parseEdges(flag, text string) ([][]int, error) {
	if text == "" {
		return nil, nil
	}
	var all [][]int
	for axis := range strings.SplitSeq(text, "/") {
		edges := []int{}
		for part := range strings.SplitSeq(axis, ",") {
			length, times, ok := strings.Cut(strings.TrimSpace(part), "x")
			n, err := strconv.Atoi(length)
			count := 1
			if ok && err == nil {
				count, err = strconv.Atoi(times)
			}
			if err != nil || n < 1 || count < 1 {
				return nil, usagef("%s %q: %q is not the length of a chunk", flag, text, part)
			}
			if count > maxEdges-len(edges) {
				return nil, usagef("%s %q: an axis must have at most %d chunks", flag, text, maxEdges)
			}
			edges = append(edges, slices.Repeat([]int{n}, count)...)
		}
		all = append(all, edges)
	}
	return all, nil
}

func parseAttrs(text string) (map[string]any, error) {
	if text == "" {
		return nil, nil
	}
	v, err := parseJSON(text)
	if err != nil {
		return nil, usagef("--attrs is not JSON: %v", err)
	}
	attrs, ok := v.(map[string]any)
	if !ok {
		return nil, usagef("--attrs is not a JSON object")
	}
	return attrs, nil
}
