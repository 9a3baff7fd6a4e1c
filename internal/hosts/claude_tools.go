package hosts

import "github.com/hearsay-memory/hearsay/internal/strictjson"

// claudeTools are the built-in tools of Claude Code that we know, by sdk-tools.d.ts
// of the package named at claude and the former names of tools. What is missing here
// is unknown, on purpose where a tool brings other people's words or changes what
// later sessions load: Artifact, ClaudeDesign, ExitWorktree, Projects,
// ReadNotifications, SetGoal, propose_skills and what will come.
var claudeTools = []tool{
	{"Read", Read, readFile},
	{"NotebookRead", Read, readNotebookPath},
	{"LSP", Search, readLSP},
	{"Grep", Search, readSearch},
	{"Glob", Search, readSearch},
	{"LS", Search, readSearchIn},
	{"Write", Write, readWrite},
	{"Edit", EditFile, readEdit},
	{"MultiEdit", EditFile, readMultiEdit},
	{"NotebookEdit", Notebook, readNotebook},
	{"Bash", Shell, readBash},
	{"PowerShell", Shell, readPowerShell},
	{"Monitor", Shell, readMonitor},
	{"BashOutput", ShellIO, nil},
	{"TaskOutput", ShellIO, nil},
	{"WebFetch", Web, readURL},
	{"WebSearch", WebSearch, readQuery},
	{"ReadMcpResourceTool", MCPResource, readResource},
	{"ReadMcpResourceDirTool", MCPResource, readResource},
	{"ListMcpResourcesTool", MCPResource, readResourceList},
	{"Agent", SubAgent, readAgent},
	{"Task", SubAgent, readAgent},
	{"Workflow", SubAgent, nil},
	{"SubagentHandback", SubAgent, nil},
	{"CronCreate", Schedule, readSchedule},
	{"CronDelete", Schedule, nil},
	{"ScheduleWakeup", Schedule, readSchedule},
	{"RemoteTrigger", Schedule, nil},
	{"SendMessage", Message, readMessage},
	{"SendUserMessage", Message, readMessage},
	{"PushNotification", Message, readMessage},
	{"SendUserFile", Message, nil},
	{"SendFeedback", Message, nil},
	{"ShareOnboardingGuide", Message, nil},
	{"Skill", Skill, readSkill},
	{"SlashCommand", Skill, readSkill},
	{"AskUserQuestion", Question, nil},
	{"TodoWrite", Plan, nil},
	{"TodoRead", Plan, nil},
	{"TaskCreate", Plan, nil},
	{"TaskGet", Plan, nil},
	{"TaskList", Plan, nil},
	{"TaskUpdate", Plan, nil},
	{"TaskStop", Plan, nil},
	{"KillShell", Plan, nil},
	{"EnterPlanMode", Plan, nil},
	{"ExitPlanMode", Plan, nil},
	{"EnterWorktree", Plan, nil},
	{"CronList", Plan, nil},
	{"ListAgents", Plan, nil},
	{"ReportFindings", Plan, nil},
	{"ToolSearch", Plan, nil},
	{"RefreshMcpTools", Plan, nil},
	{"WaitForMcpServers", Plan, nil},
	{"EndConversation", Plan, nil},
	{"OfferChromeSetup", Plan, nil},
	{"ShowOnboardingRolePicker", Plan, nil},
}

func readFile(r *reader, t *Tool)         { t.Paths = r.paths("file_path", required) }
func readNotebookPath(r *reader, t *Tool) { t.Paths = r.paths("notebook_path", required) }
func readLSP(r *reader, t *Tool)          { t.Paths = r.paths("filePath", optional) }
func readSearchIn(r *reader, t *Tool)     { t.Paths = r.paths("path", optional) }
func readURL(r *reader, t *Tool)          { t.URL = r.url("url", required) }
func readQuery(r *reader, t *Tool)        { t.Query = r.text("query", required) }
func readMessage(r *reader, t *Tool)      { t.Message = r.text("message", optional) }
func readSchedule(r *reader, t *Tool)     { t.Message = r.text("prompt", optional) }
func readAgent(r *reader, t *Tool)        { t.Message = r.text("prompt", required) }
func readBash(r *reader, t *Tool)         { t.Command = r.text("command", required) }

func readSearch(r *reader, t *Tool) {
	readSearchIn(r, t)
	t.Query = r.text("pattern", optional)
}

func readPowerShell(r *reader, t *Tool) {
	readBash(r, t)
	t.Shell = PowerShell
}

// readMonitor reads a watch over a command or over a socket.
func readMonitor(r *reader, t *Tool) {
	t.Command = r.text("command", optional)
	in := r.object("ws", optional)
	if in == nil {
		return
	}
	t.URL = in.url("url", required)
	r.join(in)
	if t.Command == "" {
		t.Class = Web
	}
}

func readWrite(r *reader, t *Tool) {
	readFile(r, t)
	t.Edits = []Edit{{Path: r.path("file_path", required), New: r.text("content", required), Whole: true}}
}

func readEdit(r *reader, t *Tool) {
	readFile(r, t)
	t.Edits = []Edit{oneEdit(r, r.path("file_path", required))}
}

// oneEdit reads a replacement. Replacing nothing makes a new file.
func oneEdit(r *reader, path string) Edit {
	e := Edit{Path: path, Old: r.text("old_string", required), New: r.text("new_string", required), All: r.flag("replace_all")}
	e.Whole = e.Old == ""
	return e
}

func readMultiEdit(r *reader, t *Tool) {
	readFile(r, t)
	path := r.path("file_path", required)
	list, ok := r.get("edits", required)
	if !ok {
		return
	}
	if list.Kind() != strictjson.KindArray || list.Len() > mostEdits {
		r.fail("edits", "is not a list of edits, or too long a one")
		return
	}
	for _, v := range list.Elements() {
		in := newReader(v, r.prefix+"edits.")
		t.Edits = append(t.Edits, oneEdit(in, path))
		r.join(in)
	}
}

func readNotebook(r *reader, t *Tool) {
	readNotebookPath(r, t)
	t.Edits = []Edit{{
		Path:   r.path("notebook_path", required),
		Cell:   r.label("cell_id", optional),
		New:    r.text("new_source", required),
		Delete: r.label("edit_mode", optional) == "delete",
	}}
}

func readResource(r *reader, t *Tool) {
	t.Server = r.label("server", required)
	t.URL = r.url("uri", required)
}

func readResourceList(r *reader, t *Tool) { t.Server = r.label("server", optional) }

// readSkill reads the name of a skill or command and what it is given.
func readSkill(r *reader, t *Tool) {
	if t.Query = r.text("skill", optional); t.Query == "" {
		t.Query = r.text("command", optional)
	}
}
