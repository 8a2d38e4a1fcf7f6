// Package rule lists what a Zarr hierarchy is held to beyond what reading it takes, each rule with
// a code.
//
// Readers are lenient where files in the field need it: a document that breaks a rule of severity
// Warning is read all the same. [github.com/zargo-io/zargo/zarr.Strict] makes each of them an
// error, [github.com/zargo-io/zargo/zarr.Findings] tells of each and goes on, and package validate
// looks for all.
//
//	_, err := zarr.Open(ctx, st, "t2m", zarr.Strict())
//	var broken *rule.Error
//	if errors.As(err, &broken) {
//		fmt.Println(broken.Rule, broken.Rule.Section()) // bare-token RFC 8259, section 3
//	}
//
// The package is pure, and its values are safe for concurrent use.
package rule
