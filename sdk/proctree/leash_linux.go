package proctree

import "syscall"

func leash(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
