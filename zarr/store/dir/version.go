package dir

import (
	"strconv"

	"github.com/zargo-io/zargo/zarr/store"
)

func (i info) version() store.Version {
	var b [48]byte
	return store.Version(i.append(b[:0]))
}

// info holds the fields of a file's stat that the Store uses.
type info struct {
	size  int64
	mtime int64 // Unix nanoseconds
	inode uint64
	kind  kind
}

const (
	regular kind = iota
	folderKind
	special // a device, a socket, a pipe, or a link without a target
	loop    // a link to a directory that contains the link
)

// is reports whether v is the version of the file. It does not allocate memory.
func (i info) is(v store.Version) bool {
	var b [48]byte
	return string(i.append(b[:0])) == string(v)
}

type kind uint8

// append appends the version, which consists of the inode, the modification time and the size. The
// package documentation explains why this is sufficient.
func (i info) append(b []byte) []byte {
	b = strconv.AppendUint(b, i.inode, 36)
	b = append(b, '-')
	b = strconv.AppendInt(b, i.mtime, 36)
	b = append(b, '-')
	return strconv.AppendInt(b, i.size, 36)
}
