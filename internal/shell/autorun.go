package shell

import "strings"

// autorunDirs are directories whose files run, or steer an agent, by themselves.
var autorunDirs = []string{
	"/.git/hooks/", "/.githooks/", "/.husky/", "/.github/workflows/", "/.github/actions/", "/.circleci/", "/.buildkite/", "/.gitlab/ci/", "/.woodpecker/",
	"/systemd/", "/launchagents/", "/launchdaemons/", "/.config/autostart/", "/etc/cron", "/var/spool/cron", "/etc/init.d/", "/etc/profile.d/",
	"/start menu/programs/startup/", "/.config/fish/", "/.codex/", "/.cursor/", "/.claude/hooks/", "/.claude/plugins/", "/.gemini/", "/.devcontainer/",
	"/etc/sudoers.d/", "/.config/git/", "/windowspowershell/", "/.config/powershell/",
}

// autorunFiles are names of files that run, or steer an agent, by themselves.
var autorunFiles = map[string]bool{
	".gitlab-ci.yml": true, ".travis.yml": true, ".drone.yml": true, "jenkinsfile": true, "azure-pipelines.yml": true, "bitbucket-pipelines.yml": true,
	".cirrus.yml": true, "appveyor.yml": true, "cloudbuild.yaml": true, "buildspec.yml": true,
	"package.json": true, ".envrc": true, ".pre-commit-config.yaml": true, "lefthook.yml": true, ".lefthook.yml": true, ".lintstagedrc": true,
	".bashrc": true, ".bash_profile": true, ".bash_login": true, ".bash_logout": true, ".bash_aliases": true, ".profile": true, ".zshrc": true, ".zshenv": true,
	".zprofile": true, ".zlogin": true, ".kshrc": true, ".inputrc": true, ".xprofile": true, ".xinitrc": true, ".xsession": true, ".pythonrc": true,
	"config.fish": true, ".vimrc": true, ".exrc": true, ".tmux.conf": true, ".screenrc": true,
	"authorized_keys": true, "authorized_keys2": true, "crontab": true, "sudoers": true, ".gitconfig": true, ".mcp.json": true,
	"sitecustomize.py": true, "usercustomize.py": true, ".npmrc": true, ".yarnrc": true, ".yarnrc.yml": true,
	"profile.ps1": true, "microsoft.powershell_profile.ps1": true,
}

// autorunEnds are the last parts of paths of such files.
var autorunEnds = []string{
	"/.git/config", "/.vscode/tasks.json", "/.vscode/settings.json", "/.vscode/mcp.json", "/.ssh/config", "/.ssh/rc",
	"/etc/profile", "/etc/bash.bashrc", "/etc/environment", "/etc/ld.so.preload", "/etc/zshrc", "/etc/zsh/zshrc",
	"/.config/opencode/opencode.json", "/opencode.json", "/.claude.json",
}

// autorun reports whether what is written at the path runs by itself later: hooks,
// continuous integration, start-up files of shells, settings of agents. Case is
// folded, because file systems do.
func autorun(path string) bool {
	p := strings.ToLower(path)
	name := p[strings.LastIndexByte(p, '/')+1:]
	if autorunFiles[name] {
		return true
	}
	if strings.HasPrefix(name, "settings") && strings.HasSuffix(name, ".json") && strings.Contains(p, "/.claude/") {
		return true
	}
	for _, end := range autorunEnds {
		if strings.HasSuffix(p, end) {
			return true
		}
	}
	if !strings.Contains(p, "/.") && !strings.Contains(p, "/etc/") && !strings.Contains(p, "launch") && !strings.Contains(p, "systemd") &&
		!strings.Contains(p, "cron") && !strings.Contains(p, "startup") && !strings.Contains(p, "powershell") {
		return false
	}
	p += "/"
	for _, dir := range autorunDirs {
		if strings.Contains(p, dir) {
			return true
		}
	}
	return false
}
