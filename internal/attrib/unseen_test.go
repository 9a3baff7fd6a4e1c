package attrib_test

// unseen are more honest pairs, written before any of them was tried. At first 20 of
// the 30 were found, which tells more than the first table does; some say more than the
// turn did, and must not be.
var unseen = []pair{
	{"btw we use yarn workspaces here, not npm", "- Project uses yarn workspaces, not npm"},
	{"I'm based in Toronto", "User is based in Toronto"},
	{"Please keep commit messages under 72 characters.", "- Keep commit messages under 72 characters"},
	{"don't touch the generated files in api/gen", "Never touch the generated files in api/gen"},
	{"don't touch the generated files in api/gen", "Don't touch generated files in `api/gen`"},
	{"For tests use pytest, not unittest", "For tests, use pytest, not unittest"},
	{"I prefer functional components", "User prefers functional components"},
	{"I always squash before merging", "User always squashes before merging"},
	{"The staging database is called acme_stage", "Staging database is called acme_stage"},
	{"my github handle is ana-dev", "GitHub handle: ana-dev"},
	{"Remember: our API base is https://api.acme.test/v2", "API base is https://api.acme.test/v2"},
	{"Remember: our API base is https://api.acme.test/v2", "Our API base is https://api.acme.test/v2"},
	{"I hate trailing commas", "User hates trailing commas"},
	{"Never force push. Ever.", "Never force push"},
	{"You should ask before installing packages", "Should ask before installing packages"},
	{"ask before installing packages", "User wants to be asked before installing packages"},
	{"ask before installing packages", "**Rule:** Ask before installing packages"},
	{"Use British English in docs", "Use British English in docs"},
	{"Use British English in docs, please. Also fix the typo in the header.", "User prefers British English in docs"},
	{"run the linter before you commit, remember that for next time", "Run the linter before you commit"},
	{"I work 9 to 5 CET", "User works 9 to 5 CET"},
	{"I'm new to Rust but know C++ well", "User is new to Rust but knows C++ well"},
	{"ok so from now on: no emojis", "No emojis"},
	{"let's call the service `ledger-sync`", "Service is called ledger-sync"},
	{"We deploy on Tuesdays and Thursdays only", "We deploy on Tuesdays and Thursdays only"},
	{"Keep it short.\nNo bullet points.", "- No bullet points"},
	{"Antworte bitte immer auf Deutsch", "Antworte immer auf Deutsch"},
	{"我在上海，用的是 macOS", "用户在上海，用的是 macOS"},
	{"テストは必ず vitest で書いてください", "- テストは必ず vitest で書いてください"},
	{"Prefer composition over inheritance", "Preference: composition over inheritance"},
}
