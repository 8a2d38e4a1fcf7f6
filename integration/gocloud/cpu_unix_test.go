//go:build unix

package gocloud

import "syscall"

// cpu is the processor time of this process in nanoseconds: on a machine that does much else it
// varies less than the time.
func cpu() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
