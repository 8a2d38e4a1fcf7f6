//go:build race

package blosc_test

const race = true
