package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

func TestOnlyAnErrorThatMayPassIsWorthAnotherTry(t *testing.T) {
	for _, c := range []struct {
		name           string
		err            error
		lasting, fault bool
	}{
		{"the disk is full", fmt.Errorf("append: %w", ErrFull), false, true},
		{"the file is read-only", fmt.Errorf("append: %w", ErrReadOnly), false, true},
		{"a payload's file can't be written", fs.ErrPermission, false, false},
		{"the claim is lost", fmt.Errorf("append: %w", ErrFenced), true, false},
		{"the run has ended", fmt.Errorf("append: %w", ErrTerminal), true, false},
		{"there is none", ErrNotFound, true, false},
		{"the file is damaged", fmt.Errorf("store: %w", ErrDamaged), true, false},
		{"the thread is busy", &ThreadBusyError{}, true, false},
		{"somebody drives the run", &HeldError{}, true, false},
		{"the caller has left", context.Canceled, true, false},
		{"both full and fenced", errors.Join(ErrFull, ErrFenced), true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if Lasting(c.err) != c.lasting || Fault(c.err) != c.fault {
				t.Errorf("lasting %v, fault %v; want %v, %v", Lasting(c.err), Fault(c.err), c.lasting, c.fault)
			}
		})
	}
}
