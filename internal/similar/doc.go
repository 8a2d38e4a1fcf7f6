// Package similar finds the name that a misspelled name may stand for.
package similar
