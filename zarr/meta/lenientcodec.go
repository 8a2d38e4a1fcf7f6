package meta

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
)

// bytesName is the name of the codec that encodes elements as bytes. draftBytes is the name that
// drafts of v3 gave this codec until 2023.
const (
	bytesName  = "bytes"
	draftBytes = "endian"
)

// spelledCodec reports tolerated violations in the configuration of a codec whose input elements
// have type elem.
func (config object) spelledCodec(n Named, elem dtype.Type, depth int) error {
	if !config.judged() || depth > maxNested {
		return nil
	}
	if err := config.spelledBytes(n, elem); err != nil {
		return err
	}
	if n.Name == "sharding_indexed" && config.get("index_codecs") == nil {
		if err := config.lenient(rule.NoIndexCodecs, ""); err != nil {
			return err
		}
	}
	if lacks := config.lacks(n.Name); lacks != "" {
		if err := config.lenient(rule.CodecDefault, n.Name+" without "+lacks); err != nil {
			return err
		}
	}
	for _, m := range config.all {
		p := config.member(m.name)
		switch {
		case m.raw[0] == '[' && (m.name == "codecs" || m.name == "index_codecs"):
			all, err := p.list(m.raw)
			if err != nil {
				return err
			}
			enters := elem
			if m.name == "index_codecs" {
				enters = dtype.Uint64
			}
			for i, raw := range all {
				inner, config, err := p.index(i).named(raw)
				if err != nil {
					return nil //nolint:nilerr // the error is reported when the codecs are bound
				}
				if err := config.spelledCodec(inner, enters, depth+1); err != nil {
					return err
				}
				enters = config.leaving(inner, enters)
			}
		case n.Name == "gzip" && m.name == "level" && string(m.raw) == "-1":
			if err := p.lenient(rule.CodecRange, "level -1, which is zlib's default"); err != nil {
				return err
			}
		case bytes.Contains(m.raw, []byte(signedInfinity)) && (n.Name == "scale_offset" || n.Name == "cast_value"):
			if err := p.lenient(rule.FillSpelling, signedInfinity+" is not "+plainInfinity); err != nil {
				return err
			}
		case isWhole(n.Name, m.name) && fraction(m.raw):
			if err := p.lenient(rule.NumberSpelling, brief(m.raw)); err != nil {
				return err
			}
		}
	}
	return nil
}

// spelledBytes checks the name and the byte order of the codec that encodes elements as bytes.
func (config object) spelledBytes(n Named, elem dtype.Type) error {
	if n.Name == draftBytes {
		if err := config.up.lenient(rule.DraftCodec, draftBytes+", not "+bytesName); err != nil {
			return err
		}
	}
	if n.Name != bytesName && n.Name != draftBytes || config.get("endian") != nil || !elem.HasOrder() {
		return nil
	}
	if s, ok := elem.(*dtype.Struct); ok && s.Legacy() {
		return nil // such structures usually lack a byte order and are always little-endian
	}
	return config.lenient(rule.NoEndian, fmt.Sprint(elem))
}

// leaving returns the type of the elements that a codec outputs for elements of type elem. Callers
// use the type only to check whether the elements have a byte order.
func (config object) leaving(n Named, elem dtype.Type) dtype.Type {
	var out dtype.Type
	var err error
	types := config.with.types()
	switch raw := config.get; n.Name {
	case "cast_value":
		if t := raw("data_type"); t != nil {
			out, err = types.ParseV3(t)
		}
	case numcodecs + "astype":
		if t := raw("encode_dtype"); t != nil {
			out, _, err = types.ParseV2(t, "")
		}
	case numcodecs + "delta", numcodecs + "fixedscaleoffset", numcodecs + "quantize":
		if t := raw("astype"); t != nil && t[0] == '"' {
			out, _, err = types.ParseV2(t, "")
		}
	case numcodecs + "packbits":
		out = dtype.Uint8
	}
	if out == nil || err != nil {
		return elem // errors are reported when the codecs are bound
	}
	return out
}

// lacks returns the name of a required member that a codec's configuration lacks, or "".
func (config object) lacks(codec string) string {
	var must []string
	switch codec {
	case "gzip", "zstd":
		must = []string{"level"}
	case "blosc":
		must = []string{"cname", "clevel", "shuffle", "blocksize"}
		if string(config.get("shuffle")) != `"noshuffle"` {
			must = append(must, "typesize")
		}
	}
	for _, name := range must {
		raw := config.get(name)
		if raw == nil || string(raw) == "null" && (name == "shuffle" || name == "typesize") {
			return name
		}
	}
	return ""
}

// isWhole reports whether the value of a codec's configuration member must be an integer or a list
// of integers.
func isWhole(codec, member string) bool {
	switch member {
	case "level", "clevel", "typesize", "blocksize", "order", "chunk_shape", "keepbits", "first_bit", "last_bit":
		return !strings.HasPrefix(codec, numcodecs)
	}
	return false
}

// fraction reports whether a number, or a number in a list, is written with a point or an exponent.
func fraction(raw []byte) bool {
	return raw[0] != '"' && raw[0] != '{' && bytes.ContainsAny(raw, ".eE") && !bytes.ContainsAny(raw, "a\"")
}
