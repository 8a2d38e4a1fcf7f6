// Package web is shared by the example services. It maps errors to HTTP statuses and serves until a
// signal.
//
//	a, err := service.answer(ctx, r)
//	if err != nil {
//		web.Fail(w, err)
//	}
//
// All functions are safe for concurrent use.
package web
