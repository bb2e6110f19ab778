package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
)

// fail does what a fault's name says.
func fail(ctx context.Context, fault string) error {
	switch fault {
	case "panic":
		panic("a bug in a call: " + os.Getenv("PROBE_TOKEN"))
	case "nil":
		var none *provider
		none.fault = "x"
	case "goroutine":
		go panic("a bug elsewhere")
		<-ctx.Done()
	case "maps":
		m := map[int]int{}
		for range 8 {
			go func() {
				for {
					m[0]++
				}
			}()
		}
		<-ctx.Done()
	case "stack":
		debug.SetMaxStack(1 << 20)
		deeper(0)
	case "exit":
		println("the licence has run out")
		os.Exit(7)
	case "kill":
		return die(ctx, syscall.SIGKILL)
	case "segv":
		return die(ctx, syscall.SIGSEGV)
	case "hang":
		<-ctx.Done()
		time.Sleep(time.Minute)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
	}
	return nil
}

func die(ctx context.Context, sig syscall.Signal) error {
	if err := syscall.Kill(os.Getpid(), sig); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// deeper has no end; what it adds to keeps the compiler from making it a loop.
func deeper(n int) int { return deeper(n+1) + 1 }
