package main

import (
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// The labels of a container.
const (
	labelOwner   = "dev.sandlot.owner"
	labelBoot    = "dev.sandlot.host-boot"
	labelProject = "dev.sandlot.project"
	labelThread  = "dev.sandlot.thread"
	labelKey     = "dev.sandlot.key"
	labelGuest   = "dev.sandlot.guest" // of a volume: it holds a guest

	labelSnapshot = "dev.sandlot.snapshot" // of an image: its label for a person
)

func labelsOf(l sandbox.Labels) map[string]string {
	return map[string]string{
		labelOwner: l.Owner, labelBoot: l.HostBoot, labelProject: l.Project, labelThread: l.Thread, labelKey: l.Key,
	}
}

func fromLabels(m map[string]string) sandbox.Labels {
	l := sandbox.Labels{
		Owner: m[labelOwner], HostBoot: m[labelBoot], Project: m[labelProject], Thread: m[labelThread], Key: m[labelKey],
	}
	if l.Owner == "" {
		l.Owner = sandbox.OwnerUnknown
	}
	return l
}
