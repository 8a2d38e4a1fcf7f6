package store

// Amount is how many requests are made, and the bytes of values that they transfer: what a plan of
// package zarr comes to, or what was counted. A delete counts as a put.
type Amount struct{ Gets, Puts, BytesRead, BytesWritten int64 }
