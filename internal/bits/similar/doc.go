// Package similar finds the known name that is closest to a misspelled name.
package similar
