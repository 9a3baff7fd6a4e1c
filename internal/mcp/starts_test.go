package mcp

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

var shipped = sync.OnceValues(func() (all []*Profile, err error) {
	for _, name := range ProfileNames() {
		p, err := LoadProfile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
})

// found are the shipped profiles whose server a command line starts.
func found(t testing.TB, line string) (names []string) {
	t.Helper()
	all, err := shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.StartedBy(strings.Fields(line)) {
			names = append(names, p.Name)
		}
	}
	return names
}

func TestStartedBy(t *testing.T) {
	const pkg = "@modelcontextprotocol/server-memory"
	for profile, lines := range map[string][]string{
		"server-memory": {
			"npx -y " + pkg, "npx --yes -q " + pkg + "@2026.8.31", "npx " + pkg + "@^2026", "/usr/bin/npx -y " + pkg, "npx.cmd -y " + pkg,
			"cmd /c npx -y " + pkg, "cmd.exe /C npx.cmd -y " + pkg, "npm exec -y -- " + pkg, "pnpm dlx " + pkg, "yarn dlx -q " + pkg, "bunx " + pkg,
			"mcp-server-memory", "/opt/bin/mcp-server-memory --x", `C:\bin\mcp-server-memory.cmd`,
			"node /srv/node_modules/" + pkg + "/dist/index.js", `node.exe C:\x\node_modules\@modelcontextprotocol\server-memory\dist\index.js`,
			"/srv/node_modules/.bin/mcp-server-memory", "npm x " + pkg,
			"docker run -i --rm mcp/memory", "docker run -i -v claude-memory:/app/dist --rm docker.io/mcp/memory:2026.8.31",
			"podman run -i mcp/memory@sha256:" + strings.Repeat("ab", 32), "docker run --name=x -e A=b mcp/memory mcp-server-memory",
		},
		"basic-memory": {
			"uvx basic-memory mcp", "uvx basic-memory@latest mcp", "uvx basic-memory==0.24.1 mcp --project x", "/home/ana/.local/bin/uvx -q basic_memory>=0.24,<1 mcp",
			"uvx Basic.Memory[all]~=0.24 mcp", "uvx --from basic-memory basic-memory mcp", "uvx --from basic-memory==1 basic-memory mcp", "uv tool run basic-memory mcp",
			"pipx run basic-memory mcp", "pipx run --spec basic-memory==0.24.1 basic-memory mcp", "basic-memory mcp", "/home/ana/.local/bin/basic-memory mcp",
			`C:\Users\ana\venv\Scripts\basic-memory.exe mcp`, "python3 -m basic_memory.cli.main mcp", "/opt/venv/bin/python3.12 -u -m basic_memory.cli.main mcp",
			"docker run -i --rm ghcr.io/basicmachines-co/basic-memory:latest basic-memory mcp",
		},
		"mcp-memory-service": {
			"memory server", "/home/ana/.local/bin/memory server", "uvx --from mcp-memory-service memory server", "uv tool run --from mcp_memory_service==12.4.0 memory server",
			"python -m mcp_memory_service.server", "py -3 -m mcp_memory_service.server", "docker run -i doobidoo/mcp-memory-service:latest",
		},
		"mem0": {
			"uvx mem0-mcp-server", "mem0-mcp-server", "uvx mem0-mcp-server@0.2.1", "npx -y mcp-remote https://mcp.mem0.ai/mcp", "npx -y mcp-remote@0.15.1 https://mcp.mem0.ai/mcp --header Authorization:x",
		},
		"graphiti": {
			"docker run -i --rm -e OPENAI_API_KEY zepai/knowledge-graph-mcp:1.0.2 --transport stdio", "docker run -i falkordb/graphiti-knowledge-graph-mcp",
		},
	} {
		for _, line := range lines {
			if got := found(t, line); !slices.Equal(got, []string{profile}) {
				t.Errorf("%s: %v, want %s", line, got, profile)
			}
		}
	}
}

