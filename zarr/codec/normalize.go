package codec

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Normalize returns the codecs as they are written to metadata. The argument in describes the array
// that enters the first codec. Configurations of v3 core codecs become complete and have the format
// of zarr-python. The element size and shuffle of blosc, and the byte order of the codec "bytes",
// are set from the data type. Other codecs are unchanged. Errors are those of [Table.Bind].
func (t *Table) Normalize(specs []Spec, in Repr) ([]Spec, error) {
	out := make([]Spec, len(specs))
	whole, serial := in, false
	for i, s := range specs {
		if s.Name == "bytes" && in.Type.HasOrder() && len(openConfig(s.Config).members) == 0 {
			s = Bytes(dtype.Little)
		}
		var err error
		if _, ok := t.binders[s.Name]; ok {
			if s, err = t.normalSharding(s, in); err != nil {
				return nil, named(s.Name, err)
			}
		}
		c, err := t.Bind(s, in)
		if err != nil {
			return nil, err
		}
		if out[i], err = s.normal(in); err != nil {
			return nil, named(s.Name, err)
		}
		c = placed(c, serial)
		if err := unusable(c); err != nil {
			return nil, named(s.Name, kinded(fault.Metadata, err))
		}
		in = leaving(c, in)
		if _, ok := c.(ArrayBytes); ok {
			serial = true
		}
	}
	// The lengths of the inputs are known in a chain. The caller reports its other errors.
	if c, err := t.Chain(out, whole); err == nil && errors.Is(c.reads, fault.Limit) {
		return nil, c.reads
	}
	return out, nil
}

// normal returns s with a complete configuration.
func (s Spec) normal(in Repr) (Spec, error) {
	c := openConfig(s.Config)
	switch s.Name {
	case "bytes":
		switch {
		case !in.Type.HasOrder():
			return Bytes(dtype.NoOrder), nil
		case c.text("endian", "little", "little", "big") == "big":
			return Bytes(dtype.Big), nil
		default:
			return Bytes(dtype.Little), nil
		}
	case "transpose":
		order, err := readOrder(c, len(in.Shape))
		return Transpose(order...), err
	case "gzip":
		return Gzip(c.integer("level", 5, 0, 9)), c.err
	case "zstd":
		return zstdSpec(c.integer("level", 0, -131072, 22), c.boolean("checksum", false)), c.err
	case "blosc":
		o, err := strictly((*config).bloscV3, s.Config, in)
		if err != nil {
			return s, err
		}
		raw, err := json.Marshal(bloscConfig{o.TypeSize, o.Compressor.String(), o.Level, o.Shuffle.String(), o.BlockSize})
		return Spec{s.Name, raw}, err
	}
	if _, ok := cutNumcodecs(s.Name); ok {
		s.Config = orEmpty(s.Config) // zarr-python requires a configuration for these
	}
	return s, nil
}

// Numcodecs returns a codec as in v2 metadata and numcodecs: an id and a configuration without the
// id. It returns errors.ErrUnsupported for codecs that numcodecs does not have. In the v3 core,
// these are bytes and transpose. v2 metadata stores the byte order and the order of axes in
// separate members.
//
// For a blosc Spec without a shuffle, Numcodecs sets shuffle -1. numcodecs then chooses the shuffle
// by the element size.
func (s Spec) Numcodecs() (id string, config json.RawMessage, err error) {
	if id, ok := cutNumcodecs(s.Name); ok {
		return id, orEmpty(s.Config), nil
	}
	c := openConfig(s.Config)
	switch s.Name {
	case "gzip":
		config = fmt.Appendf(nil, `{"level":%d}`, c.integer("level", 5, 0, 9))
	case "zstd":
		level := c.integer("level", 0, -131072, 22)
		if config = fmt.Appendf(nil, `{"level":%d}`, level); c.boolean("checksum", false) {
			config = fmt.Appendf(nil, `{"checksum":true,"level":%d}`, level)
		}
	case "crc32c":
		config = json.RawMessage(`{}`)
		c.take("location")
	case "vlen-utf8", "vlen-bytes":
		config = json.RawMessage(`{}`)
	case "bitround":
		config = fmt.Appendf(nil, `{"keepbits":%d}`, c.integer("keepbits", 1, 1, 1<<31-1))
	case "blosc":
		c.take("typesize")
		shuffle := map[string]int{"auto": -1, "noshuffle": 0, "shuffle": 1, "bitshuffle": 2}[c.text("shuffle", "auto", "noshuffle", "shuffle", "bitshuffle")]
		config = fmt.Appendf(nil, `{"blocksize":%d,"clevel":%d,"cname":%q,"shuffle":%d}`,
			c.integer("blocksize", 0, 0, 1<<31-1), c.integer("clevel", 5, 0, 9), c.text("cname", "zstd", cnames[:]...), shuffle)
	default:
		hint := ""
		if _, ours := Builtin().factories[s.Name]; !ours && s.Name != shardingName {
			hint = fmt.Sprintf(" (a custom codec needs the name %q)", numcodecs+s.Name)
		}
		return "", nil, fault.Newf(errors.ErrUnsupported, "numcodecs and v2 metadata do not have a codec %.80q%s", s.Name, hint)
	}
	if err := c.close(); err != nil {
		return "", nil, named(s.Name, err)
	}
	return s.Name, config, nil
}
