// Command etl maintains a dataset of maps that grows by one day at a time. It also copies the
// dataset into chunks for reading time series. Both jobs can be killed and run again at any time.
// After a job was killed, the next "etl append" waits until the claim of the killed job has not
// been renewed for two minutes.
//
//	etl append 's3://bucket/weather.zarr?region=eu-central-1' days/2026-11-22.zarr
//	etl series 's3://bucket/weather.zarr?region=eu-central-1' 'gs://bucket/series-2026-11'
//
// URLs are s3://, gs://, azblob:// or directories. A day is a group with data along the dimension
// "time", the coordinate "time", and other coordinates. The dataset is created from the first day.
// The command "etl append" extends all arrays along the time dimension in one change. It updates
// the consolidated metadata of the dataset last, so that readers of consolidated metadata see only
// whole days. It skips a day that the dataset already contains, so a job that runs twice appends
// the day once. The next job completes the work of a killed job. Days must be appended in order.
//
// The command "etl series" copies the dataset into other chunks. The chunks of the dataset contain
// maps of a few hours. The chunks of the copy contain all times of a few positions, so that one
// request reads the values of a point. Until the copy is complete, a plan and the progress are
// stored beside the target. When the command is run again, it continues the copy.
package main
