package store

// UsageError reports an invalid URL or option of a provider's Open. It does not match a kind of
// package fault, because kinds describe requests and stored data.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }
