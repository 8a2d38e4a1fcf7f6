// Command etl maintains a dataset of maps that grows by one day at a time, and derives time series
// from it. Both jobs can be restarted at any time.
//
//	etl append 's3://bucket/weather.zarr?region=eu-central-1' days/2026-11-22.zarr
//	etl series 's3://bucket/weather.zarr?region=eu-central-1' 'gs://bucket/series-2026-11'
//
// URLs are s3://, gs://, azblob:// or directories. A day is a group with data along the dimension
// time, the coordinate time, and other coordinates; the first day creates the dataset. append
// extends all arrays along time in one change and updates the dataset's consolidated metadata last,
// so that readers of consolidated metadata see only whole days. A day that the dataset already
// contains is skipped, so a job that runs twice appends once. The next job completes the work of a
// killed one. Days must be appended in order.
//
// series copies the dataset into chunks that contain all times of a few positions, whereas maps
// have a chunk for a few hours. The series of a point is then one request. Until the copy is
// complete, series keeps a plan and its progress beside the target, and continues from there.
package main
