package hearsay

// Caller is who is at the door. It is made only by a surface, from what the
// transport or the host shows, and is never read from a payload. All fields are
// byte-exact: no folding, no trimming. The zero value is nobody: its session is
// not known, so it is tainted.
type Caller struct {
	Principal string  // the person whose memory it is
	Project   string  // canonical real path or other injective key; empty: none
	Agent     string  // the agent's configured name; empty: the default agent
	Session   string  // an id that a surface opened; empty: the principal's shared session
	Surface   Surface // which door
}

// Surface is a door of Hearsay.
type Surface string

// The doors.
const (
	SurfaceCLI  Surface = "cli"
	SurfaceHook Surface = "hook"
	SurfaceFile Surface = "file"
	SurfaceMCP  Surface = "mcp"
	SurfaceOwn  Surface = "mcpserver"
	SurfaceHTTP Surface = "http"
	SurfaceLib  Surface = "lib"
)
