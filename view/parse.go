package view

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/bits/codectext"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Parse returns the options in a JSON object, such as
//
//	{"chunks": {"time": 1, "lat": 180}, "shards": {"time": 24}, "codecs": ["zstd:3"], "format": 3,
//	 "decode": true, "sel": "time=2026-01,lat=40:50", "vars": ["t2m"]}
//
// All members are optional. "shards" may also be "none". A codec is a text as for the option
// --codec of the command, or an object as in metadata. "sel" is a text for dataset.Parse. The error
// is fault.Metadata for other members and for values of other types, and fault.Selection for a
// malformed selection.
func Parse(text []byte) (o Options, err error) {
	var in struct {
		Chunks map[string]int    `json:"chunks"`
		Shards json.RawMessage   `json:"shards"`
		Codecs []json.RawMessage `json:"codecs"`
		Format int               `json:"format"`
		Decode bool              `json:"decode"`
		Sel    string            `json:"sel"`
		Vars   []string          `json:"vars"`
	}
	if err := strict(text, &in); err != nil {
		return o, err
	}
	o = Options{Format: in.Format, Chunks: in.Chunks, Decode: in.Decode, Vars: in.Vars}
	if o.NoShards = string(in.Shards) == `"none"`; !o.NoShards && in.Shards != nil {
		if err := strict(in.Shards, &o.Shards); err != nil {
			return o, err
		}
	}
	if in.Codecs != nil {
		o.Codecs = []codec.Spec{}
	}
	for _, raw := range in.Codecs {
		var of string
		if raw[0] == '{' {
			of = string(raw)
		} else if err := strict(raw, &of); err != nil {
			return o, err
		}
		s, err := codectext.Parse(of)
		if err != nil {
			return o, err
		}
		o.Codecs = append(o.Codecs, s)
	}
	if strings.TrimSpace(in.Sel) != "" {
		if o.Sel, err = dataset.Parse(in.Sel); err != nil {
			return o, err
		}
	}
	return o, o.check()
}

// strict decodes one JSON value without unknown members.
func strict(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(to)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("the object is followed by more text")
		}
	}
	if err != nil {
		return fault.Newf(fault.Metadata, "options of a view: %w", err)
	}
	return nil
}

// check returns fault.Selection for options that no view can have.
func (o *Options) check() error {
	switch {
	case o.Format != 0 && o.Format != 2 && o.Format != 3:
		return fault.Newf(fault.Selection, "the format of a view must be 2 or 3, is %d", o.Format)
	case len(o.Shards) > 0 && (o.Format == 2 || o.NoShards):
		return fault.Newf(fault.Selection, "shards need format 3, and exclude NoShards")
	case o.Cache < 0 || o.Memory < 0 || o.Fresh < 0:
		return fault.Newf(fault.Selection, "Cache, Memory and Fresh must not be negative")
	}
	for _, lengths := range []map[string]int{o.Chunks, o.Shards} {
		for name, n := range lengths {
			if n < 1 {
				return fault.Newf(fault.Selection, "chunks and shards must have at least 1 element along %q, not %d", name, n)
			}
		}
	}
	return nil
}
