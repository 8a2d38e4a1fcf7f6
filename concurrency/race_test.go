//go:build race

package concurrency

const schedules = 2_000
