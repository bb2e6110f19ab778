package checkup

// mayWrite can't be asked here; who makes the folder is told.
func mayWrite(string) error { return nil }
