package store

import "time"

// Measured describes recent reads of a bucket by all stores of the process, and the number of
// requests that could start now. Stores with a request limit provide it through [As] once they have
// made enough requests:
//
//	var m store.Measured
//	ok := store.As(st, &m)
//
// The values are a snapshot. Latency and Bandwidth are a linear fit of recent reads: a read of n
// bytes is expected to take Latency + n/Bandwidth.
type Measured struct {
	Latency   time.Duration // time of a read of 0 bytes; of any read if all had the same length
	Bandwidth float64       // bytes per second of one request; 0 if all reads had the same length
	Free      int           // number of requests that could start without waiting
}

// Took returns the expected time of a read of n bytes.
func (m Measured) Took(n int64) time.Duration {
	if m.Bandwidth <= 0 {
		return m.Latency
	}
	return m.Latency + time.Duration(float64(n)/m.Bandwidth*float64(time.Second))
}
