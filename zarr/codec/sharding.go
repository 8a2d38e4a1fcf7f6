package codec

import (
	"encoding/json"
	"math"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Sharding divides the array that enters it, a shard, into inner chunks that can be read
// individually (v3 core "sharding_indexed"). [Table.Normalize] also completes the inner codecs with
// settings that depend on the data type, such as byte orders and blosc element sizes.
func Sharding(o ShardingOptions) Spec {
	c := shardingConfig{Chunk: o.Chunk, Codecs: spell(o.Codecs), Index: spell(o.Index), Location: "end"}
	if c.Chunk == nil {
		c.Chunk = []int{}
	}
	if len(o.Codecs) == 0 {
		c.Codecs = spell([]Spec{Bytes(dtype.NoOrder)})
	}
	if len(o.Index) == 0 {
		c.Index = spell(defaultIndex())
	}
	if o.AtStart {
		c.Location = "start"
	}
	raw, err := json.Marshal(c)
	if err != nil {
		// The configuration of an inner codec is not JSON. Bind rejects the result.
		return newSpec(shardingName, `{"chunk_shape":[]}`)
	}
	return Spec{Name: shardingName, Config: raw}
}

// ShardingOptions configures [Sharding].
type ShardingOptions struct {
	Chunk   []int  // shape of an inner chunk; it must divide the shard's shape
	Codecs  []Spec // codecs of an inner chunk; nil means the codec bytes
	Index   []Spec // codecs of the index; nil means bytes in little-endian order, then crc32c
	AtStart bool   // the index precedes the inner chunks instead of following them
}

// shardingName is the name of the sharding codec in v3 metadata.
const shardingName = "sharding_indexed"

// maxNesting is the maximum number of nested sharding codecs. Real arrays have up to two levels.
// Each level costs a chain and an index per shard. Metadata with hundreds of levels is malicious.
const maxNesting = 8

// defaultIndex returns the index codecs that the specification recommends.
func defaultIndex() []Spec { return []Spec{Bytes(dtype.Little), CRC32C()} }

// shardingConfig is the configuration in metadata. Its members have the same order as in
// zarr-python.
type shardingConfig struct {
	Chunk    []int       `json:"chunk_shape"`
	Codecs   []codecJSON `json:"codecs"`
	Index    []codecJSON `json:"index_codecs"`
	Location string      `json:"index_location"`
}

type codecJSON struct {
	Name   string          `json:"name"`
	Config json.RawMessage `json:"configuration,omitempty"`
}

func spell(specs []Spec) []codecJSON {
	list := make([]codecJSON, len(specs))
	for i, s := range specs {
		list[i] = codecJSON(s)
	}
	return list
}

// sharding is the v3 codec "sharding_indexed", bound to a shard.
type sharding struct {
	in        Repr
	chunk     []int // shape of an inner chunk
	grid      []int // number of inner chunks along each axis
	n         int   // number of inner chunks
	inner     *Chain
	index     *Chain
	atStart   bool
	size      int64 // length of the encoded index
	most      int64
	typical   int64                    // length of a shard without unused space
	report    func(rule.Finding) error // called for overlapping inner chunks; nil tolerates them
	scratches sync.Pool                // of *Scratch, for the index
}

// newSharding reads the configuration ("Configuration parameters" in the specification). The
// specification requires "index_codecs", but older files omit this member. Readers then use the
// recommended codecs.
func (t *Table) newSharding(raw json.RawMessage, in Repr) (any, error) {
	o, below, err := t.openSharding(raw)
	if err != nil {
		return nil, err
	}
	s := &sharding{in: in, chunk: o.Chunk, atStart: o.AtStart, report: t.report}
	if len(s.chunk) != len(in.Shape) {
		return nil, fault.Newf(fault.Metadata, "shard shape %v has rank %d, but inner chunks %v have rank %d", in.Shape, len(in.Shape), s.chunk, len(s.chunk))
	}
	s.n = 1
	for i, c := range s.chunk {
		if c < 1 || in.Shape[i] < 1 || in.Shape[i]%c != 0 {
			return nil, fault.Newf(fault.Metadata, "inner chunks %v do not divide a shard of shape %v", s.chunk, in.Shape)
		}
		s.grid = append(s.grid, in.Shape[i]/c)
		s.n *= in.Shape[i] / c // at most the number of elements of the shard
	}
	if _, err := in.Elems(); err != nil {
		return nil, err
	}
	if s.inner, err = below.Chain(o.Codecs, Repr{Shape: s.chunk, Type: in.Type, Fill: in.Fill, Most: in.Most}); err != nil {
		return nil, err
	}
	if s.index, err = below.Chain(o.Index, Repr{Shape: append(slices.Clone(s.grid), 2), Type: dtype.Uint64}); err != nil {
		return nil, err
	}
	if s.size = s.index.EncodedSize(); s.size < 0 {
		return nil, fault.Newf(fault.Metadata, "index codecs must have output of fixed length, but %v do not", o.Index)
	}
	s.typical = addSat(mulSat(s.inner.typical, int64(s.n)), s.size)
	// Allow for as much unused space as data, plus 1 MiB, because writers that replace inner chunks
	// leave unused space behind.
	s.most = addSat(mulSat(s.typical, 2), 1<<20)
	return s, nil
}

// openSharding reads a configuration. It also returns the table for the inner codecs.
func (t *Table) openSharding(raw json.RawMessage) (ShardingOptions, *Table, error) {
	if t.nesting >= maxNesting {
		return ShardingOptions{}, nil, fault.Newf(fault.Limit, "more than %d nested sharding codecs", maxNesting)
	}
	c := openConfig(raw)
	o := ShardingOptions{
		Chunk:   c.lengths("chunk_shape"),
		Codecs:  c.specs("codecs", nil),
		Index:   c.specs("index_codecs", defaultIndex()),
		AtStart: c.text("index_location", "end", "start", "end") == "start",
	}
	below := *t
	below.nesting++
	t.renameDrafts(o.Codecs)
	t.renameDrafts(o.Index)
	return o, &below, c.close()
}

// draftBytes is the name of the codec "bytes" in drafts of v3. Package meta replaces this name
// outside of shards, and reports it inside and outside of shards (rule.DraftCodec).
const draftBytes = "endian"

// renameDrafts replaces draft names of codecs by current names. It keeps a draft name if With has
// set a codec for it.
func (t *Table) renameDrafts(specs []Spec) {
	for i := range specs {
		if specs[i].Name == draftBytes && !t.own[draftBytes] {
			specs[i].Name = bytesName
		}
	}
}

// normalSharding completes the configurations of the inner codecs. If a configuration does not fit
// the shard, normalSharding returns that configuration unchanged, and binding then reports the
// error.
func (t *Table) normalSharding(s Spec, in Repr) (Spec, error) {
	o, below, err := t.openSharding(s.Config)
	if err != nil || len(o.Chunk) != len(in.Shape) {
		return s, err
	}
	if o.Codecs, err = below.Normalize(o.Codecs, Repr{Shape: o.Chunk, Type: in.Type, Fill: in.Fill}); err != nil {
		return s, err
	}
	grid := make([]int, len(o.Chunk), len(o.Chunk)+1)
	for i, c := range o.Chunk {
		grid[i] = in.Shape[i] / c
	}
	if o.Index, err = below.Normalize(o.Index, Repr{Shape: append(grid, 2), Type: dtype.Uint64}); err != nil {
		return s, err
	}
	// An empty list of codecs is an error, so it must not be replaced by the default.
	if len(o.Codecs) == 0 || len(o.Index) == 0 {
		return s, nil
	}
	return Sharding(o), nil
}

// lengths reads a list of integers, each at least 1.
func (c *config) lengths(key string) []int {
	raw, ok := c.take(key)
	var list []float64 // 4.0 is accepted as 4, as in TensorStore
	if !ok || json.Unmarshal(raw, &list) != nil || raw[0] != '[' {
		c.fail("%q must be a list of lengths, is %.80s", key, orNothing(raw))
		return nil
	}
	lengths := make([]int, len(list))
	for i, f := range list {
		if f != math.Trunc(f) || f < 1 || f > min(1<<53, math.MaxInt) {
			c.fail("%q must be a list of lengths, is %.80s", key, raw)
			return nil
		}
		lengths[i] = int(f)
	}
	return lengths
}

// specs reads a list of codecs as in metadata, where each codec is an object or a name.
func (c *config) specs(key string, def []Spec) []Spec {
	raw, ok := c.take(key)
	if !ok && def != nil {
		return def
	}
	var list []json.RawMessage
	if !ok || json.Unmarshal(raw, &list) != nil || raw[0] != '[' {
		c.fail("%q must be a list of codecs, is %.80s", key, orNothing(raw))
		return nil
	}
	specs := make([]Spec, len(list))
	for i, item := range list {
		var name string
		if json.Unmarshal(item, &name) == nil && name != "" {
			specs[i] = Spec{Name: name}
			continue
		}
		if len(item) == 0 || item[0] != '{' {
			c.fail("%q contains %.80s, which is not a codec", key, item)
			return nil
		}
		s, err := parseNamed(string(item))
		if err != nil {
			c.fail("%q: %v", key, err)
			return nil
		}
		specs[i] = s
	}
	return specs
}

func orNothing(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "missing"
	}
	return string(raw)
}
