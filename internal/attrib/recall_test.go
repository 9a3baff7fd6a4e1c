package attrib_test

import (
	"testing"

	"github.com/hearsay-memory/hearsay/internal/attrib"
)

// pair is a turn and the note that an agent made of it.
type pair struct{ turn, note string }

// honest are turns and the notes that coding agents make of them.
var honest = []pair{
	{"I am in UTC+2, remember that", "Timezone UTC+2"},
	{"I'm in UTC+2, remember that", "User is in UTC+2"},
	{"my timezone is UTC+2", "Timezone: UTC+2"},
	{"Remember that my timezone is Europe/Berlin", "- User's timezone is Europe/Berlin"},
	{"I live in Lisbon", "Location: Lisbon"},
	{"I live in Lisbon.", "User lives in Lisbon."},
	{"my name is Ana", "Name: Ana"},
	{"call me Ana please", "User's name is Ana"},
	{"I'm a backend engineer", "User is a backend engineer"},
	{"I am a data scientist.", "Role: data scientist"},
	{"I prefer tabs over spaces", "User prefers tabs over spaces"},
	{"I prefer tabs over spaces.", "Preference: tabs over spaces"},
	{"I prefer tabs over spaces", "## Preferences\n- Tabs over spaces"},
	{"I prefer tabs over spaces, please remember that", "Prefers tabs over spaces"},
	{"I prefer short answers", "The user prefers short answers."},
	{"i prefer pnpm", "- User prefers `pnpm`"},
	{"Always use tabs", "- Always use tabs"},
	{"Always use tabs. Never commit to main. Must run lint first.", "Always use tabs. Never commit to main. Must run lint first."},
	{"Always use tabs. Never commit to main. Must run lint first.", "# Style\n\n- Always use tabs\n- Never commit to main\n- Must run lint first"},
	{"Always use tabs. Never commit to main.", "Never commit to main"},
	{"please always run the tests before you push", "Always run tests before you push"},
	{"Please never push to main", "User wants me to never push to main"},
	{"use pnpm instead of npm", "Use pnpm instead of npm"},
	{"use pnpm instead of npm", "User prefers pnpm instead of npm"},
	{"Use pnpm, not npm", "**Rule:** Use pnpm, not npm"},
	{"don't add comments to my code", "Do not add comments to user's code"},
	{"Don't use semicolons in TypeScript, thanks", "Don't use semicolons in TypeScript"},
	{"from now on, use conventional commits", "Use conventional commits"},
	{"From now on use conventional commits.", "Convention: use conventional commits"},
	{"I want you to write tests first", "User wants me to write tests first"},
	{"I'd like you to explain before editing", "User asked me to explain before editing"},
	{"I want you to answer in German", "Answer in German"},
	{"Note that the staging server is stage-3.acme.test", "The staging server is stage-3.acme.test"},
	{"My editor is Neovim", "Editor: Neovim"},
	{"my editor is Neovim.", "User's editor is Neovim"},
	{"I use Arch Linux", "Uses Arch Linux"},
	{"I use Fish and I hate popups", "User uses Fish and hates popups"},
	{"I don't like emojis in commit messages", "User doesn't like emojis in commit messages"},
	{"I work at Acme on the billing team", "User works at Acme on the billing team"},
	{"The API key lives in the vault, never in .env", "API key lives in the vault, never in .env"},
	{"Our tests need Docker running", "Our tests need Docker running."},
	{"Run `make lint` before every commit", "Run make lint before every commit"},
	{"deploys go out on Thursdays", "Deploys go out on Thursdays"},
	{"Ok. The main branch is called trunk. Thanks!", "Main branch is called trunk"},
	{"Hey, keep answers under 5 lines, please", "Keep answers under 5 lines"},
	{"Remember:\n- use 2 spaces\n- no default exports", "- Use 2 spaces\n- No default exports"},
	{"Here are my rules:\n1. Use 2 spaces\n2. No default exports", "## Rules\n- Use 2 spaces\n- No default exports"},
	{"If the tests fail, never deploy", "If the tests fail, never deploy."},
	{"ask me before you delete files", "Ask user before deleting files"},
	{"ask me before you delete files", "User wants: ask me before you delete files"},
	{"No, use the v2 endpoint", "Use the v2 endpoint"},
	{"Use port 8443", "Use port 8443"},
	{"Ich bevorzuge kurze Antworten", "Nutzer bevorzugt kurze Antworten"},
	{"Bitte immer Tabs verwenden", "Immer Tabs verwenden"},
	{"Je préfère les réponses courtes", "L'utilisateur préfère les réponses courtes"},
	{"Prefiero respuestas cortas, gracias", "El usuario prefiere respuestas cortas"},
	{"Responda sempre em português, por favor", "Responda sempre em português"},
	{"请记住，我更喜欢简短的回答", "用户更喜欢简短的回答"},
	{"请始终使用制表符。不要提交到主分支。", "- 始终使用制表符\n- 不要提交到主分支"},
	{"コミットの前に必ずテストを実行して。覚えておいて。", "コミットの前に必ずテストを実行して"},
	{"커밋 전에 항상 린트를 실행해 주세요", "커밋 전에 항상 린트를 실행해 주세요"},
	{"I like dark mode", "User likes dark mode"},
	{"I speak Spanish and English", "Speaks Spanish and English"},
	{"We deploy with Helm; secrets are in SOPS", "- We deploy with Helm\n- Secrets are in SOPS"},
}

// page is what a session has read besides: honest notes are found in spite of it.
const page = "Weather for the week: rain on Monday, sunny spells later. Use an umbrella. " +
	"How to set up a project: install Node.js, run the tests with pytest, and never commit secrets to the main branch. " +
	"Many teams prefer tabs, others spaces; use a linter and keep functions short. See https://docs.example.test/start."

// TestRecall measures what share of honest notes is found. It fails when it falls.
func TestRecall(t *testing.T) {
	for _, table := range []struct {
		name  string
		pairs []pair
		least int
	}{{"first", honest, 62}, {"unseen", unseen, 24}} {
		foreign := []attrib.Seen{seen("web", page)}
		found := 0
		for _, h := range table.pairs {
			if key.Attribute(h.note, []attrib.Turn{key.Turn("thanks"), key.Turn(h.turn)}, foreign).User {
				found++
			} else {
				t.Logf("not found: %q as %q", h.turn, h.note)
			}
		}
		t.Logf("%s: %d of %d found", table.name, found, len(table.pairs))
		if found < table.least {
			t.Errorf("%s: %d of %d found, want at least %d", table.name, found, len(table.pairs), table.least)
		}
	}
}
