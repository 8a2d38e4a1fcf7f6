package store

// Amount counts requests and the bytes of values that they transfer. Package zarr uses it for plans
// and for measurements. A delete, a copy, and each step of an upload in parts count as puts. Lists
// counts pages of listings.
type Amount struct{ Gets, Puts, Lists, BytesRead, BytesWritten int64 }
