package describing

import (
	"encoding/json"
	"errors"
	"iter"
	"math/big"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// describe describes a node, without attributes and members.
func describe(n zarr.Node) (nodeInfo, error) {
	info := nodeInfo{Kind: "group", Name: n.Name(), Format: n.Format()}
	a, ok := n.(*zarr.Array)
	if !ok {
		return info, nil
	}
	info.Kind = "array"
	m := a.Metadata()
	d := &arrayInfo{Shape: a.Shape(), Chunks: a.Chunks(), Shards: a.Shards(), Edges: m.Grid.Edges, Keys: keysInfo{m.Keys.Name, m.Keys.Separator}, Codecs: []codecInfo{}}
	info.arrayInfo = d
	for _, c := range a.Codecs() {
		d.Codecs = append(d.Codecs, codecInfo{c.Name, c.Config})
	}
	for _, name := range a.Dims() {
		if name == "" {
			d.Dims = append(d.Dims, nil)
			continue
		}
		d.Dims = append(d.Dims, &name)
	}
	d.Elements = product(d.Shape)
	grid := a.GridShape()
	if a.Sharded() {
		d.NumShards = product(grid)
	}
	if chunks := a.Chunks(); chunks != nil { // otherwise the grid is that of the chunks
		for i, length := range d.Shape {
			grid[i] = length/chunks[i] + min(length%chunks[i], 1)
		}
	}
	d.NumChunks = product(grid)
	if size := a.DType().Size(); size > 0 {
		d.Bytes = new(big.Int).Mul(d.Elements, big.NewInt(int64(size)))
	}
	var err error
	t, _, _ := dtype.Uniform(a.DType())
	if d.DType, err = t.V3(); errors.Is(err, errors.ErrUnsupported) {
		d.DType, err = json.Marshal(a.DType().String()) // only v2 has the data type
	}
	if err != nil {
		return info, err
	}
	if fill := a.Fill(); fill != nil {
		// The notation of v3 preserves the bits of a NaN.
		d.Fill, err = a.DType().FormatFill(fill, 3)
	}
	return info, err
}

type keysInfo struct {
	Name      string `json:"name"`
	Separator string `json:"separator"`
}

type codecInfo struct {
	Name   string          `json:"name"`
	Config json.RawMessage `json:"configuration,omitempty"`
}

// arrayInfo is the part of nodeInfo that only arrays have.
type arrayInfo struct {
	Shape     []int           `json:"shape"`
	Chunks    []int           `json:"chunks"`
	Shards    []int           `json:"shards,omitempty"`
	Edges     []meta.Edges    `json:"edges,omitempty"` // chunk lengths of a rectilinear grid
	DType     json.RawMessage `json:"dtype"`
	Fill      json.RawMessage `json:"fill_value"`
	Codecs    []codecInfo     `json:"codecs"`
	Keys      keysInfo        `json:"chunk_key_encoding"`
	Dims      []*string       `json:"dimension_names"`
	Elements  *big.Int        `json:"elements"`
	NumChunks *big.Int        `json:"number_of_chunks"`
	NumShards *big.Int        `json:"number_of_shards,omitempty"`
	Bytes     *big.Int        `json:"bytes"` // null if elements vary in length
}

// nodeInfo is the JSON object that info and ls print for a node. docs/reference/cli.md documents
// it. New members may be added, but existing members must not be removed or change their meaning.
type nodeInfo struct {
	Kind   string `json:"kind"` // "array" or "group"; otherwise "folder" or "object"
	URL    string `json:"url,omitempty"`
	Name   string `json:"name"`
	Path   string `json:"path"` // relative to the node of the URL
	Format int    `json:"format,omitempty"`
	Stored *int64 `json:"stored_bytes,omitempty"` // size of an object

	*arrayInfo
	*georefInfo

	FillMissing *bool `json:"fill_value_is_missing,omitempty"` // only info; nil if unknown
	fillNaN     bool
	Storage     *storedInfo `json:"storage,omitempty"`

	Layout  *layoutInfo `json:"key_layout,omitempty"`
	Warning string      `json:"warning,omitempty"`

	Attributes json.RawMessage `json:"attributes,omitempty"`
}

// product returns the number of positions of a shape.
func product(shape []int) *big.Int {
	n := big.NewInt(1)
	for _, length := range shape {
		n.Mul(n, big.NewInt(int64(length)))
	}
	return n
}

// list formats a shape, as in "10, 20". It returns "scalar" for an empty shape.
func list(shape []int) string {
	if len(shape) == 0 {
		return "scalar"
	}
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ", ")
}

