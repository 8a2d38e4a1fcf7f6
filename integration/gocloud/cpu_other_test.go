//go:build !unix

package gocloud

// cpu returns 0, because the CPU time is not available.
func cpu() int64 { return 0 }
