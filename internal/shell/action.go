package shell

import "math/bits"

// action is a set of actions.
type action uint32

const (
	dataExport action = 1 << iota
	dbDrop
	dbQuery
	dbWrite
	deployRun
	fileAutorun
	fileOutside
	projectDelete
	shellDestroy
	shellExecute
	shellInstall
	shellNetwork
	shellUntrusted
)

// actionNames are the names of the bits of an action, sorted.
var actionNames = [...]string{
	"data.export",
	"database.drop",
	"database.query",
	"database.write",
	"deploy.run",
	"file.autorun",
	"file.outside",
	"project.delete",
	"shell.destroy",
	"shell.execute",
	"shell.install",
	"shell.network",
	"shell.untrusted",
}

// onLocalFiles are the actions that a command on another machine or in a
// container does not take here.
const onLocalFiles = fileAutorun | fileOutside | projectDelete

// names returns the names in the set, sorted.
func (a action) names() []string {
	out := make([]string, 0, bits.OnesCount32(uint32(a)))
	for i, name := range actionNames {
		if a&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}
