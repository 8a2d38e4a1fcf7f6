// Package account counts and limits the requests of one call to a store.
//
//	ctx, st, acct := account.Begin(ctx, user, account.Options{Report: r, MaxRequests: 100})
//	if err := acct.Fits(plan.Len()); err != nil {
//		return err
//	}
//	list, err := acct.AdmitAll(st, len(reads), 0) // all of them or none
//	v, err := list.Get(ctx, key, o, buf)
//	_, err = st.Put(ctx, key, b, o) // admitted one by one
//
// A [store.Around] around the user's store counts the requests of the call. A [store.Trace] in the
// context counts the events below it, such as retries and transferred bytes. The code that sends
// requests need not count them. Methods of [Account] count events that are unknown to stores, such
// as chunks and conflicts.
//
// A nil *Account counts and limits nothing. All methods are safe for concurrent use.
package account