// What only bears the name.
func TestStartedByAnother(t *testing.T) {
	const pkg = "@modelcontextprotocol/server-memory"
	for _, line := range []string{
		"", "npx", "npx -y", "npx evil " + pkg, "npx -p evil " + pkg, "npx --package=evil " + pkg, "npx -y --registry=https://evil.test " + pkg,
		"npx -c " + pkg, "npx -y " + pkg + "-x", "npx -y " + pkg + "@npm:evil@1", "npx -y " + pkg + "@https://evil.test/x", "npx -y " + pkg + "/../evil",
		"npx -y x" + pkg, "npm install " + pkg, "npm", "pnpm " + pkg, "yarn", "sh -c " + pkg, "evil " + pkg, "env npx -y " + pkg, "cmd /c", "cmd /k npx -y " + pkg,
		"node -r evil /srv/node_modules/" + pkg + "/dist/index.js", "node /srv/node_modules/" + pkg + "/../../evil/x.js", "node /srv/" + pkg + "/index.js", "node",
		"uvx mcp-server-memory", "mcp-server-memory-x", "./mcp-server-memory/evil",
		// Typing errors, other scopes, and paths that merely end in the name.
		"npx -y @modelcontextprotocol/server-memori", "npx -y @modelcontextprotocoI/server-memory", "npx -y @evil/server-memory", "npx -y server-memory",
		"npx -y ./@modelcontextprotocol/server-memory", "npx -y /srv/@modelcontextprotocol/server-memory", "npx -y github:x/" + pkg, "npx -y " + strings.ToUpper(pkg),
		"uvx basic-memorry mcp", "uvx basic-memory-hooks mcp", "uvx xbasic-memory mcp", "uvx ./basic-memory mcp", "uvx basic-memory@git+https://evil.test/x mcp",
		"uvx git+https://evil.test/basic-memory mcp", "uvx --with evil basic-memory mcp", "uvx --index-url https://evil.test basic-memory mcp", "uvx --from evil basic-memory mcp",
		"uvx --from basic-memory evil mcp", "uvx --from basic-memory", "uvx --from mcp-memory-service /tmp/bin/memory server", "uvx --from ./mcp-memory-service memory server",
		"uvx --from mcp-memory-service memory status", "uv run basic-memory mcp", "uv tool install basic-memory", "pip run basic-memory",
		"./basic-memory mcp", "bin/basic-memory mcp", "/srv/evil/basic-memory mcp", "/srv/x/../bin/basic-memory mcp", "~/bin/basic-memory mcp", "${workspaceFolder}/bin/basic-memory mcp",
		"./bin/uvx basic-memory mcp", "basic-memory", "basic-memory sync", "memory", "memory serve", "./memory server", "/srv/app/memory server",
		"python -m basic_memory.cli.mainx", "python basic_memory.cli.main", "python -c x -m basic_memory.cli.main", "python -i -m mcp_memory_service.server",
		"python4.1 -m mcp_memory_service.server", "python3.x -m mcp_memory_service.server",
		"docker run evil/memory", "docker run evil.test/mcp/memory", "docker run localhost:5000/mcp/memory", "docker run mcp/memory-x", "docker run mcp/memory/x", "docker run --entrypoint sh mcp/memory",
		"docker run mcp/memory sh -c evil", "docker exec -i mcp/memory", "docker run -v", "docker run --rm --privileged-x mcp/memory", "docker mcp/memory",
		"npx -y mcp-remote https://mcp.mem0.ai.evil.test/mcp", "npx -y mcp-remote http://mcp.mem0.ai/mcp", "npx -y mcp-remotes https://mcp.mem0.ai/mcp",
		"npx -y mcp-remote --header x https://mcp.mem0.ai/mcp", "npx -y mcp-remote https://evil.test/?https://mcp.mem0.ai/mcp", "uvx mem0-mcp", "uvx mem0_mcp_servers",
		"uv run --directory /srv/graphiti/mcp_server main.py --transport stdio", "python /srv/graphiti/mcp_server/main.py",
	} {
		if got := found(t, line); got != nil {
			t.Errorf("%s: %v", line, got)
		}
	}
	p, err := LoadProfile("server-memory")
	if err != nil || p.StartedBy(nil) || p.StartedBy([]string{""}) || p.StartedBy([]string{"npx", ""}) {
		t.Errorf("nothing starts it, %v", err)
	}
}

// A profile of one's own says it the same way.
func TestStartedByOwnProfile(t *testing.T) {
	p, err := ParseProfile([]byte("name: shelf\nstarts: { npm: [shelf-server], commands: [shelf serve] }\n"))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]bool{"npx shelf-server@1.2": true, "shelf serve --x": true, "shelf": false, "npx shelf": false, "uvx shelf-server": false} {
		if got := p.StartedBy(strings.Fields(line)); got != want {
			t.Errorf("%s: %t", line, got)
		}
	}
	if p, err = ParseProfile([]byte("name: shelf\n")); err != nil || p.StartedBy([]string{"shelf"}) {
		t.Errorf("a profile that does not say it: %v", err)
	}
}

func TestStartsErrors(t *testing.T) {
	for text, want := range map[string]string{
		"npm: [\"\"]": "npm", "npm: [-y]": "npm", "npm: [\"a b\"]": "npm", "npm: [x@npm:y]": "npm", "pypi: [\"a==1\"]": "pypi", "pypi: [./a]": "pypi", "modules: [../a]": "modules",
		"images: [\"a:1\"]": "has a tag", "commands: [/bin/a]": "commands", "commands: [\" a\"]": "commands", "commands: [\"a\\tb\"]": "commands", "urls: [\"http://a.test\"]": "https://",
		"npm: [" + strings.Repeat("a", maxStart+1) + "]": "npm", "npm: [" + strings.Repeat("a, ", maxStarts+1) + "a]": "at most", "gems: [a]": "gems",
	} {
		if _, err := ParseProfile([]byte("name: x\nstarts: { " + text + " }\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q in it", text, err, want)
		}
	}
}

func FuzzStartedBy(f *testing.F) {
	f.Add("npx -y @modelcontextprotocol/server-memory")
	f.Add("docker run -i --rm -e A=b mcp/memory@sha256:x")
	f.Add("cmd /c python3. -m mcp_memory_service.server")
	f.Add("uvx --from basic-memory[x]==1 /bin/basic-memory mcp")
	f.Fuzz(func(t *testing.T, line string) {
		names := found(t, line)
		if len(names) > 1 {
			t.Errorf("%q starts %v", line, names)
		}
	})
}
