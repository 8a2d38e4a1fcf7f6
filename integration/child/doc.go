// Package child starts the running test binary again as child processes. A child process executes
// an order, reports to the parent, and may be killed.
//
//	child.Main(m, func(o order) error { return obey(o) }) // in TestMain; the child reports with child.Say
//
//	c := child.Start(t, order{Do: "append"})
//	err := c.Read(func(word string, n int64) { c.Kill() })
//
// A child ends when its parent ends. A Process must be used by one goroutine, except for Kill,
// which is safe for concurrent use.
package child
