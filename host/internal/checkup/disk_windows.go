package checkup

import "golang.org/x/sys/windows"

// disk is the free space of a folder's disk in bytes. Of network file systems it
// tells nothing.
func disk(dir string) (free uint64, remote string, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, "", err
	}
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return free, "", err
}
