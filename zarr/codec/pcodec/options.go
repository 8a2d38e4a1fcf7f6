package pcodec

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// options configure an encoder.
type options struct {
	level int
	order int // of delta encoding, or autoOrder
	chunk int // maximum numbers of a chunk, up to maxChunk
}

const (
	maxLevel  = 12
	maxOrder  = 7       // of consecutive delta encoding
	autoOrder = -1      // the encoder chooses
	maxChunk  = 1 << 24 // numbers of a chunk
)

// settings is numcodecs' configuration.
type settings struct {
	Level      *int    `json:"level"`
	Mode       *string `json:"mode_spec"`
	Delta      *string `json:"delta_spec"`
	Paging     *string `json:"paging_spec"`
	Order      *int    `json:"delta_encoding_order"`
	EqualPages *int64  `json:"equal_pages_up_to"`
}

// parseOptions reads numcodecs' configuration. Unknown members are errors. The error unused
// concerns a setting that only the encoder uses; it is then ignored.
func parseOptions(config json.RawMessage) (o options, unused, err error) {
	o = options{level: 8, order: autoOrder, chunk: 1 << 18}
	var s settings
	if len(config) > 0 {
		d := json.NewDecoder(bytes.NewReader(config))
		d.DisallowUnknownFields()
		if err := d.Decode(&s); err != nil {
			return o, nil, fault.Newf(fault.Metadata, "configuration: %v", err)
		}
	}
	delta := text(s.Delta, "auto")
	unused = firstError(
		known("mode_spec", s.Mode, "auto", "classic"),
		known("paging_spec", s.Paging, "equal_pages_up_to"),
		known("delta_spec", s.Delta, "auto", "no_op", "none", "try_consecutive", "try_lookback"),
		within("level", s.Level, &o.level, 0, maxLevel),
		within("delta_encoding_order", s.Order, &o.order, 0, maxOrder),
		pages(s.EqualPages, &o.chunk),
	)
	switch delta { // these ignore the order, as in zarrs
	case "no_op", "none": // two names; numcodecs 0.17 deprecates the second
		o.order = 0
	case "try_lookback":
		o.order = autoOrder
	}
	return o, unused, nil
}

// known returns an error if a setting is present and is not one of values.
func known(name string, s *string, values ...string) error {
	if s == nil || slices.Contains(values, *s) {
		return nil
	}
	return fault.Newf(fault.Metadata, "%q is %.80q, not one of %q", name, *s, values)
}

func text(s *string, def string) string {
	if s == nil {
		return def
	}
	return *s
}

// within stores a setting from lo to hi in to. It does nothing if the setting is absent.
func within(name string, from, to *int, lo, hi int) error {
	if from == nil {
		return nil
	}
	if *from < lo || *from > hi {
		return fault.Newf(fault.Metadata, "%q is %d, not in %d to %d", name, *from, lo, hi)
	}
	*to = *from
	return nil
}

// pages stores the setting "equal_pages_up_to" in to, limited to maxChunk. It does nothing if the
// setting is absent.
func pages(from *int64, to *int) error {
	if from == nil {
		return nil
	}
	if *from < 1 {
		return fault.Newf(fault.Metadata, `"equal_pages_up_to" is %d, less than 1`, *from)
	}
	*to = int(min(*from, maxChunk))
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
