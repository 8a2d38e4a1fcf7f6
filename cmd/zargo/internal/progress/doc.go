// Package progress shows the progress of a run on standard error: one line of a terminal that
// changes, or a line every few seconds. It also finds out what a terminal can show.
package progress
