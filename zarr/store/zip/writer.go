package zip

import (
	"hash/crc32"
	"io"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Writer writes an archive in one pass. Values are written without compression and with fixed
// times. If the sizes require it, the archive has zip64 records. Until Close the Writer keeps the
// directory in memory: for each value about 60 bytes, plus twice the length of the name. After a
// write error all calls return that error. A Writer is not safe for concurrent use.
type Writer struct {
	w     io.Writer
	off   uint64
	dir   []byte
	names map[string]struct{}
	err   error
}

const (
	needs20 = 20 // version 2.0 of the format: directories
	needs45 = 45 // version 4.5: zip64
	unix    = 3 << 8
	mode    = 0o100644 << 16 // mode of a regular file that its owner can write
	flagUTF = 1 << 11
	date    = 1<<5 | 1 // 1 January 1980, the earliest date in the format
)

// NewWriter returns a Writer that writes an archive to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w, names: map[string]struct{}{}} }

// Add writes a value. It returns fault.Path if key fails store.CheckKey, and fault.Exists if the
// archive already has the key. After these two errors the Writer can still be used.
func (w *Writer) Add(key string, value []byte) error {
	if w.err != nil {
		return w.err
	}
	if err := store.CheckKey(key); err != nil {
		return err
	}
	if _, ok := w.names[key]; ok {
		return fault.Newf(fault.Exists, "zip: the archive already has the key %q", key)
	}
	w.names[key] = struct{}{}
	r := record{key: key, crc: crc32.ChecksumIEEE(value), size: uint64(len(value)), off: w.off}
	w.dir = r.central(w.dir)
	w.write(r.local(nil))
	w.write(value)
	return w.err
}

// Close writes the directory. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	start, size, count := w.off, uint64(len(w.dir)), uint64(len(w.names))
	w.write(w.dir)
	w.write(ending(start, size, count))
	if w.err != nil {
		return w.err
	}
	w.err = fault.Newf(fault.ReadOnly, "zip: the archive is complete")
	return nil
}

func (w *Writer) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.w.Write(b)
	w.off += uint64(n)
	w.err = err
}

// record holds the fields of the local header and the directory entry of a value.
type record struct {
	key       string
	crc       uint32
	size, off uint64
}

func small(n uint64) uint32 { return uint32(min(n, math.MaxUint32)) }

// local appends the local header (APPNOTE 4.3.7).
func (r record) local(b []byte) []byte {
	var extra []byte
	if r.size >= math.MaxUint32 {
		extra = le.AppendUint64(le.AppendUint64([]byte{extra64, 0, 16, 0}, r.size), r.size)
	}
	b = le.AppendUint32(b, sigLocal)
	b = r.common(b, extra)
	b = append(b, r.key...)
	return append(b, extra...)
}

// central appends the directory entry (APPNOTE 4.3.12).
func (r record) central(b []byte) []byte {
	extra := []byte{extra64, 0, 0, 0}
	if r.size >= math.MaxUint32 {
		extra = le.AppendUint64(le.AppendUint64(extra, r.size), r.size)
	}
	if r.off >= math.MaxUint32 {
		extra = le.AppendUint64(extra, r.off)
	}
	extra[2] = byte(len(extra) - 4)
	if extra[2] == 0 {
		extra = nil
	}
	b = le.AppendUint32(b, sigCentral)
	b = le.AppendUint16(b, unix|needs45)
	b = r.common(b, extra)
	b = append(b, 0, 0, 0, 0, 0, 0) // no comment, first file, binary
	b = le.AppendUint32(b, mode)
	b = le.AppendUint32(b, small(r.off))
	b = append(b, r.key...)
	return append(b, extra...)
}

// common appends the fields that are the same in the local header and the directory entry. They
// start with the version needed to extract and end with the length of the extra fields.
func (r record) common(b, extra []byte) []byte {
	needs := uint16(needs20)
	if extra != nil {
		needs = needs45
	}
	b = le.AppendUint16(b, needs)
	b = le.AppendUint16(b, flagUTF)
	b = le.AppendUint16(b, stored)
	b = le.AppendUint16(b, 0) // midnight
	b = le.AppendUint16(b, date)
	b = le.AppendUint32(b, r.crc)
	b = le.AppendUint32(b, small(r.size))
	b = le.AppendUint32(b, small(r.size))
	b = le.AppendUint16(b, uint16(len(r.key)))
	return le.AppendUint16(b, uint16(len(extra)))
}

// ending returns the records after the directory (APPNOTE 4.3.14 to 4.3.16).
func ending(start, size, count uint64) []byte {
	var b []byte
	if count >= math.MaxUint16 || start >= math.MaxUint32 || size >= math.MaxUint32 {
		b = le.AppendUint32(b, sigEnd64)
		b = le.AppendUint64(b, lenEnd64-12)
		b = le.AppendUint16(b, unix|needs45)
		b = le.AppendUint16(b, needs45)
		b = append(b, 0, 0, 0, 0, 0, 0, 0, 0)
		b = le.AppendUint64(b, count)
		b = le.AppendUint64(b, count)
		b = le.AppendUint64(b, size)
		b = le.AppendUint64(b, start)

		b = le.AppendUint32(b, sigLocator)
		b = le.AppendUint32(b, 0)
		b = le.AppendUint64(b, start+size)
		b = le.AppendUint32(b, 1)
	}
	b = le.AppendUint32(b, sigEnd)
	b = append(b, 0, 0, 0, 0)
	b = le.AppendUint16(b, uint16(min(count, math.MaxUint16)))
	b = le.AppendUint16(b, uint16(min(count, math.MaxUint16)))
	b = le.AppendUint32(b, small(size))
	b = le.AppendUint32(b, small(start))
	return append(b, 0, 0)
}
