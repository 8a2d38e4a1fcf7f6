// Command etl maintains a dataset of maps that grows by one day at a time, and derives time series
// from it. Both jobs can be restarted at any time.
//
//	etl append 's3://bucket/weather.zarr?region=eu-central-1' days/2026-11-22.zarr
//	etl series 's3://bucket/weather.zarr?region=eu-central-1' 'gs://bucket/series-2026-11'
//
// URLs are s3://, gs://, azblob:// or directories. A day is a group with data along the dimension
// time, the coordinate time, and other coordinates. The first day creates the dataset. append
// extends all arrays along time in one change. It updates the dataset's consolidated metadata last,
// so that readers of consolidated metadata see only whole days. It skips a day that the dataset
// already contains, so a job that runs twice appends once. The next job completes the work of a
// killed job. Days must be appended in order.
//
// series copies the dataset into chunks that contain all times of a few positions. The chunks of
// the dataset contain maps of a few hours. With series, the values of a point are one request.
// Until the copy is complete, series keeps a plan and its progress beside the target. It continues
// from there when it is run again.
package main
