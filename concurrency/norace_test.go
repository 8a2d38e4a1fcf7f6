//go:build !race

package concurrency

const schedules = 100_000
