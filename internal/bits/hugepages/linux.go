//go:build linux

package hugepages

import (
	"os"
	"reflect"
	"strings"
	"sync"
	"syscall"
)

// Constants from Linux's include/uapi/asm-generic/mman-common.h and linux/prctl.h. They are the
// same on all architectures that Go supports.
const (
	madvHugePage      = 14
	madvNoHugePage    = 15
	madvPopulateWrite = 23
	prGetTHPDisable   = 42
)

// system returns the policy for this process. The kernel is queried at the first call.
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

// interior returns the part of b between the first and the last boundary of a huge page.
func interior(b []byte) []byte {
	at := int(reflect.ValueOf(b).Pointer() % Size)
	from := (Size - at) % Size
	to := len(b) - (at+len(b))%Size
	return b[from:max(to, from)]
}

func advise(b []byte) bool { return len(b) > 0 && syscall.Madvise(b, madvHugePage) == nil }

// populate creates the pages of b as a write would, without changing their contents. It requires
// Linux 5.14.
func populate(b []byte) bool { return syscall.Madvise(b, madvPopulateWrite) == nil }

func undo(b []byte) { _ = syscall.Madvise(b, madvNoHugePage) } // a failure is harmless
