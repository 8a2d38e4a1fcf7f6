// Package copying implements the commands that derive arrays from others: copy, transfer and
// pyramid. They can be interrupted and continued.
package copying
