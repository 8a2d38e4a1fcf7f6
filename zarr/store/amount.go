package store

// Amount counts requests and the bytes of values that they transfer, planned by package zarr or
// measured. A delete counts as a put.
type Amount struct{ Gets, Puts, BytesRead, BytesWritten int64 }
