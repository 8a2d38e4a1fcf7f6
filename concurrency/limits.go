package concurrency

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// Limits are the resources that operations on arrays share. A service that bounds memory
// differently passes its own Limits.
type Limits struct {
	CPU      *CPU
	Bytes    *Budget
	Requests *Registry // request slots and retry quota of stores on one bucket; nil shares nothing

	share int // number of processes that use the buckets concurrently; see Share
}

// Share returns Limits for one of n processes that use the same buckets concurrently, such as the
// tasks of a job. A store opened with these Limits uses one nth of the rates that its options allow
// for all processes (RequestRate and ByteRate of the providers' packages), and one nth of the rate
// at which a provider accepts requests from a new client. The store also starts with one nth of the
// usual number of concurrent requests. n < 2 means that no other process uses the buckets. CPU,
// Bytes and Requests remain those of l.
//
// n is only a hint: processes without it infer their share from the requests that the service
// refuses.
func (l *Limits) Share(n int) *Limits {
	shared := *l
	shared.share = max(n, 1)
	return &shared
}

// Processes returns the number of processes that was passed to [Limits.Share], or 1.
func (l *Limits) Processes() int { return max(l.share, 1) }

// MaxDefaultBudget is the maximum size of the default budget in bytes. 256 MiB are 128 requests of
// 2 MiB, more than the bandwidth-delay product of a cloud connection requires.
const MaxDefaultBudget = 256 << 20

// Default returns the Limits of the process: GOMAXPROCS CPU slots, a budget of a quarter of
// [Memory], at most [MaxDefaultBudget], and a registry for stores. The first call creates them, and
// they never change.
func Default() *Limits { return processLimits() }

var processLimits = sync.OnceValue(func() *Limits {
	return &Limits{CPU: NewCPU(0), Bytes: NewBudget(min(Memory()/4, MaxDefaultBudget)), Requests: &Registry{}}
})

// Memory returns the number of bytes that this process may use. The number is the first of these
// that is known: GOMEMLIMIT, the memory limit of the control group,
// AWS_LAMBDA_FUNCTION_MEMORY_SIZE, or the memory of the machine. If none is known, the number is 1
// GiB. GOMEMLIMIT is read at every call, the others once.
func Memory() int64 {
	if n := debug.SetMemoryLimit(-1); n > 0 && n < math.MaxInt64 {
		return n
	}
	return systemMemory()
}

// systemMemory reads the memory once, because every array read needs it, and reading three files
// would dominate a read of a few bytes.
var systemMemory = sync.OnceValue(func() int64 {
	for _, f := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		// Without a limit, the file contains "max", or in version 1 a number near 2^63.
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

// memTotal returns the memory of the machine in bytes, from /proc/meminfo.
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
