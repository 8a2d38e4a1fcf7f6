// Package beam runs a plan of package transfer as an Apache Beam pipeline, for clusters that have a
// runner already. It is a module of its own: Beam brings some 60 modules, which programs that read
// arrays need not have.
//
// Elements of the pipeline are numbers of tasks, never chunks: a task reads and writes by itself,
// on the machine that it comes to. Each stage begins when the one before is complete. A task that
// runs twice, or on two machines at once, stores the same objects, and one that is done is done
// again only where a runner asks for it.
//
// Workers open the stores that the plan names by themselves, with the credentials of their
// environment.
//
// The tests run it on Prism, the runner that comes with Beam's Go SDK: within the process, and with
// a server and a pool of workers in processes of their own. Prism starts one worker for a job, so
// that tests show serialisation and staging, not how a cluster divides work. Other portable runners
// (Flink, Spark, Dataflow) take the same pipeline by their flags; we have not run it there.
package beam
