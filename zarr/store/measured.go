package store

import "time"

// Measured describes recent reads of a bucket by all stores of the process, and the number of
// requests that could start now. Stores with a request limit provide it through [As] once a read
// has ended:
//
//	var m store.Measured
//	ok := store.As(st, &m)
//
// The values are a snapshot. Latency and Bandwidth are a linear fit of recent reads: a read of n
// bytes is expected to take Latency + n/Bandwidth. Bandwidth is 0 if it is unknown, because there
// were few reads or all had the same length.
type Measured struct {
	Latency   time.Duration // time of a read of 0 bytes; of any read if Bandwidth is 0
	Bandwidth float64       // bytes per second of one request
	Free      int           // number of requests that could start without waiting

	// Enough is the number of concurrent reads that keep a near service busy, with a few that wait.
	// More would only wait. It is 0 if the service is not near, and after a request has failed,
	// because requests that wait for a repetition need no slot.
	Enough int
}

// Took returns the expected time of a read of n bytes.
func (m Measured) Took(n int64) time.Duration {
	if m.Bandwidth <= 0 {
		return m.Latency
	}
	return m.Latency + time.Duration(float64(n)/m.Bandwidth*float64(time.Second))
}
