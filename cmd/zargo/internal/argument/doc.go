// Package argument parses the values of flags and arguments: sizes, lists of integers, codecs, data
// types and JSON. All errors are errors of the command line.
package argument
