package codec

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/internal/lzma"
)

// lzmaCodec is numcodecs' lzma, which uses Python's lzma module. It can read streams with filters
// in all formats. numcodecs can read such streams only in format 3.
type lzmaCodec struct {
	compressor
	c   lzma.Config
	enc *lzma.Encoder // nil for format 0, which is read-only
}

func newLZMA(raw json.RawMessage, _ Repr) (any, error) {
	c := openConfig(raw)
	o := readLZMA(c)
	if err := c.close(); err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		o.Check, o.Preset = lzma.Unsaid, 6 // only an encoder uses these
		if o.Validate() != nil {
			return nil, err
		}
		c.unused = err
	}
	enc, err := lzma.NewEncoder(o)
	if err != nil && o.Format != lzma.Auto {
		return nil, err
	}
	return &lzmaCodec{compressor: compressor{c.settings(), densestLZMA}, c: o, enc: enc}, nil
}

// extreme is the bit of a preset that Python calls PRESET_EXTREME.
const extreme = 1 << 31

func readLZMA(c *config) lzma.Config {
	c.dropNull("preset", "filters")
	o := lzma.Config{Format: lzma.Format(c.integer("format", int(lzma.XZ), 0, 3)), Check: lzma.Unsaid}
	_, preset := c.members["preset"]
	c.encoder(func() {
		o.Check = lzma.Check(c.integer("check", -1, -1, 15))
		o.Preset, o.Extreme = readPreset(c)
	})
	raw, ok := c.take("filters")
	if !ok {
		return o
	}
	if preset {
		c.fail(`"preset" and "filters" are both set`)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		c.fail(`"filters" must be a list of filters, is %.80s`, raw)
	}
	for _, raw := range list {
		f := openConfig(raw)
		o.Filters = append(o.Filters, readFilter(f))
		if err := f.close(); err != nil && c.err == nil {
			c.err = err
		}
	}
	return o
}

func readPreset(c *config) (level int, high bool) {
	n := c.natural("preset", 6, math.MaxUint32)
	return int(min(n&^extreme, math.MaxInt32)), n&extreme != 0
}

// readFilter reads one filter. The encoder of this package uses nice_len and depth as limits, and
// ignores mode and mf.
func readFilter(c *config) lzma.Filter {
	f := lzma.Filter{ID: lzma.FilterID(c.natural("id", 0, math.MaxInt64))}
	switch f.ID {
	case lzma.LZMA1, lzma.LZMA2:
		f.Coder = lzma.Preset(readPreset(c))
		o := &f.Coder
		o.DictSize = int(c.natural("dict_size", uint64(o.DictSize), 3<<29))
		if o.DictSize < 4096 {
			c.fail(`"dict_size" must be at least 4096, is %d`, o.DictSize)
		}
		o.LC = c.integer("lc", o.LC, 0, 4)
		o.LP = c.integer("lp", o.LP, 0, 4)
		o.PB = c.integer("pb", o.PB, 0, 4)
		o.Nice = c.integer("nice_len", o.Nice, 2, 273)
		o.Depth = int(c.natural("depth", uint64(o.Depth), math.MaxInt32))
		c.natural("mode", 0, math.MaxUint32)
		c.natural("mf", 0, math.MaxUint32)
	case lzma.Delta:
		f.Distance = c.integer("dist", 1, 1, 256)
	default:
		f.StartOffset = uint32(c.natural("start_offset", 0, math.MaxUint32))
	}
	return f
}

// natural reads an integer in [0, most].
func (c *config) natural(key string, def, most uint64) uint64 {
	raw, ok := c.take(key)
	if !ok {
		return def
	}
	n, err := strconv.ParseUint(string(raw), 10, 64)
	if err != nil || n > most {
		c.fail("%q must be 0 to %d, is %.80s", key, most, raw)
		return def
	}
	return n
}

func (c *lzmaCodec) Encode(dst, src []byte) ([]byte, error) {
	if c.enc == nil {
		return dst, fault.Newf(fault.Metadata, "format 0 can only be read")
	}
	return c.enc.Encode(dst, src)
}

func (c *lzmaCodec) Decode(dst, src []byte, limit int) ([]byte, error) {
	return lzma.Decode(c.c, dst, src, limit)
}
