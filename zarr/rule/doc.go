// Package rule defines the rules that zargo checks Zarr hierarchies against. Each rule has a code.
//
// Readers tolerate documents that violate a rule of severity Warning, because such files exist.
// With [github.com/zargo-io/zargo/zarr.Strict] each violation is an error. With
// [github.com/zargo-io/zargo/zarr.OnFinding] each violation is reported and reading continues.
// Package validate checks all rules.
//
//	_, err := zarr.Open(ctx, st, "t2m", zarr.Strict())
//	var broken *rule.Error
//	if errors.As(err, &broken) {
//		fmt.Println(broken.Rule, broken.Rule.Section()) // bare-token RFC 8259, section 3
//	}
//
// The package performs no I/O, and its values are safe for concurrent use.
package rule
