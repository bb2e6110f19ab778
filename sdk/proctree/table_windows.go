package proctree

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// stillActive is the exit code of a process that has none yet.
const stillActive = 259

// snapshot reads the process table. Processes that can't be asked when they
// started, those of the system and of other users, are left out: they can't be
// told from others of their number.
func snapshot() ([]kin, error) {
	snap, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, fmt.Errorf("read process table: %w", err)
	}
	defer closeHandle(snap)
	var table []kin
	entry := windows.ProcessEntry32{}
	entry.Size = uint32(unsafe.Sizeof(entry))
	for err = windows.Process32First(snap, &entry); err == nil; err = windows.Process32Next(snap, &entry) {
		if id, living := probe(int(entry.ProcessID)); living {
			table = append(table, kin{ident: id, parent: int(entry.ParentProcessID), name: windows.UTF16ToString(entry.ExeFile[:])})
		}
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil, fmt.Errorf("read process table: %w", err)
	}
	return table, nil
}

// probe tells when the process of that number started, and whether it lives.
func probe(pid int) (ident, bool) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return ident{}, false
	}
	defer closeHandle(h)
	start, err := started(h)
	if err != nil {
		return ident{}, false
	}
	var code uint32
	err = windows.GetExitCodeProcess(h, &code)
	return ident{PID: pid, Start: start}, err == nil && code == stillActive
}

func started(h windows.Handle) (uint64, error) {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return 0, fmt.Errorf("read start time of process: %w", err)
	}
	return uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime), nil
}

// terminate ends exactly the process id: it is asked through the handle by which
// it is ended, so the number can't change hands in between.
func terminate(id ident) error {
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE|windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(id.PID))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return nil // there is none of that number
	}
	if err != nil {
		return err
	}
	defer closeHandle(h)
	if start, err := started(h); err != nil || start != id.Start {
		return err
	}
	if err := windows.TerminateProcess(h, 1); err != nil {
		if _, living := probe(id.PID); living {
			return err
		}
	}
	return nil
}

// resume lets a process go on that was started suspended: its only thread.
func resume(pid int) error {
	snap, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("read thread table: %w", err)
	}
	defer closeHandle(snap)
	entry := windows.ThreadEntry32{}
	entry.Size = uint32(unsafe.Sizeof(entry))
	for err = windows.Thread32First(snap, &entry); err == nil; err = windows.Thread32Next(snap, &entry) {
		if int(entry.OwnerProcessID) == pid {
			return resumeThread(entry.ThreadID)
		}
	}
	return fmt.Errorf("resume process %d: it has no thread: %w", pid, err)
}

func resumeThread(id uint32) error {
	thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, id)
	if err != nil {
		return fmt.Errorf("open thread %d: %w", id, err)
	}
	defer closeHandle(thread)
	if _, err := windows.ResumeThread(thread); err != nil {
		return fmt.Errorf("resume thread %d: %w", id, err)
	}
	return nil
}

// closeHandle lets a handle go whose loss changes nothing.
func closeHandle(h windows.Handle) { _ = windows.CloseHandle(h) }
