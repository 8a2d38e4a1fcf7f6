package concurrency

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// Limits is what operations on arrays draw on. A service with its own idea of memory passes its own
// Limits.
type Limits struct {
	CPU      *CPU
	Bytes    *Budget
	Requests *Registry // for stores on one bucket: their request slots and retry quota; nil: they share none

	share int // processes that use the buckets at the same time; see Share
}

// Share returns Limits for one of n processes that use the same buckets at the same time, such as
// the tasks of a job. Stores opened with them keep to one nth of what their options allow all
// processes in a second (RequestRate and ByteRate of the providers' packages), and of the rate at
// which a provider takes requests from a new client. They begin with one nth of the requests in
// flight. n < 2 means that there are no other processes. CPU, Bytes and Requests remain those of l.
//
// The number is a help and not a condition: processes that do not know it find their share by what
// the service refuses.
func (l *Limits) Share(n int) *Limits {
	shared := *l
	shared.share = max(n, 1)
	return &shared
}

// Processes returns the number that [Limits.Share] was called with, or 1.
func (l *Limits) Processes() int { return max(l.share, 1) }

// MaxDefaultBudget is the size in bytes of the default budget where memory is plenty. 256 MiB: 128
// requests of 2 MiB, more than a cloud connection's bandwidth-delay product asks for.
const MaxDefaultBudget = 256 << 20

// Default returns the process's own Limits: GOMAXPROCS slots, a quarter of [Memory] for bytes, at
// most [MaxDefaultBudget], and a registry for stores. It is made at the first call and never
// changes.
func Default() *Limits { return processLimits() }

var processLimits = sync.OnceValue(func() *Limits {
	return &Limits{CPU: NewCPU(0), Bytes: NewBudget(min(Memory()/4, MaxDefaultBudget)), Requests: &Registry{}}
})

// Memory is the number of bytes this process may use: GOMEMLIMIT, else the memory limit of its
// control group, else AWS_LAMBDA_FUNCTION_MEMORY_SIZE, else the machine's memory, else 1 GiB.
// GOMEMLIMIT may change at any time; for the others the system is asked at the first call that
// needs them.
func Memory() int64 {
	if n := debug.SetMemoryLimit(-1); n > 0 && n < math.MaxInt64 {
		return n
	}
	return systemMemory()
}

// systemMemory is asked for at every read, which may be one of a few bytes: three files take
// longer.
var systemMemory = sync.OnceValue(func() int64 {
	for _, f := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		// An unlimited group says "max", or in version 1 a number near 2^63.
		if n, ok := readNumber(f); ok && n < 1<<50 {
			return n
		}
	}
	if n, err := strconv.ParseInt(os.Getenv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE"), 10, 32); err == nil && n > 0 {
		return n << 20
	}
	if n, ok := memTotal(); ok {
		return n
	}
	return 1 << 30
})

func readNumber(file string) (int64, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil && n > 0
}

// memTotal reads the machine's memory where /proc tells it.
func memTotal() (int64, bool) {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n << 10, err == nil && n > 0
		}
	}
	return 0, false
}
