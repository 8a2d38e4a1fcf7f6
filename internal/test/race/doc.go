// Package race reports whether the race detector is enabled. With the race detector, pools drop
// items at random and loops take ten times as long.
package race

// Stride returns 1, or n with the race detector. A test that stops a process at one request after
// another, or runs one seed after another, advances by it. Its actors take turns, so the detector
// finds no race between them, and each run has the same races within an actor.
func Stride(n int) int {
	if Enabled {
		return n
	}
	return 1
}
