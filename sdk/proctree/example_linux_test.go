package proctree_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
)

// A tree is started by one process, and ended by any other that knows the folder
// and the id.
func Example() {
	state, err := os.MkdirTemp("", "state")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(state)
	ctx := context.Background()

	forest, err := proctree.Open(state, proctree.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tree, err := forest.Start(ctx, proctree.Spec{ID: "agent", Argv: []string{"sh", "-c", "sleep 1000 & sleep 1000"}, Env: os.Environ()})
	if err != nil {
		fmt.Println(err)
		return
	}

	other, err := proctree.Open(state, proctree.Options{}) // as another process would
	if err != nil {
		fmt.Println(err)
		return
	}
	alive, err := other.Alive(ctx, "agent")
	fmt.Println(alive, err)
	fmt.Println(other.Kill(ctx, "agent", time.Second))
	exit, err := tree.Wait(ctx)
	fmt.Println(exit.Signal != 0, err)
	// Output:
	// yes <nil>
	// <nil>
	// true <nil>
}
