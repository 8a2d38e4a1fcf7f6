// Package selection parses --sel and --isel, finds the elements that they select, by position or by
// the labels of coordinates, and reads a selection in bands that fit in memory.
package selection
