// Package beam runs a plan of package transfer as an Apache Beam pipeline, for clusters that
// already have a runner. The package is a separate module because Beam depends on about 60 modules,
// which other programs do not need.
//
// The elements of the pipeline are the numbers of tasks, not chunks. Each task reads and writes on
// the machine where it runs. Each stage begins when the previous one is complete. A task that runs
// twice, or on two machines concurrently, stores the same objects. A completed task runs again only
// if the runner requests it.
//
// Workers open the stores that the plan names, with the credentials of their own environment.
//
// The tests run on Prism, the runner of Beam's Go SDK, both within the test process and with a
// server and a pool of workers in separate processes. Prism starts one worker for a job, so the
// tests cover serialization and staging, but not the distribution of work in a cluster. Other
// portable runners (Flink, Spark, Dataflow) accept the same pipeline through their flags, but are
// not tested.
package beam
