package meta

import (
	"bytes"

	"github.com/zargo-io/zargo/zarr/fault"
)

// DefaultMemory is how many bytes of memory the attributes of a document may take as Go values, all
// those in consolidated metadata together. 128 MiB: a million attributes, or a list of two million
// numbers.
const DefaultMemory = 128 << 20

// What values take in memory, of go1.26 on 64 bits: of a map that has members the map, a group of
// eight slots of 32 bytes and their control word; of a member beyond those, and of an element, its
// slot in what may be a quarter empty, and the name; of a string or a json.Number its header and
// its bytes.
const (
	costEmpty  = 48
	costMap    = costEmpty + 288
	costMember = 48
	costList   = 24
	costItem   = 24
	costText   = 32
)

// cost estimates what checked JSON takes as Go values, in one pass over it that ends when it is
// more than most.
func cost(raw []byte, most int64) int64 {
	n := int64(costItem)
	for i := 0; i < len(raw) && n <= most; i++ {
		switch c := raw[i]; c {
		case ' ', '\t', '\r', '\n', '}', ']':
		case '{':
			n += costMap
			k := i + 1
			for k < len(raw) && (raw[k] == ' ' || raw[k] == '\n' || raw[k] == '\r' || raw[k] == '\t') {
				k++
			}
			if k < len(raw) && raw[k] == '}' {
				n += costEmpty - costMap
			}
		case '[':
			n += costList
		case ',':
			n += costItem
		case ':':
			n += costMember - costText
		case '"':
			from := i
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
			n += costText + int64(i-from)
		default: // a number or a word
			from := i
			for i+1 < len(raw) && raw[i+1] > ',' && raw[i+1] != ']' && raw[i+1] != '}' {
				i++
			}
			n += costText + int64(i-from)
		}
	}
	return n
}

// afford takes what a value costs from what the document may take, before it is decoded.
func (p place) afford(raw []byte) error {
	if p.left == nil {
		return nil
	}
	if *p.left -= cost(raw, *p.left); *p.left < 0 {
		return p.err(fault.Newf(fault.Limit, "the values of the document take more than %d bytes of memory", p.with.memory()))
	}
	return nil
}

func (with Parser) memory() int64 {
	if with.Memory > 0 {
		return with.Memory
	}
	return DefaultMemory
}

// modest refuses a member other than attributes that has so many values that it is no metadata.
func (p place) modest(raw []byte) error {
	if len(raw) > maxElements && bytes.Count(raw, []byte(",")) > maxElements {
		return p.err(fault.Newf(fault.Limit, "more than %d values", maxElements))
	}
	return nil
}
