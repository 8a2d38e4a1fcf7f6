package store

// Tuning holds a provider's numbers. A store that has its own gives them through [As]; [TuningOf] falls back to Local.
type Tuning struct {
	Requests   int   // requests in flight at once, over all arrays and calls on the opened store
	RangeGap   int64 // bytes of a hole worth reading through rather than paying another request
	RangeMax   int64 // bytes of the longest merged read
	SplitAbove int64 // bytes above which one value is read as several ranges; 0 is never
	ListFanout int   // prefixes listed at once when a hierarchy is walked
	ListPage   int   // entries asked for in one listing request
	Reason     string
}

// Local is the tuning of a store without a network: more requests than cores only cost memory there.
func Local() Tuning {
	return Tuning{
		Requests:   16,
		RangeGap:   4 << 10, // a system call costs about what copying 4 KiB does
		RangeMax:   8 << 20,
		ListFanout: 4,
		ListPage:   1000,
		Reason:     "no network: a few requests keep every core busy",
	}
}

// TuningOf gives the numbers of the store's provider.
func TuningOf(s Store) Tuning {
	var t Tuning
	if As(s, &t) {
		return t
	}
	return Local()
}
