package codec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

func cutNumcodecs(name string) (id string, ok bool) { return strings.CutPrefix(name, numcodecs) }

func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(`{}`)
	}
	return raw
}

// FromNumcodecs names a codec of v2 metadata: an id and numcodecs' configuration, with or without the id in it.
func FromNumcodecs(id string, config json.RawMessage) Spec {
	s := Spec{Name: numcodecs + id, Config: config}
	var members map[string]json.RawMessage
	if json.Unmarshal(config, &members) != nil {
		return s // Bind says what is wrong
	}
	if _, ok := members["id"]; ok {
		delete(members, "id")
		var b bytes.Buffer
		out := json.NewEncoder(&b)
		out.SetEscapeHTML(false) // "<f4" is a data type
		if out.Encode(members) == nil {
			s.Config = bytes.TrimSpace(b.Bytes())
		}
	}
	return s
}

// ParseSpec reads a codec as people write it:
//
//	zstd  zstd:3  zstd:3:checksum     level
//	gzip:5  zlib:1  numcodecs.zstd:1  level
//	blosc:lz4:5:shuffle:65536         compressor, level, shuffle, block size; all optional
//	bz2:9  lzma:6  lz4:1  shuffle:4   level, preset, acceleration, bytes of an element; numcodecs'
//	base64  crc32  adler32  fletcher32  jenkins_lookup3:0  the number is the seed; numcodecs'
//	crc32c
//	bytes  bytes:big
//	transpose:1,0                     order of the axes
//	name{"level":3}                   any codec with a configuration
//	{"name":"zstd","configuration":{"level":3}}  as in v3 metadata
//	{"id":"zstd","level":3}           as in v2 metadata
//
// fault.Metadata for anything else. Whether a codec of that name exists is for the table to say.
func ParseSpec(text string) (Spec, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		return parseObject(text)
	}
	if name, config, ok := strings.Cut(text, "{"); ok {
		return checked(text, Spec{Name: name, Config: json.RawMessage("{" + config)})
	}
	name, rest, given := strings.Cut(text, ":")
	var p arguments
	if given {
		p.left = strings.Split(rest, ":")
	}
	var s Spec
	switch name {
	case "zstd":
		level := p.integer(0)
		switch p.word("") {
		case "":
			s = Zstd(level)
		case "checksum":
			s = ZstdChecksum(level)
		default:
			p.bad = true
		}
	case "gzip":
		s = Gzip(p.integer(5))
	case "zlib":
		s = Zlib(p.integer(1))
	case numcodecs + "zlib", numcodecs + "gzip":
		s = newSpec(name, `{"level":%d}`, p.integer(1))
	case numcodecs + "zstd":
		s = newSpec(name, `{"level":%d}`, p.integer(0))
	case "blosc":
		o := BloscOptions{Cname: p.word(""), Level: p.integer(5), Shuffle: p.word(""), BlockSize: p.integer(0)}
		if o.Level == 0 {
			o.Level = Stored
		}
		s = Blosc(o)
	case "bytes":
		switch order := p.word(""); order {
		case "":
			s = Bytes(dtype.NoOrder)
		case "little":
			s = Bytes(dtype.Little)
		case "big":
			s = Bytes(dtype.Big)
		default:
			p.bad = true
		}
	case "transpose":
		s = Transpose(p.list()...)
	default:
		var ok bool
		if s, ok = parseNumcodecs(name, &p); !ok {
			s = Spec{Name: name}
		}
	}
	if p.bad || len(p.left) > 0 {
		return Spec{}, fault.Newf(fault.Metadata, "codec %.200q is not understood: %s", text, form(name))
	}
	return checked(text, s)
}

// form tells how a codec is written.
func form(name string) string {
	forms := map[string]string{
		"zstd":             "zstd:LEVEL or zstd:LEVEL:checksum",
		"gzip":             "gzip:LEVEL",
		"zlib":             "zlib:LEVEL",
		numcodecs + "zstd": "numcodecs.zstd:LEVEL",
		numcodecs + "gzip": "numcodecs.gzip:LEVEL",
		numcodecs + "zlib": "numcodecs.zlib:LEVEL",
		"blosc":            "blosc:COMPRESSOR:LEVEL:SHUFFLE:BLOCKSIZE, such as blosc:lz4:5:shuffle",
		"bytes":            "bytes:little or bytes:big",
		"transpose":        "transpose:AXIS,AXIS…, such as transpose:1,0",
		"bz2":              "bz2:LEVEL",
		"lzma":             "lzma:PRESET",
		"lz4":              "lz4:ACCELERATION",
		"shuffle":          "shuffle:BYTES, those of an element",
		"jenkins_lookup3":  "jenkins_lookup3:SEED",
	}
	if f, ok := forms[name]; ok {
		return "it is written " + f
	}
	if _, short := parseNumcodecs(name, &arguments{}); short || name == "crc32c" {
		return "it takes nothing"
	}
	names := Builtin().Names()
	if slices.Contains(names, name) {
		return fmt.Sprintf(`its configuration is written as JSON, %s{"member":value}`, name)
	}
	if like := similar(name, names); like != "" {
		return fmt.Sprintf("is %q meant?", like)
	}
	return fmt.Sprintf(`the configuration of a codec that is not known here is written as JSON, %.80s{"member":value}`, name)
}

