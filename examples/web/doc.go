// Package web is what the example services share: which HTTP status an error is, and serving until
// a signal.
//
//	a, err := service.answer(ctx, r)
//	if err != nil {
//		web.Fail(w, err)
//	}
//
// Everything here may be used from any number of goroutines.
package web
