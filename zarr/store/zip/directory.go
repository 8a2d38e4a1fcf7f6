package zip

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	sigLocal   = 0x04034b50
	sigCentral = 0x02014b50
	sigEnd     = 0x06054b50
	sigEnd64   = 0x06064b50
	sigLocator = 0x07064b50

	lenLocal   = 30
	lenCentral = 46
	lenEnd     = 22
	lenEnd64   = 56
	lenLocator = 20

	// Compression methods (APPNOTE 4.4.5).
	stored     = 0
	deflated   = 8
	bzipped    = 12
	lzmaPacked = 14

	flagsEncrypted = 1<<0 | 1<<6 | 1<<13 // encrypted, strongly encrypted, masked
	flagPatch      = 1 << 5

	extra64 = 1 // id of the extra field with sizes of 64 bits
)

var le = binary.LittleEndian

func corrupt(format string, args ...any) error {
	return fault.Newf(fault.Corrupt, "zip: "+format, args...)
}

// end holds the fields of the end records of an archive that describe the directory.
type end struct {
	count, size, offset uint64
	exact               bool  // count is the exact number and not its lower 16 bits
	at                  int64 // end of the directory: offset of the first record after it
}

// tail holds the last bytes of an archive.
type tail struct {
	bytes []byte
	off   int64 // offset of the first byte in the archive
}

// findEnd returns the index of the end record in the tail (APPNOTE 4.3.16). The archive must end
// with the comment of this record.
func (t tail) findEnd() (int, error) {
	for i := len(t.bytes) - lenEnd; i >= max(0, len(t.bytes)-lenEnd-math.MaxUint16); i-- {
		if b := t.bytes[i:]; le.Uint32(b) == sigEnd && lenEnd+int(le.Uint16(b[20:])) == len(b) {
			return i, nil
		}
	}
	return 0, corrupt("no end record: the value is not a complete zip archive")
}

// parseEnd reads the end record, or the zip64 end record if there is one.
func (t tail) parseEnd() (end, error) {
	i, err := t.findEnd()
	if err != nil {
		return end{}, err
	}
	b := t.bytes[i:]
	if le.Uint16(b[4:]) != le.Uint16(b[6:]) || le.Uint16(b[4:]) != 0 && le.Uint16(b[4:]) != math.MaxUint16 {
		return end{}, fault.Newf(errUnsupported, "zip: the archive is split over several files")
	}
	e := end{count: uint64(le.Uint16(b[10:])), size: uint64(le.Uint32(b[12:])), offset: uint64(le.Uint32(b[16:])), at: t.off + int64(i)}
	if i < lenLocator || le.Uint32(t.bytes[i-lenLocator:]) != sigLocator {
		return e, nil
	}
	return t.parseEnd64(i - lenLocator)
}

// parseEnd64 reads the zip64 end record (APPNOTE 4.3.14). It expects the record directly before its
// locator. It does not use the offset in the locator, because this offset is wrong if there is data
// before the archive.
func (t tail) parseEnd64(locator int) (end, error) {
	i := locator - lenEnd64
	if i < 0 || le.Uint32(t.bytes[i:]) != sigEnd64 || le.Uint64(t.bytes[i+4:]) != lenEnd64-12 {
		return end{}, corrupt("zip64 end record is missing before its locator")
	}
	b := t.bytes[i:]
	if le.Uint32(b[16:]) != 0 || le.Uint32(b[20:]) != 0 {
		return end{}, fault.Newf(errUnsupported, "zip: the archive is split over several files")
	}
	return end{
		count: le.Uint64(b[32:]), size: le.Uint64(b[40:]), offset: le.Uint64(b[48:]), exact: true, at: t.off + int64(i),
	}, nil
}

// place returns the offset of the directory and the number of bytes before the archive.
func (e end) place(limit int64) (off, base int64, err error) {
	if e.size > uint64(e.at) || e.offset > uint64(e.at)-e.size {
		return 0, 0, corrupt("directory of %d bytes at offset %d does not end before %d", e.size, e.offset, e.at)
	}
	if e.size > uint64(limit) {
		return 0, 0, fault.Newf(fault.Limit, "zip: the directory has %d bytes, want at most %d", e.size, limit)
	}
	if e.exact && e.count > e.size/lenCentral {
		return 0, 0, corrupt("%d entries do not fit in a directory of %d bytes", e.count, e.size)
	}
	off = e.at - int64(e.size)
	return off, off - int64(e.offset), nil
}

