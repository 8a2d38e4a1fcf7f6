package store

// UsageError is a mistake in the URL or the options given to a provider's Open. It has no kind of
// package fault: it is not about what is stored.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }
