package store

// Amount counts requests and the bytes of values that they transfer. Package zarr uses it for plans
// and for measurements. A delete counts as a put.
type Amount struct{ Gets, Puts, BytesRead, BytesWritten int64 }
