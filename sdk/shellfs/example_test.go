//go:build unix

package shellfs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/shellfs"
)

func Example() {
	base, err := os.MkdirTemp("", "sandbox")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(base)
	base, _ = filepath.EvalSymlinks(base)
	for _, name := range []string{"root", "home", "state"} {
		_ = os.Mkdir(filepath.Join(base, name), 0o700)
	}
	runner, err := processes.Open(base+"/root", base+"/home", base+"/state", []string{"PATH=" + os.Getenv("PATH")})
	if err != nil {
		fmt.Println(err)
		return
	}

	// Whatever starts commands has files.
	files := shellfs.New(&box{Runner: runner, id: "example", info: runner.Describe()})
	ctx := context.Background()
	err = files.Write(ctx, "notes/today", strings.NewReader("hello\n"), sandbox.WriteOptions{Mode: 0o600})
	fmt.Println(err)
	info, err := files.Stat(ctx, "notes/today")
	fmt.Println(info.Kind, info.Mode, info.Size, err)
	_, err = files.Stat(ctx, "notes/tomorrow")
	fmt.Println(sandbox.ClassOf(err))
	// Output:
	// <nil>
	// file -rw------- 6 <nil>
	// not_found
}
