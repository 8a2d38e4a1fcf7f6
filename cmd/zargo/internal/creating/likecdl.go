package creating

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/cdl"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/attributes/masked"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// fromFile creates the dataset that a file describes, as CDL or JSON.
func (c *Create) fromFile(ctx context.Context, s *session.Session) error {
	text, err := c.readFile(s)
	if err != nil {
		return exit.At(c.Like, err)
	}
	codecs, err := argument.Codecs(c.Codec, false)
	if err != nil {
		return err
	}
	b := &specBuilder{format: c.ZFormat, codecs: codecs, warn: func(format string, args ...any) { s.Warn(c.Like+": "+format, args...) }}
	if err := b.parse(text); err != nil {
		return exit.At(c.Like, err)
	}
	if err := b.affordable(concurrency.Memory() / 2); err != nil {
		return exit.At(c.Like, err)
	}
	check := mem.New() // find errors before storing anything
	for _, g := range b.groups {
		if _, err := dataset.Create(ctx, check, g.path, g.spec, dataset.Options{}); err != nil {
			return exit.At(c.Like, err)
		}
	}
	p, err := vacant(ctx, s, c.URL, c.SpecFlags)
	if err != nil {
		return err
	}
	defer p.Release()
	for _, g := range b.groups {
		if _, err := dataset.Create(ctx, p.Store, session.Joined(p.Path, g.path), g.spec, dataset.Options{}, s.Options()...); err != nil {
			return p.Fail(err)
		}
	}
	top, err := zarr.OpenGroup(ctx, p.Store, p.Path, s.Options()...)
	if err == nil && len(b.groups) > 1 {
		top, err = top.Consolidate(ctx) // with the groups below
	}
	if err != nil {
		return p.Fail(err)
	}
	return c.After(ctx, s, p, top)
}

// specBuilder converts groups of a description to datasets.
type specBuilder struct {
	format int
	codecs []codec.Spec
	warn   func(format string, args ...any)
	groups []groupSpec // a group precedes the groups below it
}

// specMemory is the memory in bytes that a variable or a group of a description takes: its
// description, the opened array, and the documents of the node that is created first to find
// errors.
const specMemory = 10 << 10

// affordable returns fault.Limit if the variables take more than limit bytes of memory.
func (b *specBuilder) affordable(limit int64) error {
	n := int64(len(b.groups))
	for _, g := range b.groups {
		n += int64(len(g.spec.Vars))
	}
	if n > limit/specMemory {
		return fault.Newf(fault.Limit, "the %d variables and groups of the description take about %d bytes of memory, more than %d", n, n*specMemory, limit)
	}
	return nil
}

// groupSpec is a dataset and its path below the root.
type groupSpec struct {
	path string
	spec dataset.Spec
}

// parse adds the groups of a description.
func (b *specBuilder) parse(text string) error {
	if isJSON(text) {
		spec, err := fromDict(text, b.format, b.codecs)
		b.groups = append(b.groups, groupSpec{"", spec})
		return err
	}
	f, err := cdl.Parse(text)
	if err != nil {
		return err
	}
	return b.group(&f.Root, "", nil)
}

// group adds a group and the groups below it. lengths contains the dimensions of the groups above.
func (b *specBuilder) group(g *cdl.Group, path string, lengths map[string]int) error {
	lengths = maps.Clone(lengths)
	if lengths == nil {
		lengths = map[string]int{}
	}
	for _, d := range g.Dims {
		lengths[d.Name] = d.Len
	}
	spec := dataset.Spec{Format: b.format, Attrs: b.attrs(g.Attrs)}
	for _, v := range g.Vars {
		of, err := b.variable(v, lengths)
		if err != nil {
			return err
		}
		spec.Vars = append(spec.Vars, of)
	}
	b.groups = append(b.groups, groupSpec{path, spec})
	for _, sub := range g.Groups {
		if strings.Contains(sub.Name, "/") {
			return fault.Newf(fault.Path, "the name of a group must not contain a slash, is %q", sub.Name)
		}
		if slices.ContainsFunc(g.Vars, func(v cdl.Var) bool { return v.Name == sub.Name }) {
			return fault.Newf(fault.Metadata, "a variable and a group have the same name %q", session.Joined(path, sub.Name))
		}
		if err := b.group(sub, session.Joined(path, sub.Name), lengths); err != nil {
			return err
		}
	}
	return nil
}