// dtypeText formats the data type as human-readable text.
func (d *arrayInfo) dtypeText() string {
	var name string
	if json.Unmarshal(d.DType, &name) == nil {
		return name
	}
	return string(d.DType)
}

// summary describes an array in a few words.
func (d *arrayInfo) summary(format int) string {
	return d.dtypeText() + " [" + d.axes() + "] " + d.chunkText() + " v" + strconv.Itoa(format)
}

// axes formats the shape with the names of named axes, as in "time: 8760, lat: 721, 4".
func (d *arrayInfo) axes() string {
	parts := make([]string, len(d.Shape))
	for i, n := range d.Shape {
		parts[i] = strconv.Itoa(n)
		if i < len(d.Dims) && d.Dims[i] != nil && *d.Dims[i] != "" {
			parts[i] = render.OneLine(*d.Dims[i]) + ": " + parts[i]
		}
	}
	if len(parts) == 0 {
		return "scalar"
	}
	return strings.Join(parts, ", ")
}

// chunkText formats the shape of the chunks, and of the shards that contain them.
func (d *arrayInfo) chunkText() string {
	text := "chunks " + d.shapeText(d.Chunks)
	if d.NumShards != nil {
		text += " in shards " + d.shapeText(d.Shards)
	}
	return text
}

// shapeText formats lengths in brackets.
func (d *arrayInfo) shapeText(shape []int) string { return "[" + d.lengths(shape) + "]" }

// maxEdgeText is the maximum number of bytes printed for the chunk lengths along an axis.
const maxEdgeText = 60

// lengths formats the shape of the chunks. If the chunks differ in shape, it formats the lengths
// along each axis as in metadata, truncated.
func (d *arrayInfo) lengths(shape []int) string {
	if shape != nil {
		return list(shape)
	}
	parts := make([]string, len(d.Edges))
	for i, e := range d.Edges {
		b, _ := e.MarshalJSON()
		if parts[i] = string(b); len(b) > maxEdgeText {
			parts[i] = parts[i][:maxEdgeText] + "…"
		}
	}
	return strings.Join(parts, ", ")
}

// eachMember calls add for each node, with the node's description. It omits nodes whose metadata is
// malformed or unsupported, and returns an error about them in unread. Any other error ends the
// listing.
func eachMember(p *session.Place, nodes iter.Seq2[zarr.Node, error], add func(zarr.Node, nodeInfo)) (unread, err error) {
	var first error
	listed, broken := 0, 0
	for m, err := range nodes {
		var of *fault.MetaError
		if err != nil && !errors.As(err, &of) {
			return nil, err
		}
		var d nodeInfo
		if err == nil {
			d, err = describe(m)
		}
		if err != nil {
			if broken++; first == nil {
				first = err
			}
			continue
		}
		listed++
		add(m, d)
	}
	if broken == 0 || listed == 0 && broken == 1 { // may be the consolidated metadata
		return first, nil
	}
	text := first.Error()
	if _, after, ok := strings.Cut(text, " in "+store.Name(p.Store)+": "); ok {
		text = after // the key of the document identifies the node
	}
	which := ": "
	if broken > 1 {
		which = ", the first: "
	}
	return exit.Reword(render.Plural(broken, "member")+" cannot be read"+which+text, first), nil
}
