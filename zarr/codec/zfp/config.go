package zfp

import (
	"bytes"
	"encoding/json"

	"github.com/zargo-io/zargo/zarr/fault"
)

// maxRate is the largest rate that New accepts, in bits per number. Numbers have at most 64 bits.
const maxRate = 128

// mode is the configuration of the codec "zfp": parameters, or a rate. The parameters of a rate
// depend on the shape.
type mode struct {
	params
	rate  float64
	fixed bool // the mode is fixed_rate
}

// parseMode reads the configuration of "zfp". Members of other modes are errors.
func parseMode(config json.RawMessage, n number) (mode, error) {
	var s struct {
		Mode      string   `json:"mode"`
		Rate      *float64 `json:"rate"`
		Precision *uint32  `json:"precision"`
		Tolerance *float64 `json:"tolerance"`
		Minbits   *uint32  `json:"minbits"`
		Maxbits   *uint32  `json:"maxbits"`
		Maxprec   *uint32  `json:"maxprec"`
		Minexp    *int32   `json:"minexp"`
	}
	if err := members(config, &s); err != nil {
		return mode{}, err
	}
	expert := s.Minbits != nil && s.Maxbits != nil && s.Maxprec != nil && s.Minexp != nil
	has := 0
	for _, set := range []bool{s.Rate != nil, s.Precision != nil, s.Tolerance != nil, s.Minbits != nil, s.Maxbits != nil, s.Maxprec != nil, s.Minexp != nil} {
		if set {
			has++
		}
	}
	switch {
	case s.Mode == "reversible" && has == 0:
		return mode{params: reversible()}, nil
	case s.Mode == "fixed_rate" && has == 1 && s.Rate != nil:
		if *s.Rate < 0 || *s.Rate > maxRate {
			return mode{}, fault.Newf(fault.Metadata, `"rate" is %v, not in 0 to %d`, *s.Rate, maxRate)
		}
		return mode{rate: *s.Rate, fixed: true}, nil
	case s.Mode == "fixed_precision" && has == 1 && s.Precision != nil:
		return mode{params: fixedPrecision(uint(*s.Precision))}, nil
	case s.Mode == "fixed_accuracy" && has == 1 && s.Tolerance != nil:
		if !n.float {
			return mode{}, fault.Newf(fault.Metadata, "the mode fixed_accuracy is for floats, not %s", n.name)
		}
		return mode{params: fixedAccuracy(*s.Tolerance)}, nil
	case s.Mode == "expert" && has == 4 && expert:
		p := params{uint64(*s.Minbits), uint64(*s.Maxbits), uint(*s.Maxprec), int(*s.Minexp)}
		if !p.valid() {
			return mode{}, fault.Newf(fault.Metadata, `"minbits" %d must be at most "maxbits" %d, and "maxprec" %d in 1 to 64`, p.minbits, p.maxbits, p.maxprec)
		}
		if p.minbits > maxRate*256 {
			return mode{}, fault.Newf(fault.Limit, `"minbits" is %d, more than %d`, p.minbits, maxRate*256)
		}
		return mode{params: p}, nil
	}
	return mode{}, fault.Newf(fault.Metadata, "mode %.80q is unknown, or has other settings than its own", s.Mode)
}

// parseNumcodecs checks numcodecs' configuration. It returns the rate of the mode fixed rate, or
// 0. Other settings are for encoding only, because the header of each chunk has them.
func parseNumcodecs(config json.RawMessage) (rate float64, err error) {
	s := struct {
		Mode      int             `json:"mode"`
		Rate      *float64        `json:"rate"`
		Precision *int            `json:"precision"`
		Tolerance *float64        `json:"tolerance"`
		Arguments json.RawMessage `json:"compression_kwargs"`
	}{Mode: 4}
	const expert, fixedRate, reversible = 1, 2, 5
	if err := members(config, &s); err != nil {
		return 0, err
	}
	if s.Mode < expert || s.Mode > reversible {
		return 0, fault.Newf(fault.Metadata, `"mode" is %d, not in %d to %d`, s.Mode, expert, reversible)
	}
	if s.Mode == fixedRate && s.Rate != nil {
		if rate = *s.Rate; rate > maxRate {
			return 0, fault.Newf(fault.Metadata, `"rate" is %v, more than %d`, rate, maxRate)
		}
	}
	return max(rate, 0), nil
}

// members decodes a JSON object. Unknown members are errors.
func members(config json.RawMessage, to any) error {
	if len(config) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(config))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fault.Newf(fault.Metadata, "configuration: %v", err)
	}
	return nil
}
