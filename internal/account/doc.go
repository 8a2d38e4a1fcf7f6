// Package account counts and bounds what one call makes of a store.
//
//	ctx, st, acct := account.Begin(ctx, user, account.Options{Report: r, MaxRequests: 100})
//	if err := acct.Fits(plan.Len()); err != nil {
//		return err
//	}
//	if err := acct.Admit(len(reads), 0); err != nil { // before they are sent
//		return err
//	}
//	v, err := st.Get(ctx, key, o, buf)
//
// What the call asks the store for is counted by a [store.Around] outside of the user's store; what
// becomes of it below, such as retries and bytes on the wire, by a [store.Trace] in the context. So
// the code that sends requests counts none of them. What no store knows is said by hand: chunks,
// conflicts.
//
// A nil *Account counts and bounds nothing. All methods may be called concurrently.
package account
