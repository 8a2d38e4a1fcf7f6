// Package race tells tests whether the race detector runs, under which pools forget at random and
// loops take ten times as long.
package race
