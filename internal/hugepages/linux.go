//go:build linux

package hugepages

import (
	"bytes"
	"os"
	"reflect"
	"sync"
	"syscall"
)

// From Linux's include/uapi/asm-generic/mman-common.h; the same on all that Go runs on.
const (
	madvHugePage   = 14
	madvNoHugePage = 15
)

// wanted reports whether this system gives huge pages to those that ask, and to no others. It is asked for once.
var wanted = sync.OnceValue(func() bool {
	b, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return err == nil && bytes.Contains(b, []byte("[madvise]"))
})

// interior is the part of b between the first and the last boundary of a huge page.
func interior(b []byte) []byte {
	at := int(reflect.ValueOf(b).Pointer() % Size)
	from := (Size - at) % Size
	to := len(b) - (at+len(b))%Size
	return b[from:max(to, from)]
}

func advise(b []byte) bool { return len(b) > 0 && syscall.Madvise(b, madvHugePage) == nil }

func undo(b []byte) { _ = syscall.Madvise(b, madvNoHugePage) } // it succeeded before
