package codectext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/optional"
	"github.com/zargo-io/zargo/zarr/codec/pcodec"
	"github.com/zargo-io/zargo/zarr/codec/zfp"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Parse parses a codec in the form of the command line, which is also how codec.Spec prints
// it:
//
//	zstd  zstd:3  zstd:3:checksum     level
//	gzip:5  zlib:1  numcodecs.zstd:1  level
//	blosc:lz4:5:shuffle:65536         compressor, level, shuffle, block size; all optional
//	bz2:9  lzma:6  lz4:1  shuffle:4   level, preset, acceleration, bytes of an element; of numcodecs
//	pcodec:8                          level; of numcodecs
//	base64  crc32  adler32  fletcher32  jenkins_lookup3:0  the number is the seed; of numcodecs
//	crc32c
//	bytes  bytes:big
//	transpose:1,0                     order of the axes
//	name{"level":3}                   any codec with a configuration
//	{"name":"zstd","configuration":{"level":3}}  as in v3 metadata
//	{"id":"zstd","level":3}           as in v2 metadata
//
// It returns fault.Metadata for other texts. It does not check that a codec of that name exists.
func Parse(text string) (codec.Spec, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		return parseCodecJSON(text)
	}
	if name, config, ok := strings.Cut(text, "{"); ok {
		return checkedCodec(text, codec.Spec{Name: name, Config: json.RawMessage("{" + config)})
	}
	name, rest, given := strings.Cut(text, ":")
	var p codecArguments
	if given {
		p.left = strings.Split(rest, ":")
	}
	var s codec.Spec
	switch name {
	case "zstd":
		level := p.integer(0)
		switch p.word("") {
		case "":
			s = codec.Zstd(level)
		case "checksum":
			s = codec.Spec{Name: name, Config: fmt.Appendf(nil, `{"level":%d,"checksum":true}`, level)}
		default:
			p.bad = true
		}
	case "gzip":
		s = codec.Gzip(p.integer(5))
	case "zlib":
		s = codec.Zlib(p.integer(1))
	case "numcodecs.zlib", "numcodecs.gzip":
		s = codec.Spec{Name: name, Config: fmt.Appendf(nil, `{"level":%d}`, p.integer(1))}
	case "numcodecs.zstd":
		s = codec.Spec{Name: name, Config: fmt.Appendf(nil, `{"level":%d}`, p.integer(0))}
	case "blosc":
		o := codec.BloscOptions{Cname: p.word(""), Level: p.integer(5), Shuffle: p.word(""), BlockSize: p.integer(0)}
		if o.Level == 0 {
			o.Level = codec.Stored
		}
		s = codec.Blosc(o)
	case "bytes":
		switch order := p.word(""); order {
		case "":
			s = codec.Bytes(dtype.NoOrder)
		case "little":
			s = codec.Bytes(dtype.Little)
		case "big":
			s = codec.Bytes(dtype.Big)
		default:
			p.bad = true
		}
	case "transpose":
		s = codec.Transpose(p.list()...)
	default:
		var ok bool
		if s, ok = parseNumcodecs(name, &p); !ok {
			s = codec.Spec{Name: name}
		}
	}
	if p.bad || len(p.left) > 0 {
		return codec.Spec{}, fault.Newf(fault.Metadata, "codec %.200q is malformed: %s", text, codecForm(name))
	}
	return checkedCodec(text, s)
}

// Known returns the table of the codecs of this module, including those that are not built in.
func Known() *codec.Table { return optional.Add(zfp.Add(pcodec.Add(codec.Builtin()))) }

// codecForm returns the command line form of a codec.
func codecForm(name string) string {
	forms := map[string]string{
		"zstd":            "zstd:LEVEL or zstd:LEVEL:checksum",
		"gzip":            "gzip:LEVEL",
		"zlib":            "zlib:LEVEL",
		"numcodecs.zstd":  "numcodecs.zstd:LEVEL",
		"numcodecs.gzip":  "numcodecs.gzip:LEVEL",
		"numcodecs.zlib":  "numcodecs.zlib:LEVEL",
		"blosc":           "blosc:COMPRESSOR:LEVEL:SHUFFLE:BLOCKSIZE, such as blosc:lz4:5:shuffle",
		"bytes":           "bytes:little or bytes:big",
		"transpose":       "transpose:AXIS,AXIS…, such as transpose:1,0",
		"bz2":             "bz2:LEVEL",
		"lzma":            "lzma:PRESET",
		"lz4":             "lz4:ACCELERATION",
		"shuffle":         "shuffle:BYTES, with the size of an element",
		"pcodec":          "pcodec:LEVEL",
		"jenkins_lookup3": "jenkins_lookup3:SEED",
	}
	if f, ok := forms[name]; ok {
		return "it must have the form " + f
	}
	if _, short := parseNumcodecs(name, &codecArguments{}); short || name == "crc32c" {
		return "it has no arguments"
	}
	hint := fmt.Sprintf(`its configuration is written as JSON, %.80s{"member":value}`, name)
	if slices.Contains(Known().Names(), name) {
		return hint
	}
	if _, err := Known().Bind(codec.Spec{Name: name}, codec.Repr{Type: dtype.Uint8}); err != nil {
		hint += "; " + err.Error() // err suggests a similar name
	}
	return hint
}

