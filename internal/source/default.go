package source

import (
	"sync"

	"github.com/hearsay-memory/hearsay"
)

// insiders are the GitHub author associations of people who can write to the
// repository. A surface passes the association bare and a login with a leading
// "@", so that nobody becomes a member by calling an account MEMBER.
var insiders = []string{"OWNER", "MEMBER", "COLLABORATOR"}

// The classes that the default table uses.
var (
	spokenByUser    = hearsay.Class{Origin: hearsay.User, Reach: hearsay.ReachNone}
	spokenInChannel = hearsay.Class{Origin: hearsay.Channel, Reach: hearsay.ReachNone}
	inferred        = hearsay.Class{Origin: hearsay.Agent, Reach: hearsay.ReachNone}
	reported        = hearsay.Class{Origin: hearsay.Tool, Reach: hearsay.ReachNone}
	unseen          = hearsay.Class{Origin: hearsay.Unverified, Reach: hearsay.ReachWords}
	foreign         = hearsay.Class{Origin: hearsay.External, Reach: hearsay.ReachSession}
)

// defaults is the table that ships. Of two entries of one type the first whose
// actors fit applies, so a condition stands before the entry for everybody else.
var defaults = []Entry{
	{Type: "user", Class: spokenByUser},
	{Type: "system", Class: spokenByUser},
	{Type: "manual", Class: spokenByUser},

	{Type: "github_issue", Actors: insiders, Class: spokenInChannel},
	{Type: "github_issue", Actors: []string{Known}, Class: spokenInChannel},
	{Type: "github_issue", Class: foreign},
	{Type: "github_pull_request", Actors: insiders, Class: spokenInChannel},
	{Type: "github_pull_request", Actors: []string{Known}, Class: spokenInChannel},
	{Type: "github_pull_request", Class: foreign},
	{Type: "github_comment", Actors: insiders, Class: spokenInChannel},
	{Type: "github_comment", Actors: []string{Known}, Class: spokenInChannel},
	{Type: "github_comment", Class: foreign},
	{Type: "github_issue_comment", Actors: insiders, Class: spokenInChannel},
	{Type: "github_issue_comment", Actors: []string{Known}, Class: spokenInChannel},
	{Type: "github_issue_comment", Class: foreign},
	{Type: "github_review", Actors: insiders, Class: spokenInChannel},
	{Type: "github_review", Actors: []string{Known}, Class: spokenInChannel},
	{Type: "github_review", Class: foreign},
	{Type: "github_commit", Actors: insiders, Class: spokenInChannel},
	{Type: "github_commit", Actors: []string{Known}, Class: spokenInChannel},
	{Type: "github_commit", Class: foreign},

	{Type: "slack_message", Actors: []string{Known}, Class: spokenInChannel},
	{Type: "slack_message", Class: foreign},
	{Type: "discord_message", Actors: []string{Known}, Class: spokenInChannel},
	{Type: "discord_message", Class: foreign},
	{Type: "channel:*", Actors: []string{Known}, Class: spokenInChannel},
	{Type: "channel:*", Class: foreign},

	// Joined by the guard with what the job or the sub-agent inherits.
	{Type: "cron:*", Class: inferred},
	{Type: "agent", Class: inferred},
	{Type: "subagent", Class: inferred},

	{Type: "workspace_file", Class: reported},
	{Type: "github_file", Class: reported},
	{Type: "github_symbol", Class: reported},
	{Type: "github_line_chunk", Class: reported},
	{Type: "extracted_decision", Class: reported},
	{Type: "tool:*", Class: reported},

	// Text that lies in the workspace and that nobody was seen writing.
	{Type: "dependency", Class: unseen},
	{Type: "baseline", Class: unseen},
	{Type: "hand_edit", Class: unseen},
	{Type: "transcript", Class: unseen},
	{Type: "import", Class: unseen}, // a memory that another program kept

	{Type: "document", Class: foreign},
	{Type: "web", Class: foreign},
	{Type: "web_search", Class: foreign},
	{Type: "tool:browser", Class: foreign},
	{Type: "tool:email_read", Class: foreign},
	{Type: "email_message", Class: foreign},
	{Type: "notion_page", Class: foreign},
	{Type: "confluence_page", Class: foreign},
	{Type: "google_doc", Class: foreign},
	{Type: "meetings_message", Class: foreign},
	{Type: "mcp:*", Class: foreign},
	{Type: "network_output", Class: foreign},  // what a command fetched
	{Type: "external_marked", Class: foreign}, // text bearing external-content markers
}

var defaultTable = sync.OnceValue(func() *Table { return New(nil, nil) })

// Default returns the table that ships. It is shared and cannot be changed.
func Default() *Table { return defaultTable() }
