package store

import "time"

// Measured is what reads of a bucket took of late, and how many more could be begun now. A store
// with a limit gives it by [As], once it has seen enough requests; it is of all stores of the
// process on the bucket:
//
//	var m store.Measured
//	ok := store.As(st, &m)
//
// It is a snapshot. Latency and Bandwidth are the line that fits the last reads best: one of n
// bytes takes Latency + n/Bandwidth.
type Measured struct {
	Latency   time.Duration // of a read of no bytes; of any read, where all were of one length
	Bandwidth float64       // bytes a second of one request; 0 where all reads were of one length
	Free      int           // requests that could be begun without waiting
}

// Took is how long a read of n bytes is expected to take.
func (m Measured) Took(n int64) time.Duration {
	if m.Bandwidth <= 0 {
		return m.Latency
	}
	return m.Latency + time.Duration(float64(n)/m.Bandwidth*float64(time.Second))
}
