// Package validate holds a hierarchy against every rule of package rule: the documents of all its
// nodes, what lies under which key, consolidated metadata against what is stored, and with
// Options.Data every chunk.
//
//	r, err := validate.Run(ctx, st, "", validate.Options{Data: true}, func(f rule.Finding) {
//		fmt.Println(f.Severity(), f.Rule, f.Key, f.Message())
//	})
//	if f, broken := r.Worst(rule.Fault); broken {
//		return errors.New(f.Message())
//	}
//
// Findings and counts are JSON by json.Marshal: as zargo validate --json prints them.
//
// Run reads and lists, and writes nothing; [Repair] does the same, and then repairs what can be
// repaired without inventing data. Chunks are found by listing, so that a hostile shape costs
// nothing, and decoded within the limits of concurrency.Default. What a store of terabytes costs is
// a listing of its keys, a request for each document, and with Options.Data one for each chunk or
// shard; shards that decode to more than 64 MiB, in parts of that.
package validate
