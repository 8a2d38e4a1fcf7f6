package codec

import "encoding/json"

// Core returns the v3 core codec with the same stored bytes as s. For example, it replaces
// "numcodecs.gzip" by "gzip". It also replaces zstd, blosc, crc32c, vlen-utf8 and vlen-bytes of
// numcodecs. It returns other codecs unchanged. The argument in describes the array that enters the
// pipeline.
func (s Spec) Core(in Repr) (Spec, error) {
	id, ok := cutNumcodecs(s.Name)
	if !ok {
		return s, nil
	}
	c := openConfig(s.Config)
	core := s
	switch id {
	case "gzip":
		level := c.integer("level", 1, -1, 9)
		if level < 0 {
			level = 6 // zlib's default
		}
		core = Gzip(level)
	case "zstd":
		core = zstdSpec(c.integer("level", 0, -131072, 22), c.boolean("checksum", false))
	case "crc32c":
		if c.text("location", "end", "start", "end") == "end" {
			core = CRC32C()
		}
	case "blosc":
		o, err := strictly((*config).bloscV2, s.Config, in)
		if err != nil {
			return s, named(s.Name, err)
		}
		raw, err := json.Marshal(bloscConfig{o.TypeSize, o.Compressor.String(), o.Level, o.Shuffle.String(), o.BlockSize})
		return Spec{"blosc", raw}, err
	case "vlen-utf8", "vlen-bytes":
		core = Spec{Name: id}
	default:
		return s, nil
	}
	if err := c.close(); err != nil {
		return s, named(s.Name, err)
	}
	return core, nil
}