// codecArguments iterates over the arguments of a codec.
type codecArguments struct {
	left []string
	bad  bool
}

// next returns the next argument. It returns false if none is left or the argument is empty.
func (p *codecArguments) next() (string, bool) {
	if len(p.left) == 0 {
		return "", false
	}
	s := p.left[0]
	p.left = p.left[1:]
	return s, s != ""
}

func (p *codecArguments) word(def string) string {
	if s, ok := p.next(); ok {
		return s
	}
	return def
}

func (p *codecArguments) integer(def int) int {
	s, ok := p.next()
	if !ok {
		return def
	}
	n, err := strconv.Atoi(s)
	p.bad = p.bad || err != nil
	return n
}

func (p *codecArguments) list() []int {
	s, ok := p.next()
	if !ok {
		p.bad = true
		return nil
	}
	var list []int
	for f := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(f)
		p.bad = p.bad || err != nil
		list = append(list, n)
	}
	return list
}

// parseNumcodecs parses the short form of a codec that exists only in numcodecs.
func parseNumcodecs(name string, p *codecArguments) (codec.Spec, bool) {
	switch name {
	case "bz2":
		return codec.BZ2(p.integer(1)), true
	case "lzma":
		return codec.LZMA(p.integer(6)), true
	case "lz4":
		return codec.LZ4(p.integer(1)), true
	case "shuffle":
		return codec.Shuffle(p.integer(4)), true
	case "base64":
		return codec.Base64(), true
	case "crc32":
		return codec.CRC32(), true
	case "adler32":
		return codec.Adler32(), true
	case "fletcher32":
		return codec.Fletcher32(), true
	case "pcodec":
		return pcodec.Level(p.integer(8)), true
	case "jenkins_lookup3":
		seed := int64(p.integer(0))
		p.bad = p.bad || seed < 0 || seed > math.MaxUint32
		return codec.JenkinsLookup3(uint32(seed)), true
	}
	return codec.Spec{}, false
}

// parseCodecJSON parses a codec in the JSON form of v2 or v3 metadata.
func parseCodecJSON(text string) (codec.Spec, error) {
	bad := func(format string, args ...any) (codec.Spec, error) {
		return codec.Spec{}, fault.Newf(fault.Metadata, "codec %.200q: %w", text, fmt.Errorf(format, args...))
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return bad("%w", err)
	}
	var s codec.Spec
	if _, named := m["name"]; !named && json.Unmarshal(m["id"], &s.Name) == nil && s.Name != "" {
		return checkedCodec(text, codec.FromNumcodecs(s.Name, json.RawMessage(text)))
	}
	if json.Unmarshal(m["name"], &s.Name) != nil {
		return bad("it has no name")
	}
	s.Config = m["configuration"]
	if u := string(m["must_understand"]); u != "" && u != "true" && u != "false" { // "false" does not make a codec optional
		return bad("must_understand is %.80s", u)
	}
	for key := range m {
		if key != "name" && key != "configuration" && key != "must_understand" {
			return bad("unknown member %.80q", key)
		}
	}
	return checkedCodec(text, s)
}

// checkedCodec checks that a codec can be written to metadata.
func checkedCodec(text string, s codec.Spec) (codec.Spec, error) {
	if s.Name == "" || strings.ContainsAny(s.Name, " \t\n\"{}:,") {
		return codec.Spec{}, fault.Newf(fault.Metadata, "codec %.200q has no name", text)
	}
	if s.Config == nil {
		return s, nil
	}
	config, err := compact(s.Config)
	if err != nil || config[0] != '{' {
		return codec.Spec{}, fault.Newf(fault.Metadata, "codec %.200q: the configuration is not a JSON object", text)
	}
	s.Config = config
	return s, nil
}

func compact(doc []byte) ([]byte, error) {
	var b bytes.Buffer
	err := json.Compact(&b, doc)
	return b.Bytes(), err
}
