package lzma

import (
	"errors"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Format is what is around the streams, by Python's numbers.
type Format int

// The containers. Auto is either of XZ and Alone, to read.
const (
	Auto Format = iota
	XZ
	Alone
	Raw
)

// Check is the checksum of a block of XZ, by the numbers of the format.
type Check int

// The checks that can be made. Unsaid is CRC64 for XZ and None for others.
const (
	Unsaid Check = -1
	None   Check = 0
	CRC32  Check = 1
	CRC64  Check = 4
	SHA256 Check = 10
)

// Config is what Python's module takes. The zero value is no good: its format can only be read.
type Config struct {
	Format  Format
	Check   Check
	Preset  int // 0 to 9, when there are no filters
	Extreme bool
	Filters []Filter // nil: LZMA2, or LZMA1 with Alone, by the preset
}

// Validate tells what is wrong.
func (c Config) Validate() error {
	sane := []Check{Unsaid, None, CRC32, CRC64, SHA256}
	switch {
	case c.Format < Auto || c.Format > Raw:
		return fault.Newf(fault.Metadata, "lzma format %d", c.Format)
	case !slices.Contains(sane, c.Check):
		return fault.Newf(fault.Metadata, "lzma check %d", c.Check)
	case c.Format != XZ && c.Check > None:
		return fault.Newf(fault.Metadata, "lzma check %d in a format without checks", c.Check)
	case c.Preset < 0 || c.Preset > 9:
		return fault.Newf(fault.Metadata, "lzma preset %d", c.Preset)
	case c.Format == Raw && len(c.Filters) == 0:
		return fault.Newf(fault.Metadata, "lzma raw without filters")
	case c.Filters == nil:
		return nil
	case len(c.Filters) > 4:
		return fault.Newf(fault.Metadata, "%d lzma filters, 4 at most", len(c.Filters))
	case c.Format == Alone && len(c.Filters) != 1:
		return fault.Newf(fault.Metadata, "%d lzma filters in a format that has one", len(c.Filters))
	}
	err := check(c.Filters, c.last())
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return fault.Newf(fault.Metadata, "lzma: %v", err)
	}
	return err
}

// last is what the last filter has to be.
func (c Config) last() FilterID {
	if c.Format == Alone || c.Format == Raw && len(c.Filters) > 0 && c.Filters[len(c.Filters)-1].ID == LZMA1 {
		return LZMA1
	}
	return LZMA2
}

// chain is the filters, from the preset when there are none.
func (c Config) chain() []Filter {
	if c.Filters != nil {
		return c.Filters
	}
	return []Filter{{ID: c.last(), Coder: Preset(c.Preset, c.Extreme)}}
}
