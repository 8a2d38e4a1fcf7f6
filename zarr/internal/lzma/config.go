package lzma

import (
	"errors"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Format is the container format of a stream. The values are those of Python's module lzma.
type Format int

// The formats. Auto decodes XZ and Alone.
const (
	Auto Format = iota
	XZ
	Alone
	Raw
)

// Check is the integrity check of a block in the xz format. The values are the check IDs of the
// format.
type Check int

// The supported checks. Unsaid means CRC64 for XZ and None for other formats.
const (
	Unsaid Check = -1
	None   Check = 0
	CRC32  Check = 1
	CRC64  Check = 4
	SHA256 Check = 10
)

// Config has the parameters of Python's module lzma. The zero value can only decode.
type Config struct {
	Format  Format
	Check   Check
	Preset  int // 0 to 9; used without filters
	Extreme bool
	Filters []Filter // nil means LZMA2 with the preset, or LZMA1 for Alone
}

// Validate returns the first error of the configuration.
func (c Config) Validate() error {
	sane := []Check{Unsaid, None, CRC32, CRC64, SHA256}
	switch {
	case c.Format < Auto || c.Format > Raw:
		return fault.Newf(fault.Metadata, "lzma format must be 0 to 3, is %d", c.Format)
	case !slices.Contains(sane, c.Check):
		return fault.Newf(fault.Metadata, "lzma check must be one of -1, 0, 1, 4 and 10, is %d", c.Check)
	case c.Format != XZ && c.Check > None:
		return fault.Newf(fault.Metadata, "lzma check is %d, but the format has no checks", c.Check)
	case c.Preset < 0 || c.Preset > 9:
		return fault.Newf(fault.Metadata, "lzma preset must be 0 to 9, is %d", c.Preset)
	case c.Format == Raw && len(c.Filters) == 0:
		return fault.Newf(fault.Metadata, "lzma format raw requires filters")
	case c.Filters == nil:
		return nil
	case len(c.Filters) > 4:
		return fault.Newf(fault.Metadata, "lzma chain must have at most 4 filters, has %d", len(c.Filters))
	case c.Format == Alone && len(c.Filters) != 1:
		return fault.Newf(fault.Metadata, "lzma format alone must have one filter, has %d", len(c.Filters))
	}
	err := check(c.Filters, c.last())
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return fault.Newf(fault.Metadata, "lzma: %v", err)
	}
	return err
}

// last returns the ID that the last filter must have. For Raw it may be LZMA1 or LZMA2, as
// configured.
func (c Config) last() FilterID {
	if c.Format == Alone || c.Format == Raw && len(c.Filters) > 0 && c.Filters[len(c.Filters)-1].ID == LZMA1 {
		return LZMA1
	}
	return LZMA2
}

// chain returns the configured filters, or the single filter of the preset if none are configured.
func (c Config) chain() []Filter {
	if c.Filters != nil {
		return c.Filters
	}
	return []Filter{{ID: c.last(), Coder: Preset(c.Preset, c.Extreme)}}
}
