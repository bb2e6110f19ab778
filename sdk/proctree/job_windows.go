package proctree

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// openJob makes the job object of that name, or opens the one there is. A bound
// one ends its processes when its last handle is closed, so with its starter;
// the other's name lasts as long as the leader, which inherits a handle.
func openJob(name string, bound bool) (windows.Handle, error) {
	wide, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return 0, err
	}
	attr := &windows.SecurityAttributes{InheritHandle: 1}
	attr.Length = uint32(unsafe.Sizeof(*attr))
	if bound {
		attr = nil
	}
	job, err := windows.CreateJobObject(attr, wide)
	if err != nil && (job == 0 || !errors.Is(err, windows.ERROR_ALREADY_EXISTS)) {
		return 0, fmt.Errorf("make job object: %w", err)
	}
	if !bound {
		return job, nil
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return 0, errors.Join(fmt.Errorf("limit job object: %w", err), windows.CloseHandle(job))
	}
	return job, nil
}

// jobList is JOBOBJECT_BASIC_PROCESS_ID_LIST with room for many.
type jobList struct {
	Assigned, Listed uint32
	PIDs             [4096]uintptr
}

// jobPIDs lists the processes of a job by number. Where there are more than
// fit, those that fit are listed: they are ended, and then it is asked again.
func jobPIDs(job windows.Handle) []int {
	list := new(jobList)
	err := windows.QueryInformationJobObject(job, windows.JobObjectBasicProcessIdList,
		uintptr(unsafe.Pointer(list)), uint32(unsafe.Sizeof(*list)), nil)
	if err != nil && !errors.Is(err, windows.ERROR_MORE_DATA) {
		return nil
	}
	var pids []int
	for _, pid := range list.PIDs[:min(int(list.Listed), len(list.PIDs))] {
		pids = append(pids, int(pid))
	}
	return pids
}

// starter is nothing here: a bound tree ends with its job object, so none is
// left of a starter that is gone.
type starter struct{}

func thisStarter() *starter { return nil }
