package mutants

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Make copies a directory and damages the copy. The first path is that of the original, and the
// second that of the copy, which must not exist. The damage depends only on r. Make returns a
// description of the damage.
func Make(r *rand.Rand, from, to string) (string, error) {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return "", err
	}
	var documents, others []string
	err := filepath.WalkDir(to, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || e.IsDir():
		case isDocument(name):
			documents = append(documents, name)
		default:
			others = append(others, name)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	var did []string
	for range 1 + r.IntN(4)/3 {
		names, change := documents, changeDocument
		if len(documents) == 0 || len(others) > 0 && r.IntN(4) == 0 {
			names, change = others, changeBytes
		}
		if len(names) == 0 {
			continue
		}
		name := names[r.IntN(len(names))]
		b, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the file was removed
		}
		if err != nil {
			return "", err
		}
		b, what := change(r, b)
		if b == nil {
			err = os.Remove(name)
		} else {
			err = os.WriteFile(name, b, 0o666)
		}
		if err != nil {
			return "", err
		}
		short, _ := filepath.Rel(to, name)
		did = append(did, filepath.ToSlash(short)+": "+what)
	}
	return strings.Join(did, "; "), nil
}

func isDocument(name string) bool {
	switch path.Base(filepath.ToSlash(name)) {
	case "zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata":
		return true
	}
	return false
}

var (
	numbers = regexp.MustCompile(`-?\b[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?\b`)
	lists   = regexp.MustCompile(`\[[\s0-9,]*[0-9][\s0-9,]*\]`)
	texts   = regexp.MustCompile(`"[^"\\]*"`)
)

// changeDocument changes a number at one or all of its positions, a text, or a byte.
func changeDocument(r *rand.Rand, b []byte) ([]byte, string) {
	text := string(b)
	places := numbers.FindAllStringIndex(text, -1)
	if list := lists.FindAllStringIndex(text, -1); len(list) > 0 && r.IntN(4) > 0 { // a list such as a shape
		l := list[r.IntN(len(list))]
		places = numbers.FindAllStringIndex(text[:l[1]], -1)
		places = slices.DeleteFunc(places, func(p []int) bool { return p[0] < l[0] })
	}
	switch {
	case len(places) > 0 && r.IntN(10) < 8:
		p := places[r.IntN(len(places))]
		was, is := text[p[0]:p[1]], number(r)
		if r.IntN(3) == 0 { // a list with as many elements as the array has dimensions
			return []byte(numbers.ReplaceAllStringFunc(text, func(s string) string {
				if s == was {
					return is
				}
				return s
			})), "every " + was + " to " + is
		}
		return []byte(text[:p[0]] + is + text[p[1]:]), was + " to " + is
	case r.IntN(2) == 0:
		places := texts.FindAllString(text, -1)
		if len(places) == 0 {
			break
		}
		was, is := places[r.IntN(len(places))], places[r.IntN(len(places))]
		if r.IntN(2) == 0 {
			is = strconv.Quote(words[r.IntN(len(words))])
		}
		return []byte(strings.Replace(text, was, is, 1)), was + " to " + is
	}
	return changeBytes(r, b)
}

// words are names that occur in metadata.
var words = strings.Fields(`bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex128 string bytes r8 r64
	<f4 >f8 |u1 |S1000000000 <U1000000000 |O |b1 blosc zlib gzip zstd lz4 crc32c vlen-utf8 vlen-bytes transpose sharding_indexed start end
	default v2 . / F C regular rectangular NaN -Infinity array group null`)

// number returns a random number as text. Some results are lengths that exceed all memory.
func number(r *rand.Rand) string {
	switch r.IntN(16) {
	case 0, 1:
		return strconv.Itoa(r.IntN(10))
	case 2:
		return strconv.Itoa(-1 - r.IntN(3))
	case 3:
		return strconv.FormatFloat(r.ExpFloat64()*1e9, 'g', -1, 64)
	case 4, 5, 6, 7, 8, 9:
		return strconv.FormatUint(1<<r.IntN(64)+uint64(r.IntN(3))-1, 10)
	}
	return "1" + strings.Repeat("0", r.IntN(20))
}

// changeBytes changes bytes, the length, or the whole value. It returns nil to remove the value.
func changeBytes(r *rand.Rand, b []byte) ([]byte, string) {
	b = slices.Clone(b)
	n := len(b)
	switch k := r.IntN(8); {
	case k == 0:
		return nil, "removed"
	case k == 1 || n < 8:
		return append(b, make([]byte, 1+r.IntN(1000))...), "longer"
	case k == 2:
		return b[:r.IntN(n)], "shorter"
	case k == 3: // bytes that may be a length
		at := r.IntN(n - 4)
		for i := range 4 {
			b[at+i] = byte(r.Uint32() & r.Uint32())
		}
		return b, "four bytes at " + strconv.Itoa(at)
	case k == 4:
		at := r.IntN(n - 7)
		clear(b[at : at+8])
		b[at+r.IntN(8)] = 1 << r.IntN(8)
		return b, "eight bytes at " + strconv.Itoa(at)
	case k == 5:
		at := r.IntN(n)
		return append(b[:at], b[r.IntN(n):]...), "spliced at " + strconv.Itoa(at)
	}
	at := r.IntN(min(n, 1<<r.IntN(20)))
	b[at] ^= 1 << r.IntN(8)
	return b, "a bit at " + strconv.Itoa(at)
}
