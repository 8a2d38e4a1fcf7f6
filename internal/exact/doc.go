// Package exact reads the body of a response whose length was announced. It does not trust the
// announcement. Unless the caller has bounded the length, the memory for a long value grows as its
// bytes arrive.
//
//	buf, err := exact.Read(buf, resp.Body, n, false)
//	if err == nil {
//		err = exact.End(resp.Body)
//	}
//
// The functions are stateless and may be called concurrently.
package exact