// types returns the data types of the CDL types, in the order of the constants of package cdl.
func types() []dtype.Type {
	return []dtype.Type{dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16, dtype.Int32, dtype.Uint32, dtype.Int64, dtype.Uint64, dtype.Float32, dtype.Float64, dtype.S(1), dtype.String}
}

func (b *specBuilder) variable(v cdl.Var, lengths map[string]int) (dataset.VarSpec, error) {
	// In format 2, xarray requires the names of no dimensions as an empty list, not as null.
	of := dataset.VarSpec{Name: v.Name, Spec: zarr.Spec{DType: types()[v.Type], Dims: append([]string{}, v.Dims...), Shape: make([]int, len(v.Dims)), Codecs: b.codecs}}
	for i, d := range v.Dims {
		of.Shape[i] = lengths[d]
	}
	var rest []cdl.Attr
	for _, a := range v.Attrs {
		switch {
		case a.Name == "_ChunkSizes":
			for _, n := range a.Values {
				size, ok := n.(int64)
				if !ok || size < 1 || int64(int(size)) != size || len(a.Values) != len(v.Dims) {
					return of, fault.Newf(fault.Metadata, "variable %q: _ChunkSizes must have a positive number for each of %d dimensions", v.Name, len(v.Dims))
				}
				of.Chunks = append(of.Chunks, int(size))
			}
		case a.Name == masked.Attr && v.Type >= cdl.Char:
			b.warn("variable %s: %s of texts is not stored, because xarray cannot decode it", v.Name, a.Name)
		case a.Name == masked.Attr:
			n, ok := any(nil), false
			if len(a.Values) == 1 {
				n, ok = cdl.Convert(v.Type, a.Values[0])
			}
			if !ok {
				return of, fault.Newf(fault.Metadata, "variable %q: %s must be one value of the type %v", v.Name, a.Name, v.Type)
			}
			of.Missing = n
		default:
			rest = append(rest, a)
		}
	}
	if of.Chunks == nil {
		of.Chunks = growing(of.Shape)
	}
	of.Attrs = b.attrs(rest)
	return of, nil
}

// growingChunk is the maximum number of elements in a chunk of a variable with an unlimited
// dimension. An append of one row rewrites one chunk, which has at most 512 KiB.
const growingChunk = 1 << 16

// growing returns the shape of the chunks of a variable that grows along its first dimension of
// length 0. It returns nil if no dimension has length 0, or if one row has more than growingChunk
// elements. The variable then has the default chunks, which have length 1 along the dimension.
func growing(shape []int) []int {
	k := slices.Index(shape, 0)
	if k < 0 {
		return nil
	}
	chunks, row := make([]int, len(shape)), 1
	for i, n := range shape {
		chunks[i] = max(n, 1)
		if chunks[i] > growingChunk/row {
			return nil
		}
		row *= chunks[i]
	}
	chunks[k] = growingChunk / row
	return chunks
}

// isStorage reports whether name is a special attribute that ncdump -s adds. Special attributes
// describe the storage of the netCDF file.
func isStorage(name string) bool {
	switch name {
	case "_Storage", "_ChunkSizes", "_Endianness", "_DeflateLevel", "_Shuffle", "_Fletcher32", "_NoFill", "_Filter", "_Codecs", "_QuantizeBitGroomNumberOfSignificantDigits",
		"_NCProperties", "_SuperblockVersion", "_IsNetcdf4", "_Format":
		return true
	}
	return false
}

// attrs converts attributes to JSON values.
func (b *specBuilder) attrs(list []cdl.Attr) map[string]any {
	attrs := map[string]any{}
	for _, a := range list {
		if isStorage(a.Name) {
			continue
		}
		values := make([]any, len(a.Values))
		for i, v := range a.Values {
			switch of := v.(type) {
			case float64:
				v = floatAttr(of, a.Type == cdl.Float)
			case string:
				v = strings.ToValidUTF8(of, "\ufffd")
			}
			values[i] = v
		}
		if len(values) == 1 {
			attrs[a.Name] = values[0]
		} else {
			attrs[a.Name] = values
		}
	}
	return attrs
}

// floatAttr converts a float to the value of an attribute. The notation of a finite value has a
// decimal point or an exponent, so it differs from an integer. Package meta encodes NaN and the
// infinities.
func floatAttr(f float64, single bool) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return f
	}
	bits := 64
	if single {
		bits = 32
	}
	text := strconv.FormatFloat(f, 'g', -1, bits)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return json.Number(text)
}
