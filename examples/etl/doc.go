// Command etl keeps a dataset of maps that grows by a day at a time, and makes time series of it:
// two jobs, each of which may be started again at any time.
//
//	etl append 's3://bucket/weather.zarr?region=eu-central-1' days/2026-11-22.zarr
//	etl series 's3://bucket/weather.zarr?region=eu-central-1' 'gs://bucket/series-2026-11'
//
// URLs are s3://, gs://, azblob:// or directories. A day is a group with data along the dimension
// time, the coordinate time, and other coordinates; the first day makes the dataset. append adds
// all arrays along time as one change, with the dataset's consolidated metadata last: who opens the
// dataset by that sees whole days. A day that is there already is left out, so a job that runs
// twice appends once; what a killed job left behind is completed by the next one. Days must come in
// order.
//
// series copies the dataset into chunks that have all times of a few places, where maps have a
// chunk for some hours: a point's series is one request then. It keeps a plan and what is done of
// it beside the target until all is done, and goes on from there.
package main
