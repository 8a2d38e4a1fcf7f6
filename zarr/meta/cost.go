package meta

import (
	"bytes"

	"github.com/zargo-io/zargo/zarr/fault"
)

// DefaultMemory is the default of Parser.Memory, the maximum number of bytes that the decoded
// attributes of a document may take. In consolidated metadata it bounds the attributes of each
// node, because nodes are parsed one by one. 128 MiB hold a million attributes, or a list of two
// million numbers.
const DefaultMemory = 128 << 20

// These are the sizes in bytes of decoded values, in go1.26 on a 64-bit machine. A map with members
// includes a group of eight slots of 32 bytes with a control word. Each further member or element
// takes its slot, in a table that may be a quarter empty, and its name. A string or json.Number
// takes its header and its bytes.
const (
	costEmpty  = 48
	costMap    = costEmpty + 288
	costMember = 48
	costList   = 24
	costItem   = 24
	costText   = 32
)

// cost estimates the memory that checked JSON takes when it is decoded. It stops when the estimate
// exceeds the limit.
func cost(raw []byte, limit int64) int64 {
	n := int64(costItem)
	for i := 0; i < len(raw) && n <= limit; i++ {
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

// afford must be called before a value is decoded. It subtracts the cost of the value from the
// memory that is left for the document, and returns fault.Limit if too little is left.
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

// modest returns fault.Limit for a member with more than maxElements values.
func (p place) modest(raw []byte) error {
	if len(raw) > maxElements && bytes.Count(raw, []byte(",")) > maxElements {
		return p.err(fault.Newf(fault.Limit, "the member has more than %d values", maxElements))
	}
	return nil
}
