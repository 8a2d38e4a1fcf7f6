// Package race reports whether the race detector is enabled. With the race detector, pools drop
// items at random and loops take ten times as long.
package race
