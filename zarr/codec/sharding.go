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

// sharding is what the v3 codec is called.
const shardingName = "sharding_indexed"

// maxNesting is how many shardings may lie in each other. Two are in use; each more costs a chain
// and an index for each shard, and metadata that nests hundreds means harm.
const maxNesting = 8

// ShardingOptions configure [Sharding].
type ShardingOptions struct {
	Chunk   []int  // elements of an inner chunk along each axis; they divide the shard
	Codecs  []Spec // of an inner chunk; nil is bytes
	Index   []Spec // of the index; nil is bytes in little-endian order, then crc32c
	AtStart bool   // the index stands before the inner chunks, not after them
}

// Sharding cuts the array that enters it, a shard, into inner chunks that can be read one by one
// (v3 core "sharding_indexed"). Byte order, blosc's element size and the like are left to
// [Table.Normalize], as for the codecs of an array.
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
		// A configuration of an inner codec is no JSON: what is left out here is refused when the
		// codec is bound.
		return newSpec(shardingName, `{"chunk_shape":[]}`)
	}
	return Spec{Name: shardingName, Config: raw}
}

// defaultIndex is what the specification recommends for the index.
func defaultIndex() []Spec { return []Spec{Bytes(dtype.Little), CRC32C()} }

// shardingConfig is the configuration, its members in the order in which zarr-python writes them.
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

// sharding is the v3 codec "sharding_indexed", bound to the shard.
type sharding struct {
	in        Repr
	chunk     []int // elements of an inner chunk
	grid      []int // inner chunks along each axis
	n         int   // inner chunks
	inner     *Chain
	index     *Chain
	atStart   bool
	size      int64 // of the encoded index
	most      int64
	typical   int64                    // bytes of a shard without unused space
	report    func(rule.Finding) error // called for overlapping inner chunks; nil tolerates them
	scratches sync.Pool                // of *Scratch, for the index
}

// newSharding reads the configuration ("Configuration parameters" of the specification). Its
// index_codecs are required there, but files older than that exist, and readers take the
// recommended ones.
func (t *Table) newSharding(raw json.RawMessage, in Repr) (any, error) {
	o, below, err := t.openSharding(raw)
	if err != nil {
		return nil, err
	}
	s := &sharding{in: in, chunk: o.Chunk, atStart: o.AtStart, report: t.report}
	if len(s.chunk) != len(in.Shape) {
		return nil, fault.Newf(fault.Metadata, "inner chunks %v for a shard of shape %v", s.chunk, in.Shape)
	}
	s.n = 1
	for i, c := range s.chunk {
		if c < 1 || in.Shape[i] < 1 || in.Shape[i]%c != 0 {
			return nil, fault.Newf(fault.Metadata, "inner chunks %v do not divide a shard of shape %v", s.chunk, in.Shape)
		}
		s.grid = append(s.grid, in.Shape[i]/c)
		s.n *= in.Shape[i] / c // no more than the elements of the shard, which were counted
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
		return nil, fault.Newf(fault.Metadata, "the index codecs %v make bytes of varying length", o.Index)
	}
	s.typical = addSat(mulSat(s.inner.typical, int64(s.n)), s.size)
	s.most = s.worst()
	return s, nil
}

// worst allows for as much unused space as there can be data, and a little more: what writers that
// replace inner chunks leave behind.
func (s *sharding) worst() int64 {
	return addSat(mulSat(s.typical, 2), 1<<20)
}

// openSharding reads a configuration, and gives the table for the codecs within.
func (t *Table) openSharding(raw json.RawMessage) (ShardingOptions, *Table, error) {
	if t.nesting >= maxNesting {
		return ShardingOptions{}, nil, fault.Newf(fault.Limit, "more than %d shardings in each other", maxNesting)
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

// draftBytes is what drafts of v3 called the codec "bytes". Package meta renames it where it is not
// within a shard, and reports it in both places (rule.DraftCodec).
const draftBytes = "endian"

// renameDrafts gives codecs with the name of a draft their own, unless the user has a codec of that
// name.
func (t *Table) renameDrafts(specs []Spec) {
	for i := range specs {
		if specs[i].Name == draftBytes && !t.own[draftBytes] {
			specs[i].Name = bytesName
		}
	}
}

// normalSharding completes the configurations of the codecs within. What does not fit the shard is
// left as it is: binding says what is wrong.
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
	// No codecs at all is an error and not the default.
	if len(o.Codecs) == 0 || len(o.Index) == 0 {
		return s, nil
	}
	return Sharding(o), nil
}

// lengths is a list of numbers without fraction, each at least 1.
func (c *config) lengths(key string) []int {
	raw, ok := c.take(key)
	var list []float64 // 4.0 is 4, as TensorStore has it
	if !ok || json.Unmarshal(raw, &list) != nil || raw[0] != '[' {
		c.fail("%q is %.80s, not a list of lengths", key, orNothing(raw))
		return nil
	}
	lengths := make([]int, len(list))
	for i, f := range list {
		if f != math.Trunc(f) || f < 1 || f > min(1<<53, math.MaxInt) {
			c.fail("%q is %.80s, not a list of lengths", key, raw)
			return nil
		}
		lengths[i] = int(f)
	}
	return lengths
}

// specs is a list of codecs as metadata has them: objects, or names alone.
func (c *config) specs(key string, def []Spec) []Spec {
	raw, ok := c.take(key)
	if !ok && def != nil {
		return def
	}
	var list []json.RawMessage
	if !ok || json.Unmarshal(raw, &list) != nil || raw[0] != '[' {
		c.fail("%q is %.80s, not a list of codecs", key, orNothing(raw))
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
			c.fail("%q has %.80s, which is no codec", key, item)
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
