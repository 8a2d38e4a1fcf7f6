// Package tasks holds the code of the pages in docs/tasks. Each page shows the body of an Example
// function of this package, or a part of another program in examples/.
package tasks