// arguments takes the arguments of a codec one by one.
type arguments struct {
	left []string
	bad  bool
}

// next is the next argument; not ok when there is none or it is left empty.
func (p *arguments) next() (string, bool) {
	if len(p.left) == 0 {
		return "", false
	}
	s := p.left[0]
	p.left = p.left[1:]
	return s, s != ""
}

func (p *arguments) word(def string) string {
	if s, ok := p.next(); ok {
		return s
	}
	return def
}

func (p *arguments) integer(def int) int {
	s, ok := p.next()
	if !ok {
		return def
	}
	n, err := strconv.Atoi(s)
	p.bad = p.bad || err != nil
	return n
}

func (p *arguments) list() []int {
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

// parseObject reads JSON as metadata of either format has it.
func parseObject(text string) (Spec, error) {
	var m struct {
		Name *json.RawMessage
		ID   *string
	}
	if err := json.Unmarshal([]byte(text), &m); err == nil && m.ID != nil && m.Name == nil {
		return checked(text, FromNumcodecs(*m.ID, json.RawMessage(text)))
	}
	return parseNamed(text)
}

// parseNamed reads JSON as v3 metadata has it.
func parseNamed(text string) (Spec, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return Spec{}, fault.Newf(fault.Metadata, "codec %.200q: %v", text, err)
	}
	var s Spec
	if json.Unmarshal(m["name"], &s.Name) != nil {
		return Spec{}, fault.Newf(fault.Metadata, "codec %.200q has no name", text)
	}
	for key, raw := range m {
		switch key {
		case "name":
		case "configuration":
			s.Config = raw
		case "must_understand": // which excuses no codec
			if string(raw) != "true" && string(raw) != "false" {
				return Spec{}, fault.Newf(fault.Metadata, "codec %.200q: must_understand is %.80s", text, raw)
			}
		default:
			return Spec{}, fault.Newf(fault.Metadata, "codec %.200q: unknown member %.80q", text, key)
		}
	}
	return checked(text, s)
}

// checked makes sure that a Spec can be put into metadata.
func checked(text string, s Spec) (Spec, error) {
	if s.Name == "" || strings.ContainsAny(s.Name, " \t\n\"{}:,") {
		return Spec{}, fault.Newf(fault.Metadata, "codec %.200q has no name", text)
	}
	if s.Config == nil {
		return s, nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, s.Config); err != nil || b.Bytes()[0] != '{' {
		return Spec{}, fault.Newf(fault.Metadata, "codec %.200q: the configuration is no JSON object", text)
	}
	s.Config = b.Bytes()
	return s, nil
}

// String is a form that ParseSpec reads, the short one where there is one. The element size of blosc is left out of
// that: it is the data type's.
func (s Spec) String() string {
	if short, ok := s.short(); ok {
		return short
	}
	var b bytes.Buffer
	if err := json.Compact(&b, s.Config); err != nil {
		return s.Name + string(s.Config)
	}
	return s.Name + b.String()
}

func (s Spec) short() (string, bool) {
	c := openConfig(s.Config)
	if len(c.members) == 0 && c.err == nil {
		switch s.Name {
		case "zstd", "gzip", "blosc", "transpose", numcodecs + "zlib", numcodecs + "gzip", numcodecs + "zstd":
			return s.Name + "{}", true // the name alone would be read as the default
		}
		return s.Name, true
	}
	text := s.Name
	const lo, hi = -1 << 31, 1<<31 - 1
	switch s.Name {
	case "zstd", "gzip", numcodecs + "zlib", numcodecs + "gzip", numcodecs + "zstd":
		text = fmt.Sprintf("%s:%d", strings.Replace(s.Name, numcodecs+"zlib", "zlib", 1), c.integer("level", 0, lo, hi))
		if s.Name == "zstd" && c.boolean("checksum", false) {
			text += ":checksum"
		}
	case "bytes":
		text += ":" + c.text("endian", "little", "little", "big")
	case "transpose":
		raw, _ := c.take("order")
		var list []int
		if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
			return "", false
		}
		text += ":" + strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ",")
	case "blosc":
		c.take("typesize")
		text += fmt.Sprintf(":%s:%d", c.text("cname", "zstd", cnames[:]...), c.integer("clevel", 5, 0, 9))
		shuffle, block := c.text("shuffle", "", "noshuffle", "shuffle", "bitshuffle"), c.integer("blocksize", 0, 0, hi)
		if shuffle != "" || block != 0 {
			text += ":" + shuffle
		}
		if block != 0 {
			text += fmt.Sprintf(":%d", block)
		}
	default:
		id, _ := cutNumcodecs(s.Name)
		return shortNumcodecs(id, c)
	}
	return text, c.close() == nil
}
