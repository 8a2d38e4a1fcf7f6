package meta

import (
	"strconv"
	"strings"
)

// KeyEncoding determines the keys of chunks. KeyEncodings can be compared with ==.
type KeyEncoding struct {
	Name      string // "default" or "v2"
	Separator string // "/" or "."
	Suffix    string // suffix of every key, set by the registered extension "suffix"; usually ""
}

// Key returns the key of the chunk at coord in the chunk grid, relative to the array's path:
// "c/1/0", or "1.0" for v2.
func (k KeyEncoding) Key(coord []int) string {
	return string(k.AppendKey(make([]byte, 0, 2+8*len(coord)), coord))
}

// AppendKey appends the key of coord to dst.
func (k KeyEncoding) AppendKey(dst []byte, coord []int) []byte {
	sep := ""
	if k.Name != "v2" {
		dst, sep = append(dst, 'c'), k.Separator
	} else if len(coord) == 0 {
		dst = append(dst, '0')
	}
	for _, c := range coord {
		dst = append(dst, sep...)
		dst = strconv.AppendInt(dst, int64(c), 10)
		sep = k.Separator
	}
	return append(dst, k.Suffix...)
}

// Parse returns the coordinates of the chunk with the given key, in a grid of rank dimensions. ok
// is false if key is not a chunk key. Parse accepts only keys that Key returns, so numbers have
// neither a sign nor leading zeros.
func (k KeyEncoding) Parse(key string, rank int) (coord []int, ok bool) {
	if key, ok = strings.CutSuffix(key, k.Suffix); !ok {
		return nil, false
	}
	if k.Name != "v2" {
		if key, ok = strings.CutPrefix(key, "c"); !ok {
			return nil, false
		}
		if rank > 0 {
			if key, ok = strings.CutPrefix(key, k.Separator); !ok {
				return nil, false
			}
		}
	} else if rank == 0 {
		return []int{}, key == "0"
	}
	if rank == 0 {
		return []int{}, key == ""
	}
	if strings.Count(key, k.Separator) != rank-1 {
		return nil, false
	}
	coord = make([]int, 0, rank)
	for s := range strings.SplitSeq(key, k.Separator) {
		n, err := strconv.Atoi(s)
		if err != nil || strconv.Itoa(n) != s || n < 0 {
			return nil, false
		}
		coord = append(coord, n)
	}
	return coord, true
}
