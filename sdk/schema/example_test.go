package schema_test

import (
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// machine is the block
//
//	provider "cloud" "big" {
//	  token = secret.cloud
//	  disk "scratch" {
//	    size = 100
//	  }
//	}
type machine struct {
	Image string        `hcl:"image" default:"debian:12" doc:"Image to start."`
	Token schema.Secret `hcl:"token" doc:"Of the API."`
	Wait  time.Duration `hcl:"wait" default:"30s" identity:"false" doc:"For it to come up."`
	Disks []disk        `hcl:"disk,block" doc:"Beside the first one."`
}

type disk struct {
	Name string `hcl:"name,label"`
	Size int    `hcl:"size" doc:"GB."`
}

func ExampleOf() {
	block, err := schema.Of(machine{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range block.Attributes {
		fmt.Println(a.Name, a.Type, a.Required, a.Identity)
	}
	// Output:
	// image string false true
	// token secret true true
	// wait duration false false
}

func ExampleDecode() {
	var m machine
	err := schema.Decode([]byte(`{"token":"of the cloud","disk":[{"name":"scratch","size":100}]}`), &m)
	fmt.Println(err, m.Image, m.Token, m.Wait, m.Disks)
	// Output: <nil> debian:12 *** 30s [{scratch 100}]
}
