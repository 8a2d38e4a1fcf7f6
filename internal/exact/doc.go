// Package exact reads the body of a response of announced length. It trusts no announcement: memory
// for a long value grows with the bytes that arrive, unless the caller has bounded it.
//
//	buf, err := exact.Read(buf, resp.Body, n, false)
//	if err == nil {
//		err = exact.End(resp.Body)
//	}
//
// Its functions keep nothing, so they may be called concurrently.
package exact
