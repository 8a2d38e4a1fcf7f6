// Package exact reads the body of a response that has announced its length. The announcement may be
// false. Therefore the memory for a long value grows as its bytes arrive, unless the caller has
// bounded the length.
//
//	buf, err := exact.Read(buf, resp.Body, n, false)
//	if err == nil {
//		err = exact.End(resp.Body)
//	}
//
// The functions are stateless and may be called concurrently.
package exact
