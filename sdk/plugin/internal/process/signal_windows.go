package process

import "os"

// Signal names the signal that ended a process: there are none here.
func Signal(*os.ProcessState) string { return "" }
