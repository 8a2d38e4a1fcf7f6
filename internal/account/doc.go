// Package account counts and bounds what one call makes of a store.
//
//	ctx, st, acct := account.Begin(ctx, user, account.Options{Report: r, MaxRequests: 100})
//	if err := acct.Fits(plan.Len()); err != nil {
//		return err
//	}
//	list, err := acct.AdmitAll(st, len(reads), 0) // all of them or none
//	v, err := list.Get(ctx, key, o, buf)
//	_, err = st.Put(ctx, key, b, o) // admitted by itself
//
// What the call asks the store for is counted by a [store.Around] outside of the user's store; what
// becomes of it below, such as retries and bytes on the wire, by a [store.Trace] in the context. So
// the code that sends requests counts none of them. What no store knows is said by hand: chunks,
// conflicts.
//
// A nil *Account counts and bounds nothing. All methods may be called concurrently.
package account
