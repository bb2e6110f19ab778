package main

type config struct {
	Image   string `hcl:"image" doc:"Image to make containers of. It needs /bin/sh." example:"\"node:22\""`
	Workdir string `hcl:"workdir" default:"/workspace" doc:"Folder of the workspace in the container; it is made if need be." example:"\"/src\""`
}