// entry is the directory entry of a value. Sizes and offsets are not validated when the directory
// is read.
type entry struct {
	key    string // name relative to the store's root
	name   string // name in the directory and in the local header
	off    int64  // offset of the local header in the file
	limit  int64  // offset of the next header in the file, before which the entry must end
	packed int64
	size   int64
	crc    uint32
	method uint16
	flags  uint16
	unsafe bool // store.CheckKey refuses the key: the value is listed but cannot be read
}

// parseDirectory returns the entries of values below the prefix "inner", sorted by key. dirOff is
// the offset of dir, the directory. base is the number of bytes before the archive.
func parseDirectory(dir []byte, e end, dirOff, base int64, inner string) ([]entry, error) {
	all := string(dir) // names are substrings of all
	root := inner
	if root != "" {
		root += "/"
	}
	var values []entry
	var offs []int64
	count := uint64(0)
	for at := 0; at < len(dir); count++ {
		v, n, err := parseEntry(dir[at:], all[at:])
		if err != nil {
			return nil, err
		}
		at += n
		if v.off > dirOff-base {
			v.off = math.MaxInt64 // reported as corrupt when the value is read
		} else {
			v.off += base
			offs = append(offs, v.off)
		}
		key, below := strings.CutPrefix(v.name, root)
		if !below || key == "" || strings.HasSuffix(v.name, "/") {
			continue
		}
		v.key = key
		v.unsafe = store.CheckKey(key) != nil
		values = append(values, v)
	}
	if want := e.count; e.exact && want != count || !e.exact && want != count&math.MaxUint16 {
		return nil, corrupt("the directory has %d entries, want %d", count, want)
	}
	return finish(values, offs, dirOff), nil
}

// finish sorts the values by key, keeps the last value of each key, and sets their limits.
func finish(values []entry, offs []int64, dirOff int64) []entry {
	slices.SortStableFunc(values, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	kept := values[:0]
	for i, v := range values {
		if i+1 < len(values) && values[i+1].key == v.key {
			continue
		}
		kept = append(kept, v)
	}
	slices.Sort(offs)
	for i := range kept {
		kept[i].limit = dirOff
		if j, _ := slices.BinarySearch(offs, kept[i].off+1); kept[i].off < dirOff && j < len(offs) {
			kept[i].limit = offs[j]
		}
	}
	clear(values[len(kept):])
	return slices.Clip(kept)
}

// parseEntry reads one record (APPNOTE 4.3.12). text must be the string of b. n is the length of
// the record.
func parseEntry(b []byte, text string) (v entry, n int, err error) {
	if len(b) < lenCentral || le.Uint32(b) != sigCentral {
		return v, 0, corrupt("the directory contains bytes that are not an entry")
	}
	name, extra := int(le.Uint16(b[28:])), int(le.Uint16(b[30:]))
	n = lenCentral + name + extra + int(le.Uint16(b[32:]))
	if n > len(b) {
		return v, 0, corrupt("the directory ends within an entry")
	}
	size, packed, off := uint64(le.Uint32(b[24:])), uint64(le.Uint32(b[20:])), uint64(le.Uint32(b[42:]))
	wide := find64(b[lenCentral+name : lenCentral+name+extra])
	// The zip64 extra field has the numbers that do not fit into 32 bits, in this order.
	for _, p := range []*uint64{&size, &packed, &off} {
		if *p == math.MaxUint32 && len(wide) >= 8 {
			*p, wide = le.Uint64(wide), wide[8:]
		}
	}
	if size > math.MaxInt64 || packed > math.MaxInt64 || off > math.MaxInt64 {
		return v, 0, corrupt("invalid entry of %d bytes (%d compressed) at offset %d", size, packed, off)
	}
	return entry{
		name: text[lenCentral : lenCentral+name], off: int64(off), packed: int64(packed), size: int64(size),
		crc: le.Uint32(b[16:]), method: le.Uint16(b[10:]), flags: le.Uint16(b[8:]),
	}, n, nil
}

// find64 returns the content of the zip64 extra field. It ignores malformed fields after this
// field, because some writers pad with zeros.
func find64(extra []byte) []byte {
	for len(extra) >= 4 {
		id, n := le.Uint16(extra), int(le.Uint16(extra[2:]))
		if n > len(extra)-4 {
			return nil
		}
		if id == extra64 {
			return extra[4 : 4+n]
		}
		extra = extra[4+n:]
	}
	return nil
}
