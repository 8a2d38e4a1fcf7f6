// Package web contains the common code of the example services. It maps errors to HTTP statuses,
// and runs a server until a signal arrives.
//
//	a, err := service.answer(ctx, r)
//	if err != nil {
//		web.Fail(w, err)
//	}
//
// All functions are safe for concurrent use.
package web
