package fault

import "fmt"

// Interrupted is the error of an operation whose context ended while the operation repeated a
// failed request. It matches both errors: the end of the context, and the kind of the last failure,
// which is Throttled or Unavailable.
type Interrupted struct {
	Err  error // the cause of the end of the context
	Last error // the last failure before that
}

func (e *Interrupted) Error() string { return fmt.Sprintf("%v (last failure: %v)", e.Err, e.Last) }

// Unwrap returns the end of the context and the last failure.
func (e *Interrupted) Unwrap() []error { return []error{e.Err, e.Last} }
