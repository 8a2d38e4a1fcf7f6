package provider

import (
	"math"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

const (
	// fewRequests and perCPU determine the initial number of requests in flight: 32, and 96 more for
	// each CPU. With 0.1 CPU, 513 reads over TLS take 0.9 s with 32 requests in flight, and 2 s with
	// 128: the handshakes use most of the time.
	fewRequests = 32
	perCPU      = 96
	// lambdaCPU is the memory in MiB of an AWS Lambda function with one CPU ("Configure Lambda
	// function memory").
	lambdaCPU = 1769
)

// initial returns the initial number of requests in flight for a bucket that allows n, on a machine
// with this number of CPUs.
func initial(n int, cpus float64) int {
	return min(n, int(fewRequests+perCPU*min(cpus, 1024))&^7)
}

// availableCPUs returns the number of CPUs that the process may use, which may be a fraction.
// GOMAXPROCS is a whole number.
var availableCPUs = sync.OnceValue(func() float64 {
	return cpusOf(float64(runtime.GOMAXPROCS(0)), os.Getenv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE"), func(file string) string {
		b, err := os.ReadFile(file)
		if err != nil {
			return ""
		}
		return string(b)
	})
})

// cpusOf returns the minimum of procs, the quota of the control group, and the share of a Lambda
// function with this memory. read returns the contents of a file, or "".
func cpusOf(procs float64, lambda string, read func(file string) string) float64 {
	n := procs
	if mib, err := strconv.ParseFloat(lambda, 64); err == nil && mib > 0 {
		n = min(n, mib/lambdaCPU)
	}
	group := map[string]string{} // by controllers; "" is version 2
	for line := range strings.Lines(read("/proc/self/cgroup")) {
		if f := strings.SplitN(strings.TrimSpace(line), ":", 3); len(f) == 3 {
			group[f[1]] = f[2]
		}
	}
	// A container often sees its own group as the root of the file system.
	for _, at := range []string{"/", group[""]} {
		n = min(n, quota(read(path.Join("/sys/fs/cgroup", at, "cpu.max"))))
	}
	for _, at := range []string{"/", group["cpu"], group["cpu,cpuacct"]} {
		dir := path.Join("/sys/fs/cgroup/cpu", at)
		n = min(n, quota(read(path.Join(dir, "cpu.cfs_quota_us"))+" "+read(path.Join(dir, "cpu.cfs_period_us"))))
	}
	return n
}

// quota returns the CPUs of a quota and a period in microseconds, such as "10000 100000". Without a
// quota it returns +Inf.
func quota(s string) float64 {
	f := strings.Fields(s)
	if len(f) != 2 {
		return math.Inf(1)
	}
	q, err := strconv.ParseFloat(f[0], 64)
	p, perr := strconv.ParseFloat(f[1], 64)
	if err != nil || perr != nil || !(q > 0 && p > 0) {
		return math.Inf(1)
	}
	return q / p
}
