package view

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/store"
)

// value is a computed value, with the state of the source that it was computed from. Without a
// version, the chunk is absent.
type value struct {
	key     string
	bytes   []byte // the value, or the index of a shard with parts
	size    int64  // of the whole value
	parts   []inner
	version store.Version
	inputs  inputs
	checked atomic.Int64 // when the inputs were last known to be current, in nanoseconds since 1970
}

// ID and Bytes are the methods that a cache needs. An entry of the map of inputs takes about 200
// bytes.
func (v *value) ID() string { return v.key }

func (v *value) Bytes() int {
	return 512 + len(v.key) + cap(v.bytes) + 32*len(v.parts) + 200*len(v.inputs.objects)
}

// index sets the index, the length and the version of a shard from its inner chunks, which are
// stored in the order of the index.
func (v *value) index(n int64) {
	b, all := make([]byte, 0, 16*n+4), make([]byte, 0, 32*n)
	for _, p := range v.parts {
		off, size := v.size, p.size
		if size == 0 {
			off, size = -1, -1
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(off))  //nolint:gosec // -1 is the form of an absent chunk
		b = binary.LittleEndian.AppendUint64(b, uint64(size)) //nolint:gosec // as above
		v.size, all = v.size+p.size, append(all, p.sum[:]...)
	}
	if v.size == 0 {
		v.parts = nil
		return // all elements are the fill value
	}
	v.bytes = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	v.size += int64(len(v.bytes))
	v.version = versionOf(append(all, v.bytes...))
}

// appendRange appends the bytes [off, off+n) of a shard to buf. piece returns the bytes of an inner
// chunk.
func (v *value) appendRange(buf []byte, off, n int64, piece func(i int) ([]byte, error)) ([]byte, error) {
	add := func(b []byte, start int64) {
		lo, hi := max(off, start), min(off+n, start+int64(len(b)))
		if lo < hi {
			buf = append(buf, b[lo-start:hi-start]...)
		}
	}
	at := int64(0)
	for i, p := range v.parts {
		if p.size > 0 && at < off+n && at+p.size > off {
			b, err := piece(i)
			if err != nil {
				return nil, err
			}
			add(b, at)
		}
		at += p.size
	}
	add(v.bytes, at)
	return buf, nil
}

// versionOf returns the version of a value: a hash of its bytes.
func versionOf(b []byte) store.Version {
	sum := sha256.Sum256(b)
	return store.Version(hex.EncodeToString(sum[:16]))
}
