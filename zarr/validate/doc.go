// Package validate checks a hierarchy against the rules of package rule. It checks the documents of
// all nodes and the keys below the nodes, compares consolidated metadata with the documents, and
// with Options.Data decodes every chunk.
//
//	r, err := validate.Run(ctx, st, "", validate.Options{Data: true}, func(f rule.Finding) {
//		fmt.Println(f.Severity(), f.Rule, f.Key, f.Message())
//	})
//	if f, broken := r.Worst(rule.Fault); broken {
//		return errors.New(f.Message())
//	}
//
// json.Marshal encodes findings and counts in the form that the command "zargo validate --json"
// prints.
//
// [Run] only reads and lists. [Repair] first runs the same checks, and then makes the repairs that
// do not require inventing data.
//
// Chunks are found by listing, so a hostile shape costs nothing. They are decoded within the limits
// of concurrency.Default. A run costs a listing of all keys, one request for each document, and
// with Options.Data one request for each chunk or shard. Shards that decode to more than 64 MiB are
// read in parts of at most that size.
package validate
