//go:build unix

package main

import (
	"runtime"
	"syscall"
	"time"
)

// usage returns the CPU time of this process and its peak memory in bytes.
func usage() (cpu time.Duration, rss int64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0
	}
	rss = int64(u.Maxrss) //nolint:unconvert // int32 on 386
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		rss <<= 10 // in KiB on other systems
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), rss
}
