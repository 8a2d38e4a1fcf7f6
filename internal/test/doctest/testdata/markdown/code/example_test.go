package code

import "fmt"

func Example() {
	fmt.Println("one")
	// Output: one
}
