package transfer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Encode returns the plan's JSON form. Equal plans have equal encodings.
func (p *Plan) Encode() []byte {
	var n byteCount
	p.encode(&n)
	b := bytes.NewBuffer(make([]byte, 0, n))
	p.encode(b)
	return b.Bytes()
}

// maxPlan is the maximum size of an encoded plan in bytes. 256 MiB is the size of the documents of
// a hundred thousand arrays.
const maxPlan = 256 << 20

// byteCount counts the bytes that are written to it.
type byteCount int

func (n *byteCount) Write(b []byte) (int, error) {
	*n += byteCount(len(b))
	return len(b), nil
}

// encode writes the plan's JSON form. A document may be long, so it is written in pieces: besides
// the plan, encode takes memory only for the names of the documents and for the stages. w must not
// return errors.
func (p *Plan) encode(w io.Writer) {
	all := []*map[string]string{&p.Documents.Source, &p.Documents.Target, &p.Documents.Temporary}
	short := *p
	for i, to := range []*map[string]string{&short.Documents.Source, &short.Documents.Target, &short.Documents.Temporary} {
		if *to = maps.Clone(*all[i]); *to != nil {
			for name := range *to {
				(*to)[name] = ""
			}
		}
	}
	rest := indented(&short)
	for _, docs := range all {
		for _, name := range slices.Sorted(maps.Keys(*docs)) {
			line := "\n   " + string(bytes.TrimSuffix(indented(name), []byte("\n"))) + `: "`
			end := bytes.Index(rest, []byte(line)) + len(line)
			_, _ = w.Write(rest[:end])
			writeText(w, (*docs)[name])
			rest = rest[end:]
		}
	}
	_, _ = w.Write(rest)
}

// indented returns v as indented JSON that ends in a new line.
func indented(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	_ = e.Encode(v) // cannot fail: strings and numbers, into memory
	return b.Bytes()
}

// writeText writes the contents of a JSON string, 64 KiB at a time.
func writeText(w io.Writer, s string) {
	for len(s) > 0 {
		n := min(len(s), 64<<10)
		for k := 0; k < utf8.UTFMax && n < len(s) && !utf8.RuneStart(s[n]); k++ {
			n--
		}
		b := indented(s[:n])
		_, _ = w.Write(b[1 : len(b)-2]) // without the quotes and the new line
		s = s[n:]
	}
}

// Decode parses a plan and checks it with [Plan.Check], whose errors it returns.
//
// Decode returns errors.ErrUnsupported if the plan has another version, fault.Metadata if b is not
// a plan, and fault.Limit if b is longer than 256 MiB.
func Decode(b []byte, opts ...zarr.Option) (*Plan, error) {
	if len(b) > maxPlan {
		return nil, fault.Newf(fault.Limit, "transfer: the plan has %d bytes, more than the maximum of %d", len(b), maxPlan)
	}
	var v struct {
		Version *int `json:"zargo_transfer_plan"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, fault.Newf(fault.Metadata, "transfer: not a plan: %v", err)
	}
	if v.Version == nil {
		return nil, fault.Newf(fault.Metadata, "transfer: not a plan: the member zargo_transfer_plan is missing")
	}
	p := &Plan{Version: *v.Version}
	if err := p.checkVersion(); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		return nil, fault.Newf(fault.Metadata, "transfer: plan: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fault.Newf(fault.Metadata, "transfer: the plan is followed by more data")
	}
	return p, p.Check(opts...)
}

// ID returns a hash of the plan's contents: 32 hexadecimal digits.
func (p *Plan) ID() string {
	h := sha256.New()
	p.encode(h)
	return hex.EncodeToString(h.Sum(nil)[:16])
}
