// Package child runs a test's own binary again as processes that do what they are ordered, report,
// and may be killed.
//
//	child.Main(m, func(o order) error { return obey(o) }) // in TestMain; the child reports with child.Say
//
//	c := child.Start(t, order{Do: "append"})
//	err := c.Read(func(word string, n int64) { c.Kill() })
//
// A child ends with its parent. A Process belongs to one goroutine, except Kill, which any may
// call.
package child
