//go:build linux

package hugepages

import (
	"os"
	"reflect"
	"strings"
	"sync"
	"syscall"
)

// From Linux's include/uapi/asm-generic/mman-common.h and linux/prctl.h; the same on all that Go
// runs on.
const (
	madvHugePage      = 14
	madvNoHugePage    = 15
	madvPopulateWrite = 23
	prGetTHPDisable   = 42
)

// system is asked once: what all processes have, and whether this one is denied it.
var system = sync.OnceValue(func() policy {
	b, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil {
		return unknown
	}
	denied, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prGetTHPDisable, 0, 0, 0, 0, 0)
	return policyOf(string(b), errno == 0 && denied != 0)
})

func policyOf(enabled string, denied bool) policy {
	switch {
	case denied || strings.Contains(enabled, "[never]"):
		return none
	case strings.Contains(enabled, "[madvise]"):
		return asked
	}
	return unknown
}

// interior is the part of b between the first and the last boundary of a huge page.
func interior(b []byte) []byte {
	at := int(reflect.ValueOf(b).Pointer() % Size)
	from := (Size - at) % Size
	to := len(b) - (at+len(b))%Size
	return b[from:max(to, from)]
}

func advise(b []byte) bool { return len(b) > 0 && syscall.Madvise(b, madvHugePage) == nil }

// populate makes the pages of b as a write would, and leaves what is written there as it is. It is
// there from Linux 5.14 on.
func populate(b []byte) bool { return syscall.Madvise(b, madvPopulateWrite) == nil }

func undo(b []byte) { _ = syscall.Madvise(b, madvNoHugePage) } // it succeeded before
