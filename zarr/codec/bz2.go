package codec

import (
	"encoding/json"

	"github.com/zargo-io/zargo/zarr/codec/internal/bzip2"
)

// bz2Codec is numcodecs' bz2: bzip2 streams. Python ignores bytes after the last stream. This
// decoder reports them as corrupt.
type bz2Codec struct {
	compressor
	enc *bzip2.Encoder
}

func newBZ2(raw json.RawMessage, _ Repr) (any, error) {
	c := openConfig(raw)
	level := 1
	c.encoder(func() { level = c.integer("level", 1, 1, 9) })
	if err := c.close(); err != nil {
		return nil, err
	}
	return &bz2Codec{compressor: compressor{c.settings(), densestBzip2}, enc: bzip2.NewEncoder(level)}, nil
}

func (c *bz2Codec) Encode(dst, src []byte) ([]byte, error) { return c.enc.Encode(dst, src) }

func (c *bz2Codec) Decode(dst, src []byte, limit int) ([]byte, error) {
	return bzip2.Decode(dst, src, limit)
}
